//! Which rounds are whole, and which pairs they make.

use super::*;

#[test]
fn a_parallel_round_that_straddles_the_horizon_stays_whole() {
    for dialect in CHAT_LIKE {
        let mut session = vec![user("read the configs")];
        session.extend(turns([done("c0", "list"), done("c00", "stat")]));
        session.push(Turn::Round(
            done("c1", "read")
                .and(done("c2", "read"))
                .and(done("c3", "read")),
        ));
        session.push(assistant("All three agree."));
        // The horizon lies between the second and the third result.
        let (_, folded, _) = run(dialect, &session, &config());
        assert_eq!(folded.summary.rounds_folded, 2);
        assert_eq!(
            (
                folded.summary.messages_before,
                folded.summary.messages_after
            ),
            (10, 7)
        );
    }
}

#[test]
fn wherever_the_horizon_cuts_nothing_is_left_half() {
    for dialect in transcripts::dialect::DIALECTS {
        let mut session = vec![user("go")];
        session.extend(turns([
            done("a", "ls"),
            done("b", "ls").and(done("c", "ls")).and(done("d", "ls")),
            done("e", "ls"),
        ]));
        session.extend(tail());
        for keep_last in 0..20 {
            run(
                dialect,
                &session,
                &Config {
                    keep_last,
                    min_rounds: 1,
                    ..any()
                },
            );
        }
    }
}

#[test]
fn a_parallel_round_with_one_call_unanswered_stays() {
    for dialect in transcripts::dialect::DIALECTS {
        let round = done("p1", "ssh")
            .and(done("p2", "ssh"))
            .with(Fault::Unanswered);
        let mut stays = vec![Turn::Round(round), user("stop, h2 hangs")];
        if dialect == Dialect::Legacy {
            // One call a message: the whole answer is missing.
            stays.truncate(1);
        }
        stays_beside(dialect, stays, &config());
    }
}

#[test]
fn words_between_a_call_and_its_result_keep_the_round() {
    for dialect in transcripts::dialect::DIALECTS {
        for fault in [Fault::Interrupted, Fault::Commented] {
            stays_beside(
                dialect,
                vec![Turn::Round(done("w1", "deploy").with(fault))],
                &config(),
            );
        }
        let mut parts = dialect.write(&[Turn::Round(done("w1", "crawl"))]);
        parts.insert(
            1,
            dialect
                .write(&[Turn::System(Literal::plain("current time 10:42"))])
                .remove(0),
        );
        stays_beside(
            dialect,
            parts.into_iter().map(Turn::Odd).collect(),
            &config(),
        );
    }
}

#[test]
fn a_result_that_names_another_call_answers_nothing() {
    for dialect in [
        Dialect::Chat,
        Dialect::Anthropic,
        Dialect::Responses,
        Dialect::GeminiSnake,
    ] {
        stays_beside(
            dialect,
            vec![Turn::Round(done("w1", "fetch").with(Fault::Foreign))],
            &config(),
        );
        stays_beside(
            dialect,
            vec![Turn::Round(done("w1", "fetch").with(Fault::Doubled))],
            &config(),
        );
        let orphan = done("w1", "fetch").calls[0].answer.clone();
        stays_beside(dialect, vec![user("so"), Turn::Orphan(orphan)], &config());
    }
}

#[test]
fn ids_that_repeat_between_rounds_pair_inside_each_round() {
    for dialect in [
        Dialect::Chat,
        Dialect::Anthropic,
        Dialect::Responses,
        Dialect::GeminiSnake,
    ] {
        let verbatim = Round::of("call_0", "write_file", "{}", "wrote 3 bytes\nsecond line");
        let mut session = vec![user("go")];
        session.extend(turns([
            done("call_0", "read_file"),
            done("call_0", "read_file"),
            verbatim.clone(),
        ]));
        session.extend(tail());
        let (_, folded, _) = run(dialect, &session, &config());
        assert_eq!(folded.summary.rounds_folded, 2, "{dialect:?}");
        // The round with the verbatim result stays with its own result.
        let kept: Vec<String> = dialect
            .write(&[Turn::Round(verbatim)])
            .iter()
            .map(|m| m.write(transcripts::Layout::Compact))
            .collect();
        assert!(folded.document.contains(&kept.join(",")));
        let (_, folded, _) = run(dialect, &session, &any());
        assert_eq!(folded.summary.rounds_folded, 3, "{dialect:?}");
    }
}

#[test]
fn one_id_for_every_parallel_call_pairs_with_multiplicity() {
    for dialect in [Dialect::Chat, Dialect::Anthropic, Dialect::Responses] {
        let twins = done("call_0", "ls").and(done("call_0", "cat"));
        let (_, folded, _) = run(
            dialect,
            &beside(vec![Turn::Round(twins.clone())]),
            &config(),
        );
        assert_eq!(folded.summary.rounds_folded, 3, "{dialect:?}");
        stays_beside(
            dialect,
            vec![Turn::Round(twins.clone().with(Fault::Unanswered))],
            &config(),
        );
        stays_beside(
            dialect,
            vec![Turn::Round(twins.with(Fault::Doubled))],
            &config(),
        );
    }
}

#[test]
fn results_in_completion_order_are_paired_by_id() {
    for dialect in [
        Dialect::Chat,
        Dialect::Anthropic,
        Dialect::Responses,
        Dialect::GeminiSnake,
    ] {
        let read = |item: &str| {
            let said = format!("[read_item] ran '{item}' -> ok, value-{item}");
            Round::of(item, "read_item", &format!(r#"{{"item":"{item}"}}"#), &said)
        };
        let round = Round {
            rotated: 1,
            ..read("aa").and(read("bb")).and(read("cc"))
        };
        let (_, folded, mint) = run(dialect, &beside(vec![Turn::Round(round)]), &config());
        let line = "[read_item] ran 'aa' -> ok, value-aa | [read_item] ran 'bb' -> ok, value-bb | [read_item] ran 'cc' -> ok, value-cc";
        assert_eq!(folded.cards[0].lines[2], line, "{dialect:?}");
        // The span keeps the order in which they came.
        let span = &mint.spans[0].1;
        assert!(span.find("value-bb").unwrap() < span.find("value-aa").unwrap());
    }
}

#[test]
fn calls_without_ids_pair_by_count_and_position() {
    let city = |city: &str| {
        Round::of(
            "",
            "weather",
            &format!(r#"{{"city":"{city}"}}"#),
            &format!("[weather] ran '{city}' -> ok, 12 lines output"),
        )
    };
    for dialect in [Dialect::Ollama, Dialect::Gemini, Dialect::SweAgent] {
        let mut session = vec![user("weather?")];
        session.extend(turns([
            city("Oslo").and(city("Lima")),
            city("Rome").and(city("Bern")),
        ]));
        session.extend(tail());
        let (_, folded, mint) = run(dialect, &session, &config());
        assert_eq!(folded.summary.rounds_folded, 2, "{dialect:?}");
        assert!(
            folded.cards[0].lines[0]
                .contains("'Oslo' -> ok, 12 lines output | [weather] ran 'Lima'")
        );
        if dialect == Dialect::Ollama {
            // Arguments stay an object, no id is invented.
            assert!(mint.spans[0].1.contains(r#""arguments":{"city":"Oslo"}"#));
            assert!(!mint.spans[0].1.contains("\"id\""));
        }
    }
}

#[test]
fn fewer_responses_than_calls_keep_a_gemini_turn() {
    let short = done("a", "ls")
        .and(done("b", "web_search"))
        .with(Fault::Unanswered);
    stays_beside(Dialect::Gemini, vec![Turn::Round(short)], &config());
}

#[test]
fn an_open_call_at_the_end_stays_last() {
    for dialect in transcripts::dialect::DIALECTS {
        let mut session = vec![user("go")];
        session.extend(turns([
            done("y0", "ls"),
            done("y1", "ls"),
            done("last", "deploy").with(Fault::Abandoned),
        ]));
        let (document, folded, _) = run(
            dialect,
            &session,
            &Config {
                keep_last: 0,
                ..config()
            },
        );
        assert_eq!(folded.summary.rounds_folded, 2);
        let last = Reading::of(&document, Some(dialect.wire()))
            .messages
            .pop()
            .unwrap()
            .raw
            .to_owned();
        assert!(folded.document.ends_with(&format!("{last}]")));
    }
}

#[test]
fn a_tail_longer_than_the_transcript_keeps_everything() {
    let mut session = vec![user("go")];
    session.extend(turns([done("y0", "ls"), done("y1", "ls")]));
    for keep_last in [4, 5, 6, 1_000, u32::MAX as usize, usize::MAX] {
        for min_rounds in [0, 1, 2] {
            let (document, folded, _) = run(
                Dialect::Chat,
                &session,
                &Config {
                    keep_last,
                    min_rounds,
                    ..config()
                },
            );
            let kept = if keep_last == 4 { 1 } else { 0 };
            if kept == 0 {
                assert_eq!(folded.document, document);
            }
        }
    }
    // A min_rounds of 0 is 1.
    for min_rounds in [0, 1] {
        let (_, folded, _) = run(
            Dialect::Chat,
            &session,
            &Config {
                keep_last: 0,
                min_rounds,
                ..config()
            },
        );
        assert_eq!(folded.summary.rounds_folded, 2);
    }
}
