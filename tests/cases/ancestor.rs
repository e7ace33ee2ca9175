//! What the code that this library descends from was asked for.

use super::*;

#[test]
fn two_aged_rounds_become_one_card() {
    let mut session = vec![user("go")];
    session.extend(turns([done("a", "read_file"), done("b", "list_files")]));
    session.extend(tail());
    let (document, folded, mint) = run(Dialect::Chat, &session, &config());
    assert_eq!(
        (
            folded.summary.messages_before,
            folded.summary.messages_after
        ),
        (7, 4)
    );
    assert_eq!(folded.summary.verdict, Verdict::Folded);
    let card = &folded.cards[0];
    assert!(card.lines[0].contains("read_file") && card.lines[1].contains("list_files"));
    // The span is exactly what was removed, the handle the mint's.
    let before = Reading::of(&document, None);
    let removed: Vec<&str> = before.messages[1..5]
        .iter()
        .map(|message| message.raw)
        .collect();
    assert_eq!(mint.spans, [("hq00000z".to_owned(), removed.join("\n"))]);
    assert_eq!(folded.summary.handle.as_deref(), Some("hq00000z"));
}

#[test]
fn a_verbatim_result_never_folds_where_only_one_lined_ones_may() {
    for dialect in transcripts::dialect::DIALECTS {
        let verbatim = Round::of("v", "cat", "{}", &"line\n".repeat(900));
        stays_beside(dialect, vec![Turn::Round(verbatim.clone())], &config());
        if dialect != Dialect::Legacy {
            stays_beside(
                dialect,
                vec![Turn::Round(done("w", "ls").and(verbatim))],
                &config(),
            );
        }
    }
}

#[test]
fn a_gate_that_fails_leaves_the_document_alone() {
    let mut session = vec![user("go"), Turn::Round(done("a", "ls"))];
    session.extend(tail());
    let document = Document::plain(&session, Dialect::Chat).text;
    let verdict = |config: Config| {
        let (out, summary) = fold(document.as_bytes(), &config, |_| {
            panic!("no mint before a gate")
        })
        .unwrap();
        assert_eq!((out, summary.handle), (document.clone(), None));
        summary.verdict
    };
    assert_eq!(verdict(config()), Verdict::Nothing, "fewer than min_rounds");
    let small = Round::of("b", "ls", "{}", "[ls] x -> ok, 1");
    let mut session = vec![user("go"), Turn::Round(small)];
    session.extend(tail());
    let document = Document::plain(&session, Dialect::Chat).text;
    let one = Config {
        min_rounds: 1,
        ..config()
    };
    let (out, summary) = fold(document.as_bytes(), &one, |_| panic!("no card is smaller")).unwrap();
    assert_eq!((out, summary.verdict), (document, Verdict::NotSmaller));
    let document = Document::plain(&beside(vec![]), Dialect::Chat).text;
    let greedy = Config {
        min_reclaim: 10_000,
        ..config()
    };
    let (out, summary) = fold(document.as_bytes(), &greedy, |_| {
        panic!("too little to win")
    })
    .unwrap();
    assert_eq!((out, summary.verdict), (document, Verdict::NotSmaller));
}

#[test]
fn handles_that_turn_out_too_long_undo_the_fold() {
    // Smaller with a handle of 64 bytes, not with one of 256.
    let line = |n: usize| format!("[ls] ran '{}' -> ok, 1 line", "x".repeat(n));
    let tight = (1..200).find_map(|n| {
        let mut session = vec![user("go")];
        session.extend(turns([
            Round::of("a", "ls", "{}", &line(n)),
            Round::of("b", "ls", "{}", "[ls] ran 'y' -> ok, 1 line"),
        ]));
        session.extend(tail());
        let document = Document::plain(&session, Dialect::Chat).text;
        let config = config();
        let planned = newt_fold::Fold::plan(document.as_bytes(), &config).unwrap();
        (planned.spans() == 1).then(|| document.clone())
    });
    let document = tight.expect("a length at which a card is just smaller");
    let (out, summary) = fold(document.as_bytes(), &config(), |_| Some("h".repeat(64))).unwrap();
    assert_eq!(summary.verdict, Verdict::Folded);
    assert!(out.len() < document.len());
    let (out, summary) = fold(document.as_bytes(), &config(), |_| Some("h".repeat(256))).unwrap();
    assert_eq!((out, summary.verdict), (document, Verdict::NotSmaller));
}

#[test]
fn a_long_session_of_scaffolding_falls_to_less_than_half() {
    let mut session = vec![user("go")];
    session.extend((0..175).map(|n| Turn::Round(done(&format!("call_{n}"), "read_file"))));
    session.extend(tail());
    for dialect in transcripts::dialect::DIALECTS {
        let (_, folded, _) = run(dialect, &session, &config());
        let (before, after) = (folded.summary.tokens_before, folded.summary.tokens_after);
        println!("{dialect:?}: 175 rounds, {before} tokens before, {after} after");
        assert_eq!(folded.summary.rounds_folded, 175);
        assert!(after * 2 < before, "{before} -> {after}");
    }
}

#[test]
fn a_picture_counts_at_a_flat_cost() {
    let picture = "iVBORw0KGgo".repeat(20_000);
    let body = |text: &str| {
        format!(
            r#"[{{"role":"user","content":[{{"type":"image_url","image_url":{{"url":"{text}"}}}}]}}]"#
        )
    };
    let tokens =
        |document: &str| newt_fold::estimate(document.as_bytes(), &Config::default()).unwrap();
    let flat = tokens(&body(&format!("data:image/png;base64,{picture}")));
    assert!((1_600..1_700).contains(&flat), "{flat}");
    // The same bytes that are no picture count in full.
    assert!(tokens(&body(&picture)) > 50_000);
}
