//! Shared inputs, where they are at hand.

use super::*;

/// Answers of one call on a file of the shared cases: `Ok(rounds, cards)` or
/// the refusal and its byte.
type Expected = Result<(usize, usize), (ErrorKind, usize)>;

/// keep_last, min_rounds, results, and what comes out.
const SHARED: [(&str, usize, usize, Results, Expected); 66] = {
    use ErrorKind::{Json, Utf8};
    use Results::{Any, OneLined};
    [
        ("01-round-straddles-horizon", 2, 2, OneLined, Ok((2, 1))),
        ("01-round-straddles-horizon", 2, 2, Any, Ok((2, 1))),
        ("02-parallel-one-unanswered", 2, 2, OneLined, Ok((2, 1))),
        ("02-parallel-one-unanswered", 2, 2, Any, Ok((2, 1))),
        (
            "04-text-assistant-between-call-and-result",
            2,
            2,
            OneLined,
            Ok((2, 1)),
        ),
        (
            "04-text-assistant-between-call-and-result",
            2,
            2,
            Any,
            Ok((2, 1)),
        ),
        (
            "05-user-steer-between-call-and-result",
            2,
            2,
            OneLined,
            Ok((2, 1)),
        ),
        (
            "05-user-steer-between-call-and-result",
            2,
            2,
            Any,
            Ok((2, 1)),
        ),
        (
            "06-system-between-call-and-result",
            2,
            2,
            OneLined,
            Ok((2, 1)),
        ),
        ("06-system-between-call-and-result", 2, 2, Any, Ok((2, 1))),
        ("07-foreign-result-in-round", 2, 2, OneLined, Ok((2, 1))),
        ("07-foreign-result-in-round", 2, 2, Any, Ok((2, 1))),
        ("08-duplicate-ids-across-rounds", 2, 2, OneLined, Ok((2, 1))),
        ("08-duplicate-ids-across-rounds", 2, 2, Any, Ok((3, 1))),
        // `-> value-b` is no line of the grammar, so in ONE_LINED one round is left.
        ("11-results-in-completion-order", 2, 2, OneLined, Ok((0, 0))),
        ("11-results-in-completion-order", 2, 2, Any, Ok((2, 1))),
        ("12-ollama-no-ids-same-name", 2, 2, OneLined, Ok((2, 1))),
        ("12-ollama-no-ids-same-name", 2, 2, Any, Ok((2, 1))),
        (
            "14-gemini-call-response-count-mismatch",
            2,
            2,
            OneLined,
            Ok((2, 1)),
        ),
        (
            "14-gemini-call-response-count-mismatch",
            2,
            2,
            Any,
            Ok((2, 1)),
        ),
        (
            "16-responses-reasoning-before-call",
            2,
            2,
            OneLined,
            Ok((2, 1)),
        ),
        ("16-responses-reasoning-before-call", 2, 2, Any, Ok((2, 1))),
        ("19-text-beside-tool-calls", 2, 2, OneLined, Ok((3, 1))),
        ("19-text-beside-tool-calls", 2, 2, Any, Ok((3, 1))),
        // The round behind the last user's message goes into a USER card, which
        // begins a turn.
        (
            "20-reasoning-content-beside-calls",
            2,
            2,
            OneLined,
            Ok((3, 2)),
        ),
        ("20-reasoning-content-beside-calls", 2, 2, Any, Ok((3, 2))),
        (
            "21-thinking-signature-beside-tool-use",
            1,
            2,
            OneLined,
            Ok((2, 1)),
        ),
        ("23-server-tool-use-pair", 2, 1, OneLined, Ok((1, 1))),
        (
            "25-chronology-user-correction-between-rounds",
            2,
            2,
            OneLined,
            Ok((3, 2)),
        ),
        (
            "25-chronology-user-correction-between-rounds",
            2,
            2,
            Any,
            Ok((3, 2)),
        ),
        ("26-card-role-alternation", 3, 2, OneLined, Ok((2, 1))),
        ("26-card-role-alternation", 3, 2, Any, Ok((2, 1))),
        (
            "27-card-mistaken-for-user-words",
            2,
            2,
            OneLined,
            Ok((2, 1)),
        ),
        (
            "28-one-liner-injection-into-card",
            2,
            2,
            OneLined,
            Ok((2, 1)),
        ),
        ("28-one-liner-injection-into-card", 2, 2, Any, Ok((3, 1))),
        ("31-stable-prefix-step1", 2, 2, OneLined, Ok((6, 1))),
        ("32-stable-prefix-step2", 2, 2, OneLined, Ok((7, 1))),
        // The card there is another library's: words.
        ("33-chained-folds", 2, 2, OneLined, Ok((2, 1))),
        ("33-chained-folds", 2, 2, Any, Ok((2, 1))),
        ("34-content-null-and-missing", 2, 2, OneLined, Ok((2, 1))),
        ("34-content-null-and-missing", 2, 2, Any, Ok((3, 1))),
        ("35-tool-content-array-of-parts", 2, 2, OneLined, Ok((0, 0))),
        ("35-tool-content-array-of-parts", 2, 2, Any, Ok((3, 1))),
        ("38-empty-results", 2, 2, OneLined, Ok((0, 0))),
        ("38-empty-results", 2, 2, Any, Ok((3, 1))),
        ("39-empty-tool-calls-array", 2, 2, Any, Ok((0, 0))),
        ("40-legacy-function-call", 2, 2, OneLined, Ok((2, 1))),
        ("41-arguments-broken-json", 2, 2, OneLined, Ok((3, 1))),
        (
            "44-swe-agent-tool-call-ids-plural",
            2,
            2,
            OneLined,
            Ok((2, 1)),
        ),
        ("46-big-and-odd-numbers", 2, 2, OneLined, Ok((2, 1))),
        // Its one one-lined round is smaller than a card.
        ("48-lone-surrogates", 2, 2, OneLined, Ok((0, 0))),
        ("48-lone-surrogates", 2, 2, Any, Ok((2, 1))),
        ("53-bom", 2, 2, OneLined, Ok((2, 1))),
        ("54-trailing-comma", 2, 2, OneLined, Err((Json, 68))),
        ("56-nul-run-in-the-middle", 2, 2, OneLined, Err((Json, 32))),
        ("57-jsonl-instead-of-array", 2, 2, OneLined, Err((Json, 31))),
        ("58-wrapped-root", 2, 2, OneLined, Ok((0, 0))),
        ("59-array-of-non-objects", 0, 1, OneLined, Ok((0, 0))),
        ("61-deep-nesting", 2, 1, OneLined, Ok((1, 1))),
        ("62-nan-infinity", 2, 2, OneLined, Err((Json, 116))),
        ("63-invalid-utf8", 2, 2, OneLined, Err((Utf8, 30))),
        (
            "64-unanswered-last-round-keep-zero",
            0,
            2,
            OneLined,
            Ok((2, 1)),
        ),
        (
            "65-keep-last-larger-than-transcript",
            usize::MAX,
            0,
            OneLined,
            Ok((0, 0)),
        ),
        (
            "65-keep-last-larger-than-transcript",
            5,
            0,
            OneLined,
            Ok((0, 0)),
        ),
        ("52-huge-tool-result", 2, 2, Any, Ok((2, 1))),
        ("49-multibyte-at-cut-point", 2, 2, Any, Ok((2, 1))),
    ]
};

#[test]
fn the_shared_cases_give_what_their_index_says() {
    let Some(folder) = shared::folder("cases") else {
        return;
    };
    for (name, keep_last, min_rounds, results, expected) in SHARED {
        let document = std::fs::read(folder.join(format!("{name}.json"))).expect(name);
        let config = Config {
            keep_last,
            min_rounds,
            results,
            ..Config::default()
        };
        let outcome = fold(&document, &config, |_| Some("hq00000z".to_owned()));
        let outcome = match outcome {
            Ok((_, summary)) => Ok((summary.rounds_folded, summary.cards)),
            Err(error) => Err((error.kind, error.offset.unwrap_or(usize::MAX))),
        };
        assert_eq!(outcome, expected, "{name} {results:?}");
        // serde_json's tree has a limit of its own, far below this nesting.
        if let (Ok(_), Ok(text), false) = (
            &outcome,
            std::str::from_utf8(&document),
            name.starts_with("61"),
        ) {
            for card in [Form::User, Form::Assistant, Form::Tool] {
                for grouping in [Grouping::Runs, Grouping::All] {
                    judge(
                        text,
                        &Config {
                            card,
                            grouping,
                            ..config.clone()
                        },
                        &mut Mint::new(),
                    );
                }
            }
        }
    }
}

/// Every real transcript at hand, under many configurations.
#[test]
fn real_transcripts_keep_every_law() {
    for (name, document) in shared::files("transcripts") {
        let Ok(text) = std::str::from_utf8(&document) else {
            continue;
        };
        // Pictures make the estimate another than bytes; the judge knows none.
        if !text.starts_with('[') || text.len() > 120_000 {
            continue;
        }
        println!("{name}");
        for (keep_last, min_rounds) in [(12, 2), (0, 1), (3, 2), (7, 5)] {
            for results in [Results::OneLined, Results::Any] {
                for grouping in [Grouping::Runs, Grouping::All] {
                    for card in [Form::User, Form::Assistant, Form::Tool] {
                        let config = Config {
                            keep_last,
                            min_rounds,
                            results,
                            grouping,
                            card,
                            ..Config::default()
                        };
                        let mut mint = Mint::new();
                        let once = judge(text, &config, &mut mint);
                        let twice = judge(&once.document, &config, &mut mint);
                        assert_eq!(twice.document, once.document);
                    }
                }
            }
        }
    }
}

/// The numbers to reach on the longest real session, and the same in its other
/// envelopes.
#[test]
fn the_long_real_session_reaches_its_numbers() {
    let Some(folder) = shared::folder("transcripts/pi-mono") else {
        return;
    };
    let read = |name: &str| {
        std::fs::read(folder.join(format!("large-session.derived-{name}.json"))).expect(name)
    };
    for (grouping, most) in [(Grouping::Runs, 38_000), (Grouping::All, 24_500)] {
        let mut chat = None;
        for name in ["openai-chat", "ollama", "anthropic", "responses", "gemini"] {
            let document = read(name);
            let config = |keep_last| Config {
                keep_last,
                results: Results::Any,
                grouping,
                ..Config::default()
            };
            let run = |keep_last| {
                fold(&document, &config(keep_last), |_| {
                    Some("h7q2kx3m".to_owned())
                })
                .unwrap()
                .1
            };
            // The same rounds are aged where the same number of them folds.
            let wanted = chat.get_or_insert_with(|| run(12)).rounds_folded;
            let summary = (0..40)
                .map(run)
                .find(|summary| summary.rounds_folded == wanted);
            let summary = summary.expect("a tail that ages the same rounds");
            println!(
                "{grouping:?} {name}: {} rounds, {} -> {} tokens",
                summary.rounds_folded, summary.tokens_before, summary.tokens_after
            );
            if name == "openai-chat" {
                assert!(summary.tokens_after <= most, "{}", summary.tokens_after);
            }
            let first = chat.as_ref().expect("chat comes first").tokens_after;
            let apart = summary.tokens_after.abs_diff(first);
            // In ALL grouping hardly anything is left but messages that never
            // fold, whose envelopes are what tells the formats apart.
            let percent = if grouping == Grouping::All { 15 } else { 10 };
            assert!(
                apart * 100 <= first * percent,
                "{name}: {} against {first}",
                summary.tokens_after
            );
        }
    }
}

/// JSONTestSuite: whatever is JSON is a transcript or none, whatever is not is
/// refused, and what implementations may decide is decided as documented.
#[test]
fn the_json_test_suite_is_answered() {
    for (name, document) in shared::files("JSONTestSuite/test_parsing") {
        let outcome = fold(&document, &Config::default(), |_| None);
        let kind = outcome.as_ref().err().map(|error| error.kind);
        match &name[..1] {
            "y" => assert!(
                matches!(kind, None | Some(ErrorKind::Transcript)),
                "{name}: {kind:?}"
            ),
            "n" => assert!(
                matches!(
                    kind,
                    Some(ErrorKind::Utf8 | ErrorKind::Json | ErrorKind::Limit)
                ),
                "{name}: {kind:?}"
            ),
            _ => {
                // Numbers of any size, lone surrogates, a byte-order mark and any
                // depth are taken; what is not UTF-8 is not.
                let utf8 = std::str::from_utf8(&document).is_ok();
                let expected = if utf8 { None } else { Some(ErrorKind::Utf8) };
                assert_eq!(
                    kind.filter(|kind| *kind != ErrorKind::Transcript),
                    expected,
                    "{name}"
                );
            }
        }
        if let Ok((out, _)) = outcome {
            assert_eq!(out.as_bytes(), document, "{name}");
        }
    }
}
