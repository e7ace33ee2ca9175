//! One fold, held against everything that one call can show.

use super::card::{self, Card};
use super::group::Group;
use super::kind::Kind;
use super::one_line::{self, BREAKS};
use super::reading::{Block, Reading, value};
use newt_fold::{Config, Form, Summary, Verdict, fold};
use serde_json::value::RawValue;

/// A round of so many bytes is always worth folding.
pub const WORTH: usize = 2_000;

/// A mint that numbers its handles and remembers every span.
#[derive(Debug, Default)]
pub struct Mint {
    pub spans: Vec<(String, String)>,
    /// Bytes of each handle, at least 8; 0 means 8.
    pub handle_bytes: usize,
}

impl Mint {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn take(&mut self, span: &str) -> Option<String> {
        let serial = format!("hq{:05}z", self.spans.len());
        let handle = format!("{serial:~<width$}", width = self.handle_bytes);
        self.spans.push((handle.clone(), span.to_owned()));
        Some(handle)
    }
}

/// What the library said and did.
#[derive(Debug)]
pub struct Verdicts {
    pub document: String,
    pub summary: Summary,
    /// The cards written, in order.
    pub cards: Vec<Card>,
}

/// Folds a document, and panics where the outcome breaks a law.
pub fn judge(document: &str, config: &Config, mint: &mut Mint) -> Verdicts {
    let reading = Reading::of(document, config.format);
    let before = mint.spans.len();
    let (out, summary) =
        fold(document.as_bytes(), config, |span| mint.take(span)).expect("a transcript");
    let minted = &mint.spans[before..];

    let eligible = reading
        .blocks
        .iter()
        .filter(|block| reading.is_eligible(block, config))
        .count();
    assert_eq!(
        summary.messages_before,
        reading.messages.len(),
        "messages_before"
    );
    assert_eq!(summary.rounds_eligible, eligible, "rounds_eligible");
    assert_eq!(
        summary.tokens_before,
        document.len().div_ceil(config.bytes_per_token),
        "tokens_before"
    );
    assert_eq!(
        summary.tokens_after,
        out.len().div_ceil(config.bytes_per_token),
        "tokens_after"
    );
    assert!(out.is_char_boundary(summary.prefix_len));
    assert_eq!(
        out[..summary.prefix_len],
        document[..summary.prefix_len],
        "prefix_len"
    );

    let groups = reading.groups(config);
    let worth = |group: &Group| {
        reading
            .round_bytes(group)
            .iter()
            .any(|bytes| *bytes >= WORTH)
    };
    let cards = if summary.verdict == Verdict::Folded {
        let gone = match_spans(&reading, &groups, minted);
        for (group, gone) in groups.iter().zip(&gone) {
            // L3: what is worth folding goes when anything goes.
            assert!(*gone || !worth(group), "{group:?} was left behind");
        }
        let gone: Vec<&Group> = groups
            .iter()
            .zip(&gone)
            .filter(|(_, gone)| **gone)
            .map(|g| g.0)
            .collect();
        folded(&reading, config, &out, &summary, &gone, minted)
    } else {
        assert_eq!(out, document, "nothing folded, yet the document changed");
        assert_eq!(summary.rounds_folded, 0);
        assert_eq!(summary.handle, None);
        assert_eq!(summary.messages_after, reading.messages.len());
        assert_eq!(summary.prefix_len, document.len());
        let least = config.min_rounds.max(1);
        let all: usize = groups.iter().map(|group| group.new_rounds).sum();
        let sure: usize = groups
            .iter()
            .filter(|g| worth(g))
            .map(|g| g.new_rounds)
            .sum();
        match summary.verdict {
            // Nothing was weighed and dropped, so all of them were counted.
            Verdict::Nothing => assert!(all < least, "{all} rounds, NOTHING"),
            Verdict::NotSmaller => assert!(
                sure < least || config.min_reclaim > 0 || mint.handle_bytes > 64,
                "{sure} large rounds, NOT_SMALLER"
            ),
            other => panic!("{other:?} from a mint that takes everything"),
        }
        Vec::new()
    };
    Verdicts {
        document: out,
        summary,
        cards,
    }
}

/// Which groups went: the spans are theirs, in order.
fn match_spans(reading: &Reading<'_>, groups: &[Group], minted: &[(String, String)]) -> Vec<bool> {
    let mut spans = minted.iter().peekable();
    let gone = groups
        .iter()
        .map(|group| {
            let messages = reading.messages_of(group);
            spans
                .next_if(|(_, span)| {
                    let lines: Vec<&str> = span.split('\n').collect();
                    lines.len() == messages.len()
                        && messages
                            .iter()
                            .zip(&lines)
                            .all(|(at, line)| reading.stands_for(*at, line))
                })
                .is_some()
        })
        .collect();
    if let Some((_, span)) = spans.next() {
        panic!("this span is no group of whole, complete, aged rounds: {span}\n{groups:?}");
    }
    gone
}

/// Walks over input and output at once.
struct Walk<'a> {
    input: &'a str,
    output: &'a str,
    from: usize,
    at: usize,
}

impl<'a> Walk<'a> {
    /// The input up to a place stands in the output, byte for byte.
    fn keep_until(&mut self, place: usize) {
        let kept = &self.input[self.from..place];
        let found = self.output.get(self.at..self.at + kept.len());
        assert_eq!(
            found,
            Some(kept),
            "bytes {}..{place} of the input",
            self.from
        );
        self.from = place;
        self.at += kept.len();
    }

    /// The input up to a place is gone.
    fn drop_until(&mut self, place: usize) {
        self.from = place;
    }

    /// The JSON value that stands here in the output.
    fn value(&mut self) -> &'a str {
        let rest = &self.output[self.at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let value = values.next().expect("a value").expect("valid JSON").get();
        self.at += value.len();
        value
    }

    /// What stands before the next value, and after the last one.
    fn separator(&mut self) -> &'a str {
        let rest = &self.output[self.at..];
        let len = rest
            .find(|c: char| c != ',' && !c.is_ascii_whitespace())
            .expect("a value");
        self.at += len;
        &rest[..len]
    }
}

fn folded(
    reading: &Reading<'_>,
    config: &Config,
    out: &str,
    summary: &Summary,
    gone: &[&Group],
    minted: &[(String, String)],
) -> Vec<Card> {
    let document = reading.text;
    // L4: no document grows.
    assert!(out.len() < document.len(), "the document grew");
    assert!(
        summary.tokens_after <= summary.tokens_before,
        "the estimate grew"
    );
    let new_rounds: usize = gone.iter().map(|group| group.new_rounds).sum();
    assert_eq!(summary.rounds_folded, new_rounds, "rounds_folded");
    assert!(new_rounds >= config.min_rounds.max(1), "min_rounds");
    let won = summary.tokens_before - summary.tokens_after;
    assert!(won >= config.min_reclaim, "min_reclaim: {won}");
    let newest = minted.last().map(|minted| &minted.0);
    assert_eq!(summary.handle.as_ref(), newest, "the newest card's handle");

    // L1, L11: what stays stands as it stood, each card where the first of its
    // messages stood.
    let mut walk = Walk {
        input: document,
        output: out,
        from: 0,
        at: 0,
    };
    let mut cards = Vec::new();
    for (group, (handle, _)) in gone.iter().zip(minted) {
        for (index, at) in reading.messages_of(group).into_iter().enumerate() {
            if index == 0 {
                walk.keep_until(reading.messages[at].start);
                if cards.is_empty() {
                    assert!(
                        summary.prefix_len >= walk.from,
                        "L10: prefix_len {}",
                        summary.prefix_len
                    );
                }
                cards.push(read_card(&mut walk, reading, config, group, handle));
            } else {
                // What goes elsewhere takes the separator before it along.
                walk.keep_until(reading.messages[at - 1].end().max(walk.from));
            }
            walk.drop_until(reading.messages[at].end());
        }
    }
    walk.keep_until(document.len());
    assert_eq!(walk.at, out.len(), "something was added at the end");

    let after = Reading::of(out, Some(reading.wire));
    assert_eq!(
        summary.messages_after,
        after.messages.len(),
        "messages_after"
    );
    let standing = after
        .blocks
        .iter()
        .filter(|block| matches!(block, Block::Card { .. }));
    assert_eq!(summary.cards, standing.count(), "cards");
    cards
}

/// Reads the card that was written here, and checks it.
fn read_card(
    walk: &mut Walk<'_>,
    reading: &Reading<'_>,
    config: &Config,
    group: &Group,
    handle: &str,
) -> Card {
    let began = walk.at;
    let first = walk.value();
    let (card, width) = if config.card == Form::Tool {
        let separator = walk.separator();
        assert_eq!(
            separator.trim(),
            ",",
            "between a card's call and its result"
        );
        let second = walk.value();
        let (call, result) = (value(first), value(second));
        (card::of_call(&call, &result, reading.wire), 2)
    } else {
        let message = value(first);
        let role = message["role"].as_str().unwrap_or_default();
        assert_eq!(
            role == "user",
            config.card == Form::User,
            "the card's role is {role}"
        );
        (card::of_words(&message, reading.wire), 1)
    };
    let written = &walk.output[began..walk.at];
    let card = card.unwrap_or_else(|| panic!("no card: {written}"));

    // L4: no card grows.
    let bytes: usize = {
        let messages = reading.messages_of(group);
        let mut bytes = 0;
        for (index, at) in messages.iter().enumerate() {
            let message = &reading.messages[*at];
            bytes += message.raw.len();
            if index > 0 {
                bytes += message.start - reading.messages[at - 1].end();
            }
        }
        bytes
    };
    let tokens = |bytes: usize| bytes.div_ceil(config.bytes_per_token);
    assert!(
        written.len() < bytes,
        "a card of {} bytes for {bytes}",
        written.len()
    );
    assert!(
        tokens(written.len()) < tokens(bytes),
        "a card that costs more tokens"
    );

    assert_eq!(card.handle, handle);
    assert_eq!(
        written.matches("compaction:").count(),
        width,
        "handles in {written}"
    );
    assert_eq!(card.rounds, group.stands_for, "rounds of {written}");
    let tool = Some(config.fetch_tool.clone()).filter(|tool| !tool.is_empty());
    assert_eq!(card.fetch_tool, tool);

    let known: usize = group
        .blocks
        .iter()
        .map(|block| {
            let first = reading.blocks[*block].messages().start;
            reading
                .card_at(first)
                .map_or(1, |(_, card)| card.lines.len())
        })
        .sum();
    assert_eq!(
        card.lines.len(),
        known.min(config.max_card_lines),
        "lines of {written}"
    );
    check_notes(reading, config, group, &card);
    for line in &card.lines {
        // A call's part and the quoted note beside it.
        let most = 240 + 4 * config.note_chars + "\"\" ".len();
        assert!(line.len() <= most, "a line of {} bytes: {line}", line.len());
        assert!(
            !line.contains(BREAKS) && !line.contains(char::is_control),
            "{line:?}"
        );
        for mark in ["[NEWT FOLDED", "[exact text:", "compaction:"] {
            assert!(!line.contains(mark), "{mark} in {line}");
        }
        let spilled = line
            .split("spill:")
            .skip(1)
            .any(|rest| card::is_handle(&rest.chars().take(1).collect::<String>()));
        assert!(!spilled, "a spill reference in {line}");
    }
    card
}

/// Each line of a round that folds for the first time begins with the words that
/// stood beside its calls, and with no others.
fn check_notes(reading: &Reading<'_>, config: &Config, group: &Group, card: &Card) {
    let mut lines = card.lines.iter().rev();
    for block in group.blocks.iter().rev() {
        let block = &reading.blocks[*block];
        let messages = &reading.messages[block.messages()];
        if let Some((_, older)) = reading.card_at(block.messages().start) {
            // Its newest lines, as far as there is room.
            for line in older.lines.iter().rev() {
                assert!(
                    lines.next().is_none_or(|shown| shown == line),
                    "{line} of an older card"
                );
            }
            continue;
        }
        let Some(line) = lines.next() else { return };
        let prose: Vec<String> = messages
            .iter()
            .flat_map(|message| message.said.prose.clone())
            .collect();
        let Some(note) = one_line::note(&prose, config.note_chars) else {
            continue;
        };
        let calls = line
            .strip_prefix(&note)
            .unwrap_or_else(|| panic!("{note:?} does not begin {line:?}"));
        // A tool may be called anything, a quote first among it.
        let quoted = messages.iter().any(|message| match &message.said.kind {
            Kind::Calls(calls) => calls
                .iter()
                .any(|call| call.name.iter().any(|name| name.contains('"'))),
            _ => false,
        });
        assert!(
            quoted || !calls.starts_with('"'),
            "words that are not the round's: {line:?}"
        );
    }
}
