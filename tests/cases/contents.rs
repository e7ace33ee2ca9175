//! Contents of every odd sort.

use super::*;

#[test]
fn null_empty_and_missing_content_stay_three_things() {
    let message = |text: &str| Turn::Odd(Json::Raw(text.to_owned()));
    let args = "p/".repeat(60);
    let call = |content: &str, id: &str, more: &str| {
        message(&format!(
            r#"{{"role":"assistant"{content},"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"ls","arguments":"{{\"path\":\"{args}\"}}"}}}}]{more}}}"#
        ))
    };
    let result = |id: &str, content: &str| {
        message(&format!(
            r#"{{"role":"tool","tool_call_id":"{id}"{content}}}"#
        ))
    };
    let line = r#","content":"[ls] ran 'x' -> ok, 12 lines output""#;
    let session = [
        user("go"),
        call(r#","content":null"#, "n1", ""),
        result("n1", r#","content":null"#),
        call("", "n2", ""),
        result("n2", line),
        call(
            r#","content":"""#,
            "n3",
            r#","function_call":null,"refusal":null,"audio":null"#,
        ),
        result("n3", line),
        call("", "n4", ""),
        result("n4", ""),
        user("more"),
        assistant("ok"),
    ];
    let (_, folded, _) = run(Dialect::Chat, &session, &config());
    assert_eq!(
        folded.summary.rounds_folded, 2,
        "null and missing are not one line"
    );
    let (_, folded, _) = run(Dialect::Chat, &session, &any());
    assert_eq!(folded.summary.rounds_folded, 4);
}

#[test]
fn a_list_of_one_text_part_is_a_text() {
    let long = "x".repeat(150);
    let line = "[ls] ran 'x' -> ok, 12 lines output";
    let with = |id: &str, texts: &[&str]| {
        let mut round = Round::of(id, "ls", &format!(r#"{{"path":"{long}"}}"#), "");
        round.calls[0].answer.body =
            Body::Parts(texts.iter().map(|text| Literal::plain(text)).collect());
        round
    };
    for dialect in [Dialect::Chat, Dialect::Anthropic, Dialect::Responses] {
        let mut session = vec![user("go")];
        session.extend(turns([
            with("p1", &["line a\nline b", "line c"]),
            with("p2", &[line]),
            with("p3", &[]),
            with("p4", &[line, line]),
        ]));
        session.extend(tail());
        let (_, folded, _) = run(
            dialect,
            &session,
            &Config {
                min_rounds: 1,
                ..config()
            },
        );
        assert_eq!(folded.summary.rounds_eligible, 1, "{dialect:?}");
        let (_, folded, _) = run(dialect, &session, &any());
        assert_eq!(folded.summary.rounds_folded, 4, "{dialect:?}");
        let lines = &folded.cards[0].lines;
        assert!(
            lines[0].ends_with("-> ok, 3 lines"),
            "all parts count: {}",
            lines[0]
        );
        assert!(lines[1].ends_with(line));
        assert!(lines[2].ends_with("-> ok, 0 lines"), "{}", lines[2]);
    }
}

#[test]
fn an_empty_result_is_an_answer() {
    for dialect in transcripts::dialect::DIALECTS {
        let mut session = vec![user("go")];
        let long = format!(r#"{{"path":"{}"}}"#, "p/".repeat(90));
        session.extend(turns(
            ["", " \n", "[]"].map(|said| Round::of("z", "touch", &long, said)),
        ));
        session.extend(tail());
        let (_, folded, _) = run(dialect, &session, &config());
        assert_eq!(
            (folded.summary.verdict, folded.summary.rounds_eligible),
            (Verdict::Nothing, 0)
        );
        let (_, folded, _) = run(dialect, &session, &any());
        assert_eq!(folded.summary.rounds_folded, 3, "{dialect:?}");
    }
}

#[test]
fn pictures_are_counted_and_never_copied_into_a_card() {
    for dialect in [Dialect::Chat, Dialect::Anthropic, Dialect::Responses] {
        let shot = |words: Option<&str>| {
            let mut round = Round::of(
                "im",
                "screenshot",
                &format!(r#"{{"path":"{}"}}"#, "p/".repeat(40)),
                "",
            );
            round.calls[0].answer.body = Body::Image(words.map(Literal::plain));
            round
        };
        let mut session = vec![user("shot")];
        session.extend(turns([shot(Some("1280x720")), shot(None)]));
        session.extend(tail());
        let (_, folded, _) = run(dialect, &session, &any());
        let lines = &folded.cards[0].lines;
        assert!(
            lines[0].ends_with("-> ok, 1 line, 1 image"),
            "{dialect:?}: {}",
            lines[0]
        );
        assert!(
            lines[1].ends_with("-> ok, 1 image"),
            "{dialect:?}: {}",
            lines[1]
        );
        assert!(!folded.document.contains("iVBOR"));
    }
}

#[test]
fn failures_reach_the_card_as_errors() {
    let long = format!(r#"{{"path":"{}"}}"#, "p/".repeat(60));
    for dialect in [Dialect::Anthropic, Dialect::Gemini, Dialect::GeminiSnake] {
        let mut failed = Round::of(
            "e1",
            "edit",
            &long,
            "anchor not found\nline 41 differs\nline 42 differs",
        );
        failed.calls[0].answer.failed = true;
        let mut session = vec![user("go")];
        session.extend(turns([
            failed,
            Round::of("e2", "edit", &long, "applied\n1 hunk\nok"),
        ]));
        session.extend(tail());
        let (_, folded, _) = run(dialect, &session, &any());
        let lines = &folded.cards[0].lines;
        assert!(
            lines[0].contains(" -> error, 3 lines"),
            "{dialect:?}: {}",
            lines[0]
        );
        assert!(
            lines[1].contains(" -> ok, 3 lines"),
            "{dialect:?}: {}",
            lines[1]
        );
    }
    // By its text, only where it begins like a failure or ends with an exit code.
    for (said, word) in [
        ("Error: no such file\nx", "error"),
        ("Traceback (most recent call last):\n  File", "error"),
        ("fatal: not a git repository\nx", "error"),
        ("a\nb\nCommand exited with code 1", "error"),
        ("a\nb\nexit code: 0", "ok"),
        ("a file about errors\nError: none", "ok"),
        ("errors.rs\nerror.rs", "ok"),
        ("0 errors\nx", "ok"),
    ] {
        let mut session = vec![user("go")];
        session.extend(turns([
            Round::of("e1", "run", &long, said),
            done("e2", "ls"),
        ]));
        session.extend(tail());
        let (_, folded, _) = run(Dialect::Chat, &session, &any());
        let line = &folded.cards[0].lines[0];
        assert!(line.contains(&format!(" -> {word}, ")), "{said:?}: {line}");
    }
}

#[test]
fn what_only_looks_like_calls_opens_no_round() {
    let document = r#"[{"role":"user","content":"go"},{"role":"assistant","content":"hi","tool_calls":[]},{"role":"assistant","content":"ho","tool_calls":null},{"role":"assistant","content":"he","tool_calls":"none"},{"role":"assistant","tool_calls":{"id":"o"}},{"role":"assistant","tool_calls":[7]},{"role":"assistant","content":[]},{"role":"model","parts":null},{"type":"function_call_output"},1,"x",null,true,[{"role":"user"}],{},{"role":7},{"content":"no role"}]"#;
    for format in [
        None,
        Some(Wire::Chat),
        Some(Wire::Anthropic),
        Some(Wire::Responses),
        Some(Wire::Gemini),
    ] {
        let config = Config {
            keep_last: 0,
            min_rounds: 1,
            format,
            ..any()
        };
        let folded = judge(document, &config, &mut Mint::new());
        assert_eq!(
            (folded.summary.verdict, folded.summary.messages_before),
            (Verdict::Nothing, 17),
            "{format:?}"
        );
    }
}

#[test]
fn arguments_are_opaque() {
    for dialect in [
        Dialect::Chat,
        Dialect::Responses,
        Dialect::SweAgent,
        Dialect::Legacy,
    ] {
        let broken = [
            "{\"command\":\"cat > f <<EOF\\nfirst and so on and on and on and on",
            "{\"a\":true}{\"a\":true}",
            "",
        ];
        let mut rounds: Vec<Round> = broken
            .map(|arguments| {
                Round::of(
                    "j",
                    "bash",
                    arguments,
                    &format!("[bash] ran '{}' -> ok, 12 lines output", "x".repeat(90)),
                )
            })
            .into();
        rounds.push(Round::of("kept", "bash", broken[0], "a\nb"));
        let mut session = vec![user("go")];
        session.extend(turns(rounds));
        session.extend(tail());
        let (_, folded, mint) = run(dialect, &session, &config());
        assert_eq!(folded.summary.rounds_folded, 3, "{dialect:?}");
        let written = Literal::plain(broken[0]);
        assert!(
            folded.document.contains(written.as_str())
                && mint.spans[0].1.contains(written.as_str())
        );
    }
}

#[test]
fn a_legacy_function_call_is_a_round() {
    let mut session = beside(vec![]);
    session.insert(3, Turn::Round(done("x", "cat").with(Fault::Abandoned)));
    let (_, folded, _) = run(Dialect::Legacy, &session, &config());
    assert_eq!(folded.summary.rounds_folded, 2);
    assert!(
        folded.document.contains("\"function_call\""),
        "the unanswered one stays"
    );
}

#[test]
fn numbers_escapes_and_key_order_survive_to_the_byte() {
    let numbers = r#"{"id":4617315517961601003,"n":12345678901234567890123,"f":1.10,"e":1E+2,"z":-0,"zf":-0.0,"s":5e-324,"h":1e400,"p":0.1000000000000000055511151231257827}"#;
    for dialect in [Dialect::Anthropic, Dialect::Ollama, Dialect::Gemini] {
        let rounds = [
            Round::of("b1", "sql", numbers, "[sql] ran 'x' -> ok, 12 lines output"),
            Round::of("b2", "sql", numbers, "verbatim\nresult"),
        ];
        let mut session = beside(vec![]);
        session.splice(3..3, turns(rounds));
        let (_, folded, mint) = run(dialect, &session, &config());
        assert_eq!(folded.summary.rounds_folded, 3, "{dialect:?}");
        assert!(mint.spans[0].1.contains(numbers), "in the span");
        assert!(folded.document.contains(numbers), "in what stays");
    }
    let kept = "{\"content\":\"caf\\u00e9 \\/ café \\t\",\"role\":\"user\",\"name\":\"zoe\",\"x\":[1,2.50,1E3] , \"role\" : \"user\"}";
    let session = beside(vec![Turn::Odd(Json::Raw(kept.to_owned()))]);
    let (_, folded, _) = run(Dialect::Chat, &session, &config());
    assert!(folded.document.contains(kept));
}

#[test]
fn lone_surrogates_pass_through() {
    let kept = r#"{"role":"user","content":"요약 값\ud912 끝"}"#;
    let result = r#"half \ud83d and low \ude00 and pair \ud83d\ude00 end"#;
    for dialect in transcripts::dialect::DIALECTS {
        let mut round = Round::of("u1", "ask", r#"{"path":"x y"}"#, "");
        round.calls[0].answer.body = Body::Text(Literal::raw(&format!(
            "{}\\n{result}",
            "line\\n".repeat(60)
        )));
        let mut session = beside(vec![Turn::Round(round)]);
        session.insert(0, Turn::Odd(Json::Raw(kept.to_owned())));
        let config = Config {
            format: Some(dialect.wire()),
            result_chars: 80,
            ..any()
        };
        let (_, folded, mint) = run(dialect, &session, &config);
        assert_eq!(folded.summary.rounds_folded, 3, "{dialect:?}");
        assert!(folded.document.contains(kept) && mint.spans[0].1.contains(result));
    }
    // In a card's own line a half becomes U+FFFD.
    let mut session = vec![user("go")];
    session.extend(turns([done("a", "ls"), done("b", "ls")]));
    session.extend(tail());
    let Turn::Round(round) = &mut session[1] else {
        unreachable!()
    };
    round.prose = Some(Literal::raw(r"half \ud83d end"));
    let (_, folded, _) = run(Dialect::Chat, &session, &config());
    assert!(folded.cards[0].lines[0].starts_with("\"half \u{fffd} end\" "));
}

#[test]
fn every_cut_falls_on_a_character() {
    let text = "中語é😀".repeat(60);
    for chars in 0..200 {
        let rounds = [
            Round::of(
                "a",
                "cat",
                &format!(r#"{{"path":"{}{text}"}}"#, "x".repeat(chars % 7)),
                &text,
            )
            .saying(&text),
            Round::of(
                "b",
                &text[..text.floor_char_boundary(60 + chars)],
                "{}",
                &format!("[cat] ran '{}' -> ok, {text}", "y".repeat(chars)),
            ),
        ];
        let mut session = vec![user("go")];
        session.extend(turns(rounds));
        session.extend(tail());
        let config = Config {
            note_chars: chars,
            result_chars: chars,
            ..any()
        };
        let (_, folded, _) = run(Dialect::Chat, &session, &config);
        assert_eq!(folded.summary.rounds_folded, 2);
    }
}

#[test]
fn a_result_of_ten_megabytes_folds_to_a_line() {
    let huge = "line of output\n".repeat(700_000);
    let mut session = vec![user("go")];
    session.extend(turns([Round::of("a", "cat", "{}", &huge), done("b", "ls")]));
    session.extend(tail());
    let document = Document::plain(&session, Dialect::Chat).text;
    let mut spans = Vec::new();
    let (out, summary) = fold(document.as_bytes(), &any(), |span| {
        spans.push(span.len());
        Some("h".to_owned())
    })
    .unwrap();
    assert_eq!(summary.rounds_folded, 2);
    assert!(out.contains("[cat] -> ok, 700000 lines") && out.len() < 1_500);
    assert!(spans[0] > 10_000_000);
}
