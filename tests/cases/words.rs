//! What stands beside calls: prose, reasoning, server tools.

use super::*;

#[test]
fn words_beside_calls_survive_in_the_card() {
    for dialect in transcripts::dialect::DIALECTS {
        let told = "Root cause: the refresh token is compared with == on bytes.";
        let rounds = [
            done("k1", "grep").saying(told),
            done("k2", "ls").saying(""),
            done("k3", "ls"),
        ];
        let mut session = vec![user("why does login fail?")];
        session.extend(turns(rounds));
        session.extend(tail());
        let (_, folded, _) = run(dialect, &session, &config());
        assert_eq!(folded.summary.rounds_folded, 3, "{dialect:?}");
        let lines = &folded.cards[0].lines;
        assert!(
            lines[0].starts_with(&format!("\"{told}\" [grep] ")),
            "{}",
            lines[0]
        );
        assert!(lines[1].starts_with("[ls] ") && lines[2].starts_with("[ls] "));
        // As much of it as is asked for.
        let (_, folded, _) = run(
            dialect,
            &session,
            &Config {
                note_chars: 12,
                ..config()
            },
        );
        assert!(
            folded.cards[0].lines[0].starts_with("\"Root cause:… \"")
                || folded.cards[0].lines[0].starts_with("\"Root cause:…\" "),
            "{}",
            folded.cards[0].lines[0]
        );
        let (_, folded, _) = run(
            dialect,
            &session,
            &Config {
                note_chars: 0,
                ..config()
            },
        );
        assert!(folded.cards[0].lines[0].starts_with("[grep] "));
    }
}

#[test]
fn reasoning_of_the_open_turn_stays_under_assistant_and_tool_cards() {
    for dialect in [
        Dialect::Chat,
        Dialect::Anthropic,
        Dialect::Responses,
        Dialect::Gemini,
        Dialect::GeminiSnake,
    ] {
        let mut session = vec![user("go")];
        session.extend(turns([
            done("d1", "ls").reasoned(),
            done("d2", "cat").reasoned(),
        ]));
        session.extend([assistant("Listed."), user("now fix it")]);
        session.extend(turns([
            done("d3", "edit").reasoned(),
            done("d4", "test").reasoned(),
            done("d5", "test").reasoned(),
        ]));
        for (card, rounds) in [(Form::User, 4), (Form::Assistant, 2), (Form::Tool, 2)] {
            let config = Config {
                keep_last: 2,
                card,
                ..config()
            };
            let (_, folded, _) = run(dialect, &session, &config);
            let last = usize::from(dialect == Dialect::Responses && card == Form::User);
            assert_eq!(
                folded.summary.rounds_folded, rounds,
                "{dialect:?} {card:?} {last}"
            );
        }
        // Once the user has spoken again, the loop is closed.
        session.push(user("thanks"));
        let (_, folded, _) = run(
            dialect,
            &session,
            &Config {
                keep_last: 1,
                card: Form::Tool,
                ..config()
            },
        );
        assert_eq!(folded.summary.rounds_folded, 5, "{dialect:?}");
    }
}

#[test]
fn a_reasoning_item_goes_with_its_call() {
    let mut session = vec![user("go")];
    session.extend(turns([
        done("call_a", "ls").reasoned().saying("Look first."),
        done("call_b", "cat").reasoned(),
    ]));
    session.extend(tail());
    let (_, folded, mint) = run(Dialect::Responses, &session, &config());
    assert_eq!(
        (folded.summary.rounds_folded, folded.summary.messages_after),
        (2, 4)
    );
    assert_eq!(mint.spans[0].1.matches("\"reasoning\"").count(), 2);
    assert!(!folded.document.contains("encrypted_content"));
    // A round that stays keeps its reasoning, an empty summary and all.
    let stays = Round::of("c", "ls", "{}", "a\nb").reasoned();
    stays_beside(Dialect::Responses, vec![Turn::Round(stays)], &config());
}

#[test]
fn thinking_goes_whole_or_not_at_all() {
    let blocks = |thinking: &str, id: &str| {
        let call = format!(
            r#"{{"role":"assistant","content":[{thinking},{{"type":"tool_use","id":"{id}","name":"ls","input":{{"path":"{}"}}}}]}}"#,
            "p/".repeat(40)
        );
        let result = format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"[ls] ran 'x' -> ok, 12 lines output"}}]}}"#
        );
        [Turn::Odd(Json::Raw(call)), Turn::Odd(Json::Raw(result))]
    };
    let mut session = vec![user("go")];
    session.extend(blocks(
        r#"{"type":"thinking","thinking":"list first","signature":"EqQBCkYI"}"#,
        "tu1",
    ));
    session.extend(blocks(
        r#"{"type":"redacted_thinking","data":"EmwKAhgB"}"#,
        "tu2",
    ));
    session.extend(blocks(
        r#"{"type":"thinking","thinking":"","signature":"Eqempty"}"#,
        "tu3",
    ));
    let (_, folded, _) = run(
        Dialect::Anthropic,
        &session,
        &Config {
            keep_last: 1,
            ..config()
        },
    );
    assert_eq!(
        (folded.summary.rounds_folded, folded.summary.messages_after),
        (2, 4)
    );
    assert!(folded.document.contains("Eqempty") && !folded.document.contains("EmwKAhgB"));
}

#[test]
fn server_tools_belong_to_the_message_that_holds_them() {
    let server = r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"a rather long query about the news of the day"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.org","title":"t","encrypted_content":"Eo8B"}]}"#;
    let call = r#"{"type":"tool_use","id":"cl1","name":"save","input":{}}"#;
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"cl1","content":"[save] ran 'x' -> ok, 12 lines output"}]}"#;
    let both = Turn::Odd(Json::Raw(format!(
        r#"{{"role":"assistant","content":[{server},{call}]}}"#
    )));
    let alone = Turn::Odd(Json::Raw(format!(
        r#"{{"role":"assistant","content":[{server}]}}"#
    )));
    let session = [
        user("news?"),
        both,
        Turn::Odd(Json::Raw(result.to_owned())),
        assistant("saved"),
        user("ok"),
    ];
    let (_, folded, mint) = run(
        Dialect::Anthropic,
        &session,
        &Config {
            min_rounds: 1,
            ..config()
        },
    );
    assert_eq!(folded.summary.rounds_folded, 1);
    assert!(mint.spans[0].1.contains(server));
    // By themselves they are no call that waits for an answer.
    stays_beside(Dialect::Anthropic, vec![alone], &config());
}

#[test]
fn rows_of_one_block_each_are_never_half_folded() {
    let row = |role: &str, block: &str| {
        Turn::Odd(Json::Raw(format!(
            r#"{{"role":"{role}","content":[{block}]}}"#
        )))
    };
    let rows = vec![
        row(
            "assistant",
            r#"{"type":"tool_use","id":"a","name":"ls","input":{}}"#,
        ),
        row(
            "assistant",
            r#"{"type":"tool_use","id":"b","name":"ls","input":{}}"#,
        ),
        row(
            "user",
            r#"{"type":"tool_result","tool_use_id":"a","content":"[ls] ran 'x' -> ok, 1 line"}"#,
        ),
        row(
            "user",
            r#"{"type":"tool_result","tool_use_id":"b","content":"[ls] ran 'x' -> ok, 1 line"}"#,
        ),
    ];
    stays_beside(Dialect::Anthropic, rows, &config());
}

#[test]
fn results_mixed_with_a_users_words_keep_their_round() {
    for dialect in [Dialect::Anthropic, Dialect::Gemini, Dialect::GeminiSnake] {
        let mut messages = dialect.write(&[Turn::Round(done("m1", "ls").with(Fault::Abandoned))]);
        let answer = done("m1", "ls").calls[0].answer.clone();
        messages.extend(dialect.write(&[Turn::Mixed(answer, Literal::plain("and use staging"))]));
        stays_beside(
            dialect,
            messages.into_iter().map(Turn::Odd).collect(),
            &config(),
        );
    }
}
