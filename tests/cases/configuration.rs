//! What a caller may ask for.

use super::*;

#[test]
fn kept_tools_fresh_answers_and_pending_rounds_stay() {
    for dialect in transcripts::dialect::DIALECTS {
        let keep = Config {
            keep_tools: vec!["todo".to_owned()],
            ..config()
        };
        stays_beside(dialect, vec![Turn::Round(done("t", "todo"))], &keep);
        // An answer of the fetch tool is fresh in the last keep_last * 2 messages.
        stays_beside(
            dialect,
            vec![Turn::Round(done("m", "memory_fetch"))],
            &config(),
        );
        let mut session = vec![user("go")];
        session.extend(turns([
            done("m", "memory_fetch"),
            done("a", "ls"),
            done("b", "ls"),
        ]));
        session.extend(tail());
        let (_, folded, _) = run(dialect, &session, &config());
        assert_eq!(folded.summary.rounds_folded, 3, "{dialect:?}: old by now");
    }
    let pending = r#"{"type":"function_call","call_id":"p","name":"deploy","arguments":"{}","status":"in_progress"}"#;
    let output = r#"{"type":"function_call_output","call_id":"p","output":"[deploy] ran 'x' -> ok, 1 line"}"#;
    let stays = [pending, output].map(|raw| Turn::Odd(Json::Raw(raw.to_owned())));
    stays_beside(Dialect::Responses, stays.into(), &config());
}

#[test]
fn older_lines_become_one_tally() {
    let mut session = vec![user("go")];
    session.extend((0..10).map(|n| Turn::Round(done(&format!("r{n}"), "ls"))));
    session.extend(tail());
    for max_card_lines in 1..12 {
        let (_, folded, _) = run(
            Dialect::Chat,
            &session,
            &Config {
                max_card_lines,
                ..config()
            },
        );
        let card = &folded.cards[0];
        let shown = max_card_lines.min(10);
        assert_eq!(
            (card.rounds, card.older, card.lines.len()),
            (10, 10 - shown, shown)
        );
        assert!(
            card.lines.last().unwrap().contains("/r9'"),
            "the newest are shown"
        );
    }
}

#[test]
fn a_short_result_is_shown_whole_if_asked_for() {
    let mut session = vec![user("go")];
    let long = format!(r#"{{"x":"{}"}}"#, "p/".repeat(40));
    session.extend(turns([
        Round::of("a", "pwd", &long, "/srv/app"),
        Round::of("b", "cat", &long, "a\nb"),
    ]));
    session.extend(tail());
    let line = |result_chars: usize| {
        let (_, folded, _) = run(
            Dialect::Chat,
            &session,
            &Config {
                result_chars,
                ..any()
            },
        );
        folded.cards[0].lines[0].clone()
    };
    assert!(line(0).ends_with(" -> ok, 1 line"));
    assert!(line(7).ends_with(" -> ok, 1 line"));
    assert!(line(8).ends_with(" -> ok, 1 line: /srv/app"));
}

#[test]
fn more_than_six_parallel_calls_are_counted() {
    let many = (0..9)
        .map(|n| done(&format!("c{n}"), "ls"))
        .reduce(Round::and)
        .unwrap();
    let mut session = vec![user("go"), Turn::Round(many), Turn::Round(done("x", "ls"))];
    session.extend(tail());
    let (_, folded, _) = run(Dialect::Chat, &session, &config());
    let line = &folded.cards[0].lines[0];
    assert!(
        line.ends_with(" | +3 more") && line.matches(" | ").count() == 6,
        "{line}"
    );
    assert!(line.len() <= 240);
}

#[test]
fn a_name_is_written_only_where_its_results_tag_does_not_say_it() {
    let mut session = vec![user("go")];
    let said = format!("[files] ran '{}' -> ok, 12 lines", "x".repeat(100));
    session.extend(turns([
        Round::of("a", "list", "{}", &said),
        Round::of("b", "files", "{}", &said),
    ]));
    session.extend(tail());
    let (_, folded, _) = run(Dialect::Chat, &session, &config());
    assert_eq!(folded.cards[0].lines, [format!("list → {said}"), said]);
}

#[test]
fn the_most_telling_argument_is_named() {
    for (arguments, clause) in [
        (r#"{"limit":5,"path":"src/lib.rs"}"#, "path 'src/lib.rs'"),
        (
            r#"{"description":"x","command":"npm test"}"#,
            "command 'npm test'",
        ),
        (r#"{"top":3,"query":"fold"}"#, "query 'fold'"),
        (r#"{"a":1,"b":"first","c":"second"}"#, "b 'first'"),
        (r#"{"a":1,"b":[2]}"#, r#"{"a":1,"b":[2]}"#),
        (r#"{"path":"first","path":"last"}"#, "path 'last'"),
        (
            r#"{"path":"a","file":"f","path":null,"command":"c","command":null,"command":"d"}"#,
            "file 'f'",
        ),
    ] {
        let result = format!("{}\n", "line\n".repeat(60));
        let mut session = vec![user("go")];
        session.extend(turns([
            Round::of("a", "tool", arguments, &result),
            done("b", "ls"),
        ]));
        session.extend(tail());
        for dialect in transcripts::dialect::DIALECTS {
            let (_, folded, _) = run(dialect, &session, &any());
            let line = &folded.cards[0].lines[0];
            assert_eq!(
                *line,
                format!("[tool] {clause} -> ok, 61 lines"),
                "{dialect:?}"
            );
        }
    }
}

#[test]
fn an_argument_without_room_leaves_no_gap() {
    let mut session = vec![user("go")];
    session.extend(turns([
        Round::of("a", "tool", r#"{"path":1}"#, &"x".repeat(215)),
        done("b", "ls"),
    ]));
    session.extend(tail());
    let config = Config {
        result_chars: 300,
        ..any()
    };
    let (_, folded, _) = run(Dialect::Chat, &session, &config);
    let line = &folded.cards[0].lines[0];
    assert!(line.starts_with("[tool] -> ok, 1 line: xxx"), "{line}");
}

#[test]
fn one_lined_text_is_recognised_however_it_is_encoded() {
    let path = "p/".repeat(60);
    for written in [
        format!(r"[ls] ran '{path}' -\u003e ok, 12 lines output"),
        format!(
            r"[ls] ran '{}' -> error, 12 lines",
            path.replace('/', r"\/")
        ),
        format!(r"\u005bls] ran '{path}' \u002d\u003e ok\u002c 12 lines"),
    ] {
        for dialect in transcripts::dialect::DIALECTS {
            let round = |id: &str| {
                let mut round = Round::of(id, "ls", &format!(r#"{{"path":"{path}"}}"#), "");
                round.calls[0].answer.body = Body::Text(Literal::raw(&written));
                round
            };
            let mut session = vec![user("go")];
            session.extend(turns([round("a"), round("b")]));
            session.extend(tail());
            let (_, folded, _) = run(dialect, &session, &config());
            assert_eq!(folded.summary.rounds_folded, 2, "{dialect:?} {written}");
        }
    }
    for not_one_line in [
        "[ls] ran 'x' -> ok, a\\nb",
        "[ls] ran 'x' -> ok, a\\u2028b",
        "[ls] ran 'x' -> ok, a\\u0085",
        "[ls] ran 'x' -> fine, 1",
        "ls ran 'x' -> ok, 1",
        "[ls]x -> ok, 1",
    ] {
        let mut round = done("a", "ls");
        round.calls[0].answer.body = Body::Text(Literal::raw(not_one_line));
        stays_beside(Dialect::Chat, vec![Turn::Round(round)], &config());
    }
}
