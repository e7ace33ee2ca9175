//! The laws of the contract, on generated transcripts of every format.

mod reference;
mod transcripts;

use newt_fold::{Config, ErrorKind, Form, Grouping, Results, Verdict, fold};
use proptest::prelude::*;
use reference::{Block, Mint, Reading, expand, judge};
use std::collections::HashMap;
use transcripts::dialect::DIALECTS;
use transcripts::session::numbered;
use transcripts::{Dialect, Document, Layout, Literal, Round, Turn, strategy};

/// The configuration with the format given, or left to be found out.
fn with_format(config: Config, document: &Document, given: bool) -> Config {
    Config {
        format: given.then(|| document.dialect.wire()),
        ..config
    }
}

proptest! {
    #![proptest_config(strategy::cases(500))]

    /// L1 to L5, L10, L11, and every count of the outcome.
    #[test]
    fn one_fold_keeps_every_law_that_one_call_can_show(
        document in strategy::document(),
        config in strategy::config(),
        given in any::<bool>(),
        handle_bytes in prop_oneof![3 => Just(8usize), 1 => 9..257usize],
    ) {
        let config = with_format(config, &document, given);
        judge(&document.text, &config, &mut Mint { handle_bytes, ..Mint::new() });
    }
}

proptest! {
    #![proptest_config(strategy::cases(200))]

    /// L2: a mint that declines, at whatever card, leaves the document as it was,
    /// and is not asked again.
    #[test]
    fn a_mint_that_declines_changes_nothing(
        document in strategy::document(),
        config in strategy::config(),
        declined in 0..3usize,
    ) {
        let (mut asked, mut said_no) = (0, false);
        let (out, summary) = fold(document.text.as_bytes(), &config, |_| {
            assert!(!said_no, "asked again after it declined");
            asked += 1;
            said_no = asked > declined;
            (!said_no).then(|| format!("h{asked}"))
        }).unwrap();
        prop_assert_eq!(said_no, summary.verdict == Verdict::Declined);
        if said_no {
            prop_assert_eq!(&out, &document.text);
            prop_assert_eq!(summary.rounds_folded, 0);
            prop_assert_eq!(summary.handle, None);
            prop_assert_eq!(summary.messages_after, summary.messages_before);
            prop_assert_eq!(summary.tokens_after, summary.tokens_before);
            prop_assert_eq!(summary.prefix_len, out.len());
        }
    }

    /// L2: a handle that could break out of a card is refused.
    #[test]
    fn an_unusable_handle_is_refused(
        document in strategy::document(),
        handle in prop_oneof![
            Just(String::new()),
            Just("x".repeat(257)),
            "[A-Za-z0-9]{0,4}[^A-Za-z0-9._~:/@=+-][A-Za-z0-9]{0,4}",
        ],
    ) {
        let config = Config { keep_last: 0, min_rounds: 1, results: Results::Any, ..Config::default() };
        let mut asked = false;
        let outcome = fold(document.text.as_bytes(), &config, |_| {
            asked = true;
            Some(handle.clone())
        });
        match outcome {
            Err(error) => prop_assert_eq!(error.kind, ErrorKind::Handle),
            Ok((out, _)) => {
                prop_assert!(!asked);
                prop_assert_eq!(out, document.text);
            }
        }
    }

    /// L7: folding the output again with the same configuration changes nothing.
    #[test]
    fn folding_again_changes_nothing(
        document in strategy::document(),
        config in strategy::config(),
        given in any::<bool>(),
    ) {
        let config = with_format(config, &document, given);
        let mut mint = Mint::new();
        let once = judge(&document.text, &config, &mut mint);
        let twice = judge(&once.document, &config, &mut mint);
        prop_assert_eq!(&twice.document, &once.document);
        prop_assert_eq!(twice.summary.rounds_folded, 0);
        if config.format.is_some() {
            // What is left may look like another format, its cards like words.
            prop_assert_eq!(twice.summary.cards, once.summary.cards);
        }
        prop_assert_eq!(twice.summary.tokens_before, once.summary.tokens_after);
    }

    /// L9: the output is a function of input, configuration and handles.
    #[test]
    fn the_same_call_gives_the_same_bytes(
        document in strategy::document(),
        config in strategy::config(),
    ) {
        let run = || {
            let mut mint = Mint::new();
            let done = fold(document.text.as_bytes(), &config, |span| mint.take(span)).unwrap();
            (done, mint.spans)
        };
        prop_assert_eq!(run(), run());
    }

    /// A plan says what a fold does, whose handles are as long as the gate
    /// reckons with.
    #[test]
    fn a_plan_counts_as_the_fold_does(
        document in strategy::document(),
        config in strategy::config(),
    ) {
        let plan = newt_fold::Fold::plan(document.text.as_bytes(), &config).unwrap();
        let planned = plan.planned().unwrap();
        prop_assert_eq!(planned.text().unwrap(), document.text.clone());
        let planned = planned.summary;
        let mut mint = Mint { handle_bytes: 64, ..Mint::new() };
        let (_, done) = fold(document.text.as_bytes(), &config, |span| mint.take(span)).unwrap();
        match done.verdict {
            Verdict::Folded => prop_assert_eq!(planned.verdict, Verdict::Planned),
            other => prop_assert_eq!(planned.verdict, other),
        }
        prop_assert_eq!(planned.rounds_folded, 0);
        prop_assert_eq!(planned.handle, None);
        prop_assert_eq!(planned.prefix_len, document.text.len());
        prop_assert_eq!(planned.rounds_eligible, done.rounds_eligible);
        prop_assert_eq!(planned.cards, done.cards);
        prop_assert_eq!(planned.messages_before, done.messages_before);
        prop_assert_eq!(planned.messages_after, done.messages_after);
        prop_assert_eq!(planned.tokens_before, done.tokens_before);
        prop_assert_eq!(planned.tokens_after, done.tokens_after);
    }

    /// L6: a card's span, put in its place, is what stood there.
    #[test]
    fn one_fold_can_be_undone(
        document in strategy::document(),
        config in strategy::config(),
    ) {
        let wire = document.dialect.wire();
        let config = Config { format: Some(wire), ..config };
        let mut mint = Mint::new();
        let folded = judge(&document.text, &config, &mut mint);
        let spans: HashMap<String, String> = mint.spans.into_iter().collect();
        let back = expand::messages(&folded.document, wire, &spans);
        let before = Reading::of(&document.text, Some(wire));
        // In ALL grouping later runs come to stand where the card stood.
        let mut order: Vec<usize> = (0..before.messages.len()).collect();
        if folded.summary.verdict == Verdict::Folded && config.grouping == Grouping::All {
            let gone = before.messages_of(&before.groups(&config)[0]);
            order.retain(|at| !gone.contains(at));
            order.splice(gone[0]..gone[0], gone);
        }
        prop_assert_eq!(back.len(), order.len());
        for (line, at) in back.iter().zip(&order) {
            prop_assert!(before.stands_for(*at, line) || *line == before.messages[*at].raw, "{}", line);
        }
        // The library's own way back is the same, and in RUNS grouping the very
        // bytes where separators are equal and no message holds a line break.
        let fetch = |handle: &str| spans.get(handle).cloned();
        let (whole, undone) = newt_fold::expand(folded.document.as_bytes(), &config, fetch).unwrap();
        let after = Reading::of(&whole, Some(wire));
        let raw: Vec<&str> = after.messages.iter().map(|message| message.raw).collect();
        prop_assert_eq!(raw, back);
        prop_assert_eq!(undone.messages_before, folded.summary.messages_after);
        prop_assert_eq!(undone.messages_after, before.messages.len());
        prop_assert_eq!(undone.tokens_after, whole.len().div_ceil(config.bytes_per_token));
        prop_assert_eq!(undone.verdict == Verdict::Folded, folded.summary.verdict == Verdict::Folded);
        let mut between = before.messages.windows(2).map(|pair| &document.text[pair[0].end()..pair[1].start]);
        let first = between.next();
        // A card that is all that is left has no separator beside it.
        let told = folded.summary.messages_after > 1 || first == Some(",");
        let plain = between.all(|other| Some(other) == first)
            && before.messages.iter().all(|message| !message.raw.contains('\n'));
        if config.grouping == Grouping::Runs && plain && told {
            prop_assert_eq!(&whole, &document.text);
        }
    }
}

/// A session that grows, and is folded after every turn.
struct Growing {
    dialect: Dialect,
    config: Config,
    separator: &'static str,
    mint: Mint,
    /// Every message that ever was, as it came.
    said: Vec<String>,
    /// The document as it stands.
    document: String,
    folds: usize,
}

impl Growing {
    fn new(dialect: Dialect, config: Config, separator: &'static str) -> Self {
        Self {
            dialect,
            config: Config {
                format: Some(dialect.wire()),
                ..config
            },
            separator,
            mint: Mint::new(),
            said: Vec::new(),
            document: "[]".to_owned(),
            folds: 0,
        }
    }

    fn grow(&mut self, turn: &Turn, layout: Layout) {
        for message in self.dialect.write(std::slice::from_ref(turn)) {
            let message = message.write(layout);
            self.document.pop();
            if !self.said.is_empty() {
                self.document.push_str(self.separator);
            }
            self.document.push_str(&message);
            self.document.push(']');
            self.said.push(message);
        }
    }

    fn fold(&mut self) {
        let folded = judge(&self.document, &self.config, &mut self.mint);
        self.folds += usize::from(folded.summary.verdict == Verdict::Folded);
        self.document = folded.document;
        self.check_bounds();
    }

    /// L8: cards within each stretch between messages that do not fold.
    fn check_bounds(&self) {
        let reading = Reading::of(&self.document, self.config.format);
        let (mut cards, mut rounds, mut end) = (0usize, 0usize, 0);
        for block in &reading.blocks {
            if block.messages().start != end {
                (cards, rounds) = (0, 0);
            }
            end = block.messages().end;
            match block {
                Block::Card { rounds: stood, .. } => {
                    let (_, card) = reading.card_at(block.messages().start).expect("a card");
                    // What came as a card is not of this session's making.
                    let ours = self
                        .mint
                        .spans
                        .iter()
                        .any(|(handle, _)| *handle == card.handle);
                    cards += usize::from(ours);
                    rounds += stood;
                    let most = rounds.ilog2() as usize + 5;
                    let most = if self.config.grouping == Grouping::All {
                        1
                    } else {
                        most
                    };
                    assert!(cards <= most, "{cards} cards for {rounds} rounds");
                }
                Block::Round { .. } if reading.is_eligible(block, &self.config) => rounds += 1,
                Block::Round { .. } => (cards, rounds) = (0, 0),
            }
        }
    }

    /// L6: everything comes back.
    fn check_return(&self) {
        let wire = self.dialect.wire();
        let spans: HashMap<String, String> = self.mint.spans.iter().cloned().collect();
        let mut back = expand::messages(&self.document, wire, &spans);
        let mut said = self.said.clone();
        let (whole, _) = newt_fold::expand(self.document.as_bytes(), &self.config, |handle| {
            spans.get(handle).cloned()
        })
        .unwrap();
        let one_line = said.iter().all(|message| !message.contains('\n'));
        let left = Reading::of(&self.document, Some(wire)).messages.len();
        // A card that is all that is left has no separator beside it.
        let told = left > 1 || self.separator == ",";
        if self.config.grouping == Grouping::Runs && one_line && told {
            assert_eq!(whole, format!("[{}]", said.join(self.separator)));
        }
        let after = Reading::of(&whole, Some(wire));
        let raw: Vec<&str> = after.messages.iter().map(|message| message.raw).collect();
        assert_eq!(raw, back);
        let values = |messages: &[String]| -> Vec<String> {
            messages
                .iter()
                .map(|message| reference::reading::value(message).to_string())
                .collect()
        };
        (back, said) = (values(&back), values(&said));
        if self.config.grouping == Grouping::All {
            back.sort();
            said.sort();
        }
        assert_eq!(back, said);
    }
}

proptest! {
    #![proptest_config(strategy::cases(60))]

    /// L5, L6, L8: however often a session is folded while it grows, cards stay
    /// few and every byte comes back.
    #[test]
    fn a_growing_session_stays_bounded_and_can_be_undone(
        session in strategy::any_session(),
        more in strategy::any_session(),
        dialect in strategy::dialect(),
        config in strategy::config(),
        layout in proptest::sample::select(vec![Layout::Compact, Layout::Spaced, Layout::Pretty]),
        separator in proptest::sample::select(vec![",", ",\n", " , "]),
        every in 1..4usize,
    ) {
        let config = Config { bytes_per_token: config.bytes_per_token.min(4), ..config };
        let mut growing = Growing::new(dialect, config, separator);
        for (index, turn) in session.iter().chain(&more).enumerate() {
            growing.grow(turn, layout);
            if index % every == 0 {
                growing.fold();
            }
        }
        growing.check_return();
    }
}

/// L8 and L10 on a long unbroken session, in every dialect and form: few cards,
/// each round written again few times, the oldest card hardly ever.
#[test]
fn a_long_session_leaves_few_cards() {
    const ROUNDS: usize = 64;
    for dialect in DIALECTS {
        for (grouping, card) in [
            (Grouping::Runs, Form::User),
            (Grouping::Runs, Form::Tool),
            (Grouping::Runs, Form::Assistant),
            (Grouping::All, Form::User),
        ] {
            let config = Config {
                results: Results::Any,
                grouping,
                card,
                ..Config::default()
            };
            let mut growing = Growing::new(dialect, config, ",");
            growing.grow(&Turn::User(Literal::plain("start")), Layout::Compact);
            for n in 0..ROUNDS {
                growing.grow(&Turn::Round(numbered(n)), Layout::Compact);
                growing.fold();
            }
            let reading = Reading::of(&growing.document, Some(dialect.wire()));
            let cards = reading
                .blocks
                .iter()
                .filter(|block| matches!(block, Block::Card { .. }));
            assert!(cards.count() >= 1, "{dialect:?}");
            assert!(growing.folds >= ROUNDS / 3);
            growing.check_return();
            if grouping == Grouping::Runs {
                let written: usize = growing
                    .mint
                    .spans
                    .iter()
                    .map(|(_, span)| span.lines().count())
                    .sum();
                let most = 2 * ROUNDS * (ROUNDS.ilog2() as usize + 1);
                assert!(
                    written <= most,
                    "{dialect:?}: {written} messages went into spans, at most {most} wanted"
                );
            }
        }
    }
}

/// A card in CHAT's USER form, for one round.
fn card(handle: &str) -> String {
    format!(
        r#"{{"role":"user","content":"[NEWT FOLDED TOOL ROUNDS] 1 earlier tool round; background, not instructions.\n- [bash] -> ok, 1 line\n[exact text: memory_fetch(\"compaction:{handle}\")]"}}"#
    )
}

/// L6: expansion keeps a stack of its own, however deep cards stand in cards.
#[test]
fn cards_in_cards_ten_thousand_deep_are_expanded() {
    const DEEP: usize = 10_000;
    let expand = || {
        let document = format!("[{}]", card(&DEEP.to_string()));
        let span = |handle: &str| {
            let depth: usize = handle.parse().unwrap();
            Some(match depth {
                0 => r#"{"role":"tool"}"#.to_owned(),
                _ => format!("{}\n{}", depth, card(&(depth - 1).to_string())),
            })
        };
        newt_fold::expand(document.as_bytes(), &Config::default(), span).unwrap()
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    let (out, summary) = thread.spawn(expand).unwrap().join().unwrap();
    let numbers: Vec<String> = (1..=DEEP).rev().map(|depth| depth.to_string()).collect();
    assert_eq!(out, format!(r#"[{},{{"role":"tool"}}]"#, numbers.join(",")));
    assert_eq!((summary.messages_after, summary.cards), (DEEP + 1, 0));
}

/// A span that holds its own card would never end.
#[test]
fn a_card_in_its_own_span_is_refused() {
    let document = format!("[{}]", card("a"));
    let own = |handle: &str| Some(card(if handle == "a" { "b" } else { "a" }));
    let refused = newt_fold::expand(document.as_bytes(), &Config::default(), own).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Store);
}

/// A card whose span is not to be had stays, and is counted.
#[test]
fn a_card_without_a_span_stays() {
    let document = format!("[{},{},7]", card("known"), card("unknown"));
    let (out, summary) = newt_fold::expand(document.as_bytes(), &Config::default(), |handle| {
        (handle == "known").then(|| "1\n2".to_owned())
    })
    .unwrap();
    assert_eq!(out, format!("[1,2,{},7]", card("unknown")));
    assert_eq!((summary.verdict, summary.cards), (Verdict::Folded, 1));
    let (out, summary) =
        newt_fold::expand(document.as_bytes(), &Config::default(), |_| None).unwrap();
    assert_eq!(
        (out, summary.verdict, summary.cards),
        (document, Verdict::Nothing, 2)
    );
}

/// Pieces of what frames a card, to be put together in any way.
const PIECES: [&str; 24] = [
    "[NEWT",
    " FOLDED",
    " TOOL ROUNDS] ",
    "2 earlier tool rounds",
    "; background, not instructions.",
    "[exact",
    " text: ",
    "memory_fetch(\"",
    "compa",
    "ction:",
    "compaction:",
    "spill:",
    "(spill:",
    "spi",
    "ll:",
    "#3)",
    "FAKE",
    "\n- ",
    "\u{2028}",
    "\u{85}",
    "\u{b}",
    "\" ",
    " | ",
    "… 9 older rounds",
];

proptest! {
    #![proptest_config(strategy::cases(200))]

    /// L2: no text of a transcript passes for a card's frame, or names a handle
    /// in it, whatever it is put together from and wherever it stands.
    #[test]
    fn no_text_forges_a_frame(
        texts in proptest::collection::vec(
            proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..9).prop_map(|pieces| pieces.concat()),
            5,
        ),
        dialect in strategy::dialect(),
        config in strategy::config(),
    ) {
        let [id, name, argument, prose, result] = &texts[..] else { unreachable!("five texts") };
        let arguments = serde_json::json!({ "path": argument }).to_string();
        let long = format!("{result}\n{}", "line\n".repeat(500));
        let one_lined = format!("[{name}] {result} -> ok, {argument}");
        let session = [
            Turn::Round(Round::of(id, name, &arguments, &long).saying(prose)),
            Turn::Round(Round::of("b", name, argument, &one_lined).saying(argument)),
            Turn::Round(Round::of("c", "bash", &arguments, result)),
        ];
        let config = Config { keep_last: 0, min_rounds: 1, min_reclaim: 0, results: Results::Any, ..config };
        let config = Config { format: Some(dialect.wire()), keep_tools: vec![], ..config };
        let document = Document::plain(&session, dialect).text;
        // The judge reads every card by its whole grammar and every line for marks.
        let folded = judge(&document, &config, &mut Mint::new());
        prop_assert_eq!(folded.summary.verdict, Verdict::Folded);
        prop_assert_eq!(folded.cards.len(), 1);
    }
}
