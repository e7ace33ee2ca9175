//! Folded transcripts, held against what each provider's documentation asks of
//! a request. One validator a provider, its sources beside its rules.

#[path = "../reference/mod.rs"]
mod reference;
#[path = "../transcripts/mod.rs"]
mod transcripts;

mod anthropic;
mod bedrock;
mod gemini;
mod openai_chat;
mod openai_responses;
mod strict_template;

use newt_fold::{Config, Form, Grouping, Results, Wire};
use proptest::prelude::*;
use reference::{Mint, Reading, judge};
use serde_json::Value;
use transcripts::{Dialect, Document, shared, strategy};

/// What breaks a provider's rules, in words.
type Broken = Result<(), String>;

/// One provider's rules, and the dialects that are written for it.
struct Provider {
    name: &'static str,
    dialects: &'static [Dialect],
    check: fn(&[Value]) -> Broken,
    /// Whether a form of card suits a document.
    suits: fn(Form, &Reading<'_>) -> bool,
}

const PROVIDERS: [Provider; 6] = [
    Provider {
        name: "OpenAI chat completions",
        dialects: &[Dialect::Chat, Dialect::Legacy],
        check: openai_chat::check,
        suits: |_, _| true,
    },
    Provider {
        name: "strict chat templates",
        dialects: &[Dialect::Chat],
        check: strict_template::check,
        suits: |form, _| form == Form::Tool,
    },
    Provider {
        name: "Anthropic messages",
        dialects: &[Dialect::Anthropic],
        check: anthropic::check,
        suits: |form, reading| form == Form::User || !carries_reasoning(reading),
    },
    Provider {
        name: "OpenAI responses",
        dialects: &[Dialect::Responses],
        check: openai_responses::check,
        suits: |_, _| true,
    },
    Provider {
        name: "Gemini contents",
        dialects: &[Dialect::Gemini, Dialect::GeminiSnake],
        check: gemini::check,
        // A model's card before a model's call is a call after no user's turn.
        suits: |form, _| form != Form::Assistant,
    },
    Provider {
        name: "Bedrock Converse",
        dialects: &[Dialect::Bedrock],
        check: bedrock::check,
        // It insists on alternation.
        suits: |form, _| form == Form::Tool,
    },
];

fn carries_reasoning(reading: &Reading<'_>) -> bool {
    reading
        .messages
        .iter()
        .any(|message| message.said.reasoning)
}

fn values(document: &str, wire: Wire) -> Vec<Value> {
    let reading = Reading::of(document, Some(wire));
    reading
        .messages
        .into_iter()
        .map(|message| message.value)
        .collect()
}

/// Folds in every form that suits the provider, and checks what comes out.
fn fold_and_check(provider: &Provider, document: &str, wire: Wire, config: &Config) -> usize {
    let mut folds = 0;
    for card in [Form::User, Form::Assistant, Form::Tool] {
        let reading = Reading::of(document, Some(wire));
        if !(provider.suits)(card, &reading) {
            continue;
        }
        let config = Config {
            card,
            format: Some(wire),
            fetch_tool: "memory_fetch".to_owned(),
            ..config.clone()
        };
        let mut mint = Mint::new();
        let mut folded = judge(document, &config, &mut mint);
        // Once more with the next rounds aged, so that cards are merged too.
        for keep_last in [config.keep_last / 2, 0] {
            if let Err(broken) = (provider.check)(&values(&folded.document, wire)) {
                panic!(
                    "{} refuses a {card:?} card: {broken}\n{}",
                    provider.name, folded.document
                );
            }
            folds += usize::from(folded.summary.rounds_folded > 0);
            let config = Config {
                keep_last,
                ..config.clone()
            };
            folded = judge(&folded.document, &config, &mut mint);
        }
    }
    folds
}

proptest! {
    #![proptest_config(strategy::cases(60))]

    #[test]
    fn every_provider_takes_what_is_folded(
        session in prop_oneof![
            3 => strategy::sound_session(5, 0),
            1 => strategy::sound_session(5, 50),
            1 => strategy::sound_session(5, 100),
        ],
        tidy in any::<bool>(),
        config in strategy::config(),
        keep_last in 1..8usize,
    ) {
        let session = if tidy { strategy::one_lined(session) } else { session };
        for provider in &PROVIDERS {
            for dialect in provider.dialects {
                let document = Document::plain(&session, *dialect).text;
                let wire = dialect.wire();
                // A session that a provider refuses as it is says nothing about
                // folds; one in a thousand is. Too many, and the test fails.
                prop_assume!((provider.check)(&values(&document, wire)).is_ok());
                fold_and_check(provider, &document, wire, &Config { keep_last, ..config.clone() });
            }
        }
    }
}

/// Real transcripts that their provider takes, it takes folded.
#[test]
fn real_transcripts_stay_what_their_provider_takes() {
    let files = shared::files("transcripts");
    let mut folds = [0; PROVIDERS.len()];
    for (name, document) in &files {
        let Ok(text) = std::str::from_utf8(document) else {
            continue;
        };
        if !text.starts_with('[') || text.len() > 120_000 {
            continue;
        }
        let wire = Reading::of(text, None).wire;
        for (provider, folds) in PROVIDERS.iter().zip(&mut folds) {
            if provider.dialects[0].wire() != wire {
                continue;
            }
            if let Err(broken) = (provider.check)(&values(text, wire)) {
                println!("{}: {name} is not taken as it is: {broken}", provider.name);
                continue;
            }
            for (keep_last, grouping) in
                [(0, Grouping::Runs), (3, Grouping::Runs), (1, Grouping::All)]
            {
                let config = Config {
                    keep_last,
                    grouping,
                    min_rounds: 1,
                    results: Results::Any,
                    ..Config::default()
                };
                *folds += fold_and_check(provider, text, wire, &config);
            }
        }
    }
    for (provider, folds) in PROVIDERS.iter().zip(folds) {
        println!("{}: {folds} folds of real transcripts", provider.name);
        // Nothing real is at hand in Bedrock's format.
        let at_hand = !files.is_empty() && provider.dialects[0] != Dialect::Bedrock;
        assert!(
            !at_hand || folds > 0,
            "{}: nothing real was folded",
            provider.name
        );
    }
}

/// The validators see what they are there to see.
#[test]
fn broken_requests_are_refused() {
    let refused = |check: fn(&[Value]) -> Broken, request: &str, word: &str| {
        let messages: Vec<Value> = serde_json::from_str(request).unwrap();
        let broken = check(&messages).expect_err(request);
        assert!(broken.contains(word), "{request}: {broken}");
    };
    let call = |id: &str| {
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"ls","arguments":"{{}}"}}}}]}}"#
        )
    };
    let tool = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#);
    let user = r#"{"role":"user","content":"go"}"#;
    let assistant = r#"{"role":"assistant","content":"so"}"#;
    let (call_a, tool_a, tool_b) = (call("aaaaaaaaa"), tool("aaaaaaaaa"), tool("bbbbbbbbb"));
    let openai = openai_chat::check;
    refused(openai, &format!("[{user},{call_a}]"), "not answered");
    refused(
        openai,
        &format!("[{user},{call_a},{user},{tool_a}]"),
        "not answered",
    );
    refused(openai, &format!("[{user},{call_a},{tool_b}]"), "no call");
    refused(openai, &format!("[{user},{tool_a}]"), "no call");
    let strict = strict_template::check;
    refused(strict, &format!("[{user},{user}]"), "alternate");
    refused(
        strict,
        &format!("[{user},{call_a},{tool_a},{assistant},{assistant}]"),
        "alternate",
    );
    refused(
        strict,
        &format!("[{user},{},{}]", call("call_1"), tool("call_1")),
        "nine",
    );

    let use_a =
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{}}]}"#;
    let result_a =
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}"#;
    let anthropic = anthropic::check;
    refused(anthropic, &format!("[{use_a},{result_a}]"), "first");
    refused(
        anthropic,
        &format!("[{user},{use_a},{user}]"),
        "not answered",
    );
    refused(
        anthropic,
        &format!("[{user},{use_a},{user},{result_a}]"),
        "first blocks",
    );
    refused(
        anthropic,
        &format!("[{user},{use_a},{result_a},{use_a},{result_a}]"),
        "twice",
    );
    refused(
        anthropic,
        &format!("[{user},{}]", use_a.replace(r#""id":"a""#, r#""id":"a.b""#)),
        "alphabet",
    );
    refused(anthropic, r#"[{"role":"user","content":""}]"#, "empty");
    let thinks = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"},{"type":"tool_use","id":"b","name":"ls","input":{}}]}"#;
    let result_b = result_a.replace(r#""a""#, r#""b""#);
    refused(
        anthropic,
        &format!("[{user},{use_a},{result_a},{thinks},{result_b}]"),
        "thinking",
    );

    let fc = r#"{"type":"function_call","call_id":"a","name":"ls","arguments":"{}"}"#;
    let out = r#"{"type":"function_call_output","call_id":"a","output":"x"}"#;
    let reasoning = r#"{"type":"reasoning","id":"rs_1","summary":[]}"#;
    let responses = openai_responses::check;
    refused(responses, &format!("[{user},{fc}]"), "no output");
    refused(responses, &format!("[{user},{out}]"), "no call");
    refused(
        responses,
        &format!("[{user},{reasoning},{user}]"),
        "reasoning",
    );
    refused(responses, &format!("[{user},{reasoning}]"), "reasoning");

    let said = r#"{"role":"user","parts":[{"text":"go"}]}"#;
    let model = r#"{"role":"model","parts":[{"text":"so"}]}"#;
    let calls = r#"{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]}"#;
    let signed = r#"{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}},"thoughtSignature":"x"}]}"#;
    let answers =
        r#"{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"x"}}}]}"#;
    let gemini = gemini::check;
    refused(
        gemini,
        &format!("[{said},{model},{calls},{answers}]"),
        "user turn",
    );
    refused(
        gemini,
        &format!("[{said},{calls},{said}]"),
        "function response",
    );
    refused(gemini, &format!("[{said},{answers}]"), "no function call");
    let two = r#"{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}},{"functionCall":{"name":"ls","args":{}}}]}"#;
    refused(gemini, &format!("[{said},{two},{answers}]"), "2 calls");
    refused(
        gemini,
        &format!("[{said},{calls},{answers},{signed},{answers}]"),
        "signature",
    );

    let said = r#"{"role":"user","content":[{"text":"go"}]}"#;
    let uses =
        r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"ls","input":{}}}]}"#;
    let result =
        r#"{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"x"}]}}]}"#;
    let bedrock = bedrock::check;
    refused(bedrock, &format!("[{said},{said}]"), "alternate");
    refused(bedrock, &format!("[{said},{uses},{said}]"), "asked");
    refused(bedrock, &format!("[{said},{uses}]"), "never answered");
    refused(
        bedrock,
        &format!("[{said},{uses},{result},{uses},{result}]"),
        "twice",
    );
}
