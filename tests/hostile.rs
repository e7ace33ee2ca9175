//! What hostile or unlucky transcripts once broke, each the smallest that did.

use newt_fold::{Config, ErrorKind, Fold, Form, Results, Verdict, expand, fold, prune};
use serde_json::{Value, json};
use std::cell::RefCell;

/// A mint that remembers its spans.
#[derive(Default)]
struct Spans(RefCell<Vec<String>>);

impl Spans {
    fn take(&self, span: &str) -> Option<String> {
        let mut spans = self.0.borrow_mut();
        spans.push(span.to_owned());
        Some(format!("h{:07}", spans.len() - 1))
    }

    fn fetch(&self, handle: &str) -> Option<String> {
        let place: usize = handle.strip_prefix('h')?.parse().ok()?;
        self.0.borrow().get(place).cloned()
    }
}

fn any() -> Config {
    Config {
        keep_last: 0,
        min_rounds: 1,
        results: Results::Any,
        ..Config::default()
    }
}

fn long() -> String {
    "a line\n".repeat(400)
}

/// A chat round: the call and its result.
fn chat(id: &str, name: &str, arguments: Value, result: &str) -> [Value; 2] {
    [
        json!({"role": "assistant", "content": "", "tool_calls": [{"id": id, "type": "function",
            "function": {"name": name, "arguments": arguments.to_string()}}]}),
        json!({"role": "tool", "tool_call_id": id, "content": result}),
    ]
}

/// The same of OpenAI responses.
fn responses(id: &str, result: &str) -> [Value; 2] {
    [
        json!({"type": "function_call", "call_id": id, "name": "bash", "arguments": "{}"}),
        json!({"type": "function_call_output", "call_id": id, "output": result}),
    ]
}

/// The same of Anthropic.
fn anthropic(id: &str, result: &str) -> [Value; 2] {
    [
        json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": "bash", "input": {}}]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": result}]}),
    ]
}

fn document(messages: impl IntoIterator<Item = Value>) -> String {
    Value::from_iter(messages).to_string()
}

#[test]
fn what_is_said_after_the_last_round_stays_out_of_its_card() {
    let answer = json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": "THE ANSWER"}]});
    let text = document(responses("a", &long()).into_iter().chain([answer]));
    let (out, summary) = fold(text.as_bytes(), &any(), |_| Some("h".into())).unwrap();
    assert_eq!(summary.verdict, Verdict::Folded);
    assert_eq!(out.matches("THE ANSWER").count(), 1, "{out}");
}

#[test]
fn a_document_of_nothing_but_cards_is_expanded_in_the_format_of_its_spans() {
    let rounds = |from: usize| -> Vec<Vec<Value>> {
        let ids = (from..from + 2).map(|id| id.to_string());
        let ids: Vec<String> = ids.collect();
        vec![
            ids.iter().flat_map(|id| responses(id, &long())).collect(),
            ids.iter().flat_map(|id| anthropic(id, &long())).collect(),
        ]
    };
    for dialect in 0..2 {
        for forms in [[Form::Tool, Form::User], [Form::User, Form::Tool]] {
            let user = json!({"role": "user", "content": "begin"});
            let mut whole = vec![user.clone()];
            let mut folded = vec![user];
            let spans = Spans::default();
            for (turn, form) in forms.into_iter().chain([Form::User]).enumerate() {
                let new = &rounds(2 * turn)[dialect];
                whole.extend(new.iter().cloned());
                folded.extend(new.iter().cloned());
                let config = Config {
                    card: form,
                    ..any()
                };
                let text = document(folded);
                let (out, _) = fold(text.as_bytes(), &config, |span| spans.take(span)).unwrap();
                folded = serde_json::from_str(&out).unwrap();
            }
            assert_eq!(folded.len(), 2);
            let text = document(folded);
            let (out, _) = expand(text.as_bytes(), &any(), |h| spans.fetch(h)).unwrap();
            assert_eq!(serde_json::from_str::<Vec<Value>>(&out).unwrap(), whole);
        }
    }
}

/// What comes back is what was, and as heavy as the estimate says.
fn assert_restored(folded: &str, spans: &Spans, whole: &str) {
    let (out, summary) = expand(folded.as_bytes(), &any(), |h| spans.fetch(h)).unwrap();
    assert_eq!(out, whole);
    let estimate = newt_fold::estimate(out.as_bytes(), &any()).unwrap();
    assert_eq!(summary.tokens_after, estimate);
}

#[test]
fn words_about_a_spill_are_no_spill() {
    let round = chat("a", "bash", json!({"command": "ls"}), &long());
    let fetch = json!({"address": "(spill:h0000000#1)"});
    let fetch = chat("b", "memory_fetch", fetch, "none");
    let quote = chat("c", "bash", json!({}), "it is short now (spill:h0000000#1)");
    let begin = json!({"role": "user", "content": "begin"});
    let whole = document([begin].into_iter().chain(round).chain(fetch).chain(quote));
    let config = Config {
        keep_last: 4,
        ..any()
    };

    let spans = Spans::default();
    let (out, summary) = fold(whole.as_bytes(), &config, |s| spans.take(s)).unwrap();
    assert_eq!(summary.verdict, Verdict::Folded);
    assert_restored(&out, &spans, &whole);

    let spans = Spans::default();
    let (out, summary) = prune(whole.as_bytes(), &config, |s| spans.take(s)).unwrap();
    assert_eq!(summary.verdict, Verdict::Folded);
    assert_restored(&out, &spans, &whole);
}

#[test]
fn arguments_that_cannot_be_told_from_shortened_ones_stay_whole() {
    let spans = Spans::default();
    let arguments = json!({"code": "cut… (spill:elsewhere#3)", "text": "x".repeat(600)});
    let whole = document(chat("a", "bash", arguments, &long()));
    let config = Config {
        shorten_arguments: true,
        ..any()
    };
    let (out, _) = prune(whole.as_bytes(), &config, |span| spans.take(span)).unwrap();
    assert!(out.contains(&"x".repeat(600)));
    assert_restored(&out, &spans, &whole);
}

#[test]
fn pruning_again_changes_nothing_at_any_length() {
    for length in 1..160 {
        for shorten_arguments in [false, true] {
            let result = "y\n".repeat(length);
            let rounds =
                ["a", "b"].map(|id| chat(id, "bash", json!({"command": "z".repeat(300)}), &result));
            let whole = document(rounds.into_iter().flatten());
            let spans = Spans::default();
            let config = Config {
                shorten_arguments,
                ..any()
            };
            let (once, _) = prune(whole.as_bytes(), &config, |s| spans.take(s)).unwrap();
            let (twice, _) = prune(once.as_bytes(), &config, |s| spans.take(s)).unwrap();
            assert_eq!(once, twice, "{length} lines, {shorten_arguments}");
            assert_restored(&twice, &spans, &whole);
        }
    }
}

#[test]
fn pictures_beside_a_shortened_string_keep_their_weight() {
    let picture = "A".repeat(100_000);
    let text = format!(
        r#"[{{"role":"assistant","tool_calls":[{{"id":"a","function":{{"name":"x","arguments":{{"data":"{picture}","z":"… (spill:h#1)"}}}}}}]}}]"#
    );
    let (out, summary) = expand(text.as_bytes(), &any(), |_| Some("{}".into())).unwrap();
    let estimate = newt_fold::estimate(out.as_bytes(), &any()).unwrap();
    assert_eq!(summary.tokens_after, estimate);
}

#[test]
fn a_message_weighs_the_same_whatever_stands_before_it() {
    let [call, mut result] = chat("a", "bash", json!({}), &long());
    result["z"] = json!({"data": 1});
    let text = document([call, result, json!("A".repeat(20_000))]);
    let config = Config {
        keep_last: 1,
        ..any()
    };
    let (out, summary) = fold(text.as_bytes(), &config, |_| Some("h".into())).unwrap();
    assert_eq!(summary.verdict, Verdict::Folded);
    let estimate = newt_fold::estimate(out.as_bytes(), &any()).unwrap();
    assert_eq!(summary.tokens_after, estimate);
}

/// Quadratic, each of these takes minutes.
#[test]
fn lines_are_written_in_linear_time() {
    let config = Config {
        note_chars: usize::MAX,
        ..any()
    };
    for mark in [
        "[NEWT FOLDED ",
        "compaction:a ",
        "spill:a ",
        "x (spill:a#1)",
    ] {
        let [mut call, result] = chat("a", "bash", json!({}), &long());
        call["content"] = mark.repeat(100_000).into();
        let text = document([call, result]);
        fold(text.as_bytes(), &config, |_| Some("h".into())).unwrap();
    }
    let [call, mut result] = chat("a", "bash", json!({}), "");
    result["content"] = (0..200_000)
        .map(|n| json!({"type": format!("t{n}")}))
        .collect();
    let text = document([call, result]);
    fold(text.as_bytes(), &any(), |_| Some("h".into())).unwrap();
}

#[test]
fn of_two_members_of_one_name_the_last_one_counts() {
    let config = Config::default();
    let whole = |document: &str| fold(document.as_bytes(), &config, |_| None);
    for (document, messages) in [
        (r#"{"messages":5,"messages":[{}]}"#, 1),
        (r#"{"messages":[{},{}],"messages":[]}"#, 0),
        (r#"{"input":{},"input":"hi","model":"m"}"#, 0),
    ] {
        let (out, summary) = whole(document).unwrap();
        assert_eq!(
            (out.as_str(), summary.messages_before),
            (document, messages)
        );
    }
    let error = whole(r#"{"messages":[{}],"messages":5}"#).unwrap_err();
    assert_eq!(error.offset, Some(28));
}

#[test]
fn pictures_beside_a_gemini_response_go_with_it_and_come_back() {
    let picture = format!(
        r#"[{{"inlineData":{{"mimeType":"image/png","data":"{}"}}}}]"#,
        "iVBORw0KGgo".repeat(200)
    );
    let response = format!(r#"{{"output":"{}"}}"#, "a line of output\\n".repeat(40));
    let round = |inside: &str| {
        format!(
            r#"{{"role":"model","parts":[{{"functionCall":{{"name":"shot","args":{{}}}}}}]}},{{"role":"user","parts":[{{"functionResponse":{{"name":"shot",{inside}}}}}]}}"#
        )
    };
    // Pictures before the response, behind it, none, an empty list, and
    // pictures that are nearly all there is.
    let rounds = [
        round(&format!(r#""parts":{picture},"response":{response}"#)),
        round(&format!(r#""response":{response},"parts":{picture}"#)),
        round(&format!(r#""response":{response}"#)),
        round(&format!(r#""response":{response},"parts":[]"#)),
        round(&format!(
            r#""response":{{"output":"1280x720"}},"parts":{picture}"#
        )),
    ];
    let document = format!("[{}]", rounds.join(","));
    let config = Config {
        keep_last: 0,
        min_rounds: 1,
        results: Results::Any,
        ..Config::default()
    };
    let mut kept = String::new();
    let (out, summary) = prune(document.as_bytes(), &config, |span| {
        kept = span.to_owned();
        Some("hq00001z".to_owned())
    })
    .unwrap();
    assert_eq!(summary.rounds_folded, 4, "an empty list is let be");
    assert!(!out.contains("iVBORw0KGgo"));
    assert!(
        out.contains("-> ok, 40 lines, 1 image (spill:hq00001z#1)"),
        "{out}"
    );
    let estimate = newt_fold::estimate(out.as_bytes(), &config).unwrap();
    assert_eq!(summary.tokens_after, estimate);
    let (again, twice) = prune(out.as_bytes(), &config, |_| Some("hq00002z".to_owned())).unwrap();
    assert_eq!((again, twice.verdict), (out.clone(), Verdict::Nothing));

    let mut span = String::new();
    let (folded, _) = fold(out.as_bytes(), &config, |text| {
        span = text.to_owned();
        Some("hq00003z".to_owned())
    })
    .unwrap();
    let fetch = |handle: &str| match handle {
        "hq00001z" => Some(kept.clone()),
        "hq00003z" => Some(span.clone()),
        _ => None,
    };
    let (back, expanded) = expand(out.as_bytes(), &config, fetch).unwrap();
    assert_eq!(back, document);
    assert_eq!(expanded.tokens_after, summary.tokens_before);
    assert_eq!(
        expand(folded.as_bytes(), &config, fetch).unwrap().0,
        document
    );
}

#[test]
fn a_fold_gives_its_document_once_and_each_span_one_handle() {
    let round = r#"{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"t","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"$"}"#;
    let document = format!("[{}]", round.replace('$', &"word ".repeat(200)));
    let config = any();
    let mut fold = Fold::plan(document.as_bytes(), &config).unwrap();
    assert_eq!(fold.spans(), 1);
    let refused = |result: Result<(), newt_fold::Error>| {
        assert_eq!(result.unwrap_err().kind, ErrorKind::Argument);
    };
    refused(fold.finish().map(drop));
    fold.take(0, b"first").unwrap();
    refused(fold.take(0, b"second"));
    let output = fold.finish().unwrap();
    assert_eq!(output.summary.verdict, Verdict::Folded);
    assert!(output.text().unwrap().contains("compaction:first"));
    refused(fold.finish().map(drop));
    refused(fold.planned().map(drop));
    refused(fold.span(0).map(drop));
    refused(fold.take(0, b"third"));
}
