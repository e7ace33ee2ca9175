//! The estimate of tokens, and what a card costs, by real tokenizers.
//!
//! ```text
//! cargo test --test tokenizers -- --nocapture
//! ```
//!
//! The tables are o200k and cl100k as the crate tiktoken-rs ships them.

#[path = "../examples/figures/session.rs"]
#[allow(dead_code)] // Its loops and heads are for the figures.
mod session;
#[path = "transcripts/shared.rs"]
mod shared;

use newt_fold::{Config, Form, Results, Wire, estimate, fold};
use serde_json::Value;
use session::User;
use std::collections::BTreeMap;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

/// What a provider's template adds to a message: its frame and its role.
const FRAME_TOKENS: usize = 4;

/// Bytes, the estimate, and real tokens.
#[derive(Default, Clone, Copy)]
struct Count {
    documents: usize,
    estimate: usize,
    /// Of the document as JSON, by o200k and by cl100k.
    json: [usize; 2],
    /// Of the texts in it, as a provider bills them.
    texts: [usize; 2],
}

impl Count {
    fn of(document: &str) -> Self {
        let value: Value = serde_json::from_str(document).expect("a transcript is JSON");
        let messages = value.as_array().expect("a transcript is an array");
        let mut texts = Vec::new();
        collect_texts(&value, &mut texts);
        let tokenizers = [o200k_base_singleton(), cl100k_base_singleton()];
        Self {
            documents: 1,
            estimate: estimate(document.as_bytes(), &Config::default()).expect("a transcript"),
            json: tokenizers.map(|tokenizer| tokens(tokenizer, document)),
            texts: tokenizers.map(|tokenizer| {
                let text: usize = texts.iter().map(|text| tokens(tokenizer, text)).sum();
                text + FRAME_TOKENS * messages.len()
            }),
        }
    }

    fn add(&mut self, other: Self) {
        self.documents += other.documents;
        self.estimate += other.estimate;
        for tokenizer in 0..2 {
            self.json[tokenizer] += other.json[tokenizer];
            self.texts[tokenizer] += other.texts[tokenizer];
        }
    }

    /// How far the estimate lies above the tokens, in percent.
    fn errors(self) -> [f64; 4] {
        let [o200k_json, cl100k_json] = self.json;
        let [o200k_texts, cl100k_texts] = self.texts;
        [o200k_texts, cl100k_texts, o200k_json, cl100k_json]
            .map(|tokens| 100.0 * (self.estimate as f64 / tokens as f64 - 1.0))
    }

    fn print(self, name: &str) {
        let [o200k_texts, cl100k_texts, o200k_json, cl100k_json] = self.errors();
        println!(
            "| {name} | {} | {} | {o200k_texts:+.1} % | {cl100k_texts:+.1} % | {o200k_json:+.1} % | {cl100k_json:+.1} % |",
            self.documents, self.estimate
        );
    }
}

fn print_head() {
    println!(
        "| transcripts | how many | estimate | texts, o200k | texts, cl100k | JSON, o200k | JSON, cl100k |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
}

fn tokens(tokenizer: &CoreBPE, text: &str) -> usize {
    tokenizer.encode_ordinary(text).len()
}

/// Every string value, decoded; keys and punctuation are the envelope's.
fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| collect_texts(value, texts)),
        Value::Object(fields) => fields
            .values()
            .for_each(|value| collect_texts(value, texts)),
        _ => (),
    }
}

/// The wire format, by the keys that only one has.
fn wire(document: &str) -> &'static str {
    let has = |key: &str| document.contains(key);
    if has("\"parts\"") {
        "Gemini"
    } else if has("\"function_call_output\"") || has("\"call_id\"") {
        "Responses"
    } else if has("\"tool_use\"") {
        "Anthropic"
    } else {
        "Chat"
    }
}

#[test]
fn the_estimate_errs_on_real_transcripts_as_the_header_says() {
    let (mut short, mut long) = (BTreeMap::new(), Vec::new());
    for (name, document) in shared::files("transcripts") {
        let document = String::from_utf8(document).expect("a transcript is UTF-8");
        let estimate = estimate(document.as_bytes(), &Config::default()).expect("a transcript");
        if estimate < document.len() / 4 {
            // Pictures count for what providers bill, which no table knows.
            continue;
        }
        let count = Count::of(&document);
        if document.len() > 500_000 {
            long.push((name, count));
        } else {
            short
                .entry(wire(&document))
                .or_insert_with(Count::default)
                .add(count);
        }
    }
    print_head();
    for (wire, count) in &short {
        count.print(&format!("{wire}, short ones together"));
        let [o200k, cl100k, ..] = count.errors();
        // Encrypted reasoning is most of the short ones of Responses.
        let bounds = match *wire {
            "Responses" => -45.0..=-30.0,
            _ => -5.0..=35.0,
        };
        for error in [o200k, cl100k] {
            assert!(bounds.contains(&error), "{wire}: {error} % above the texts");
        }
    }
    for (name, count) in &long {
        count.print(name);
        let [o200k, cl100k, json_o200k, json_cl100k] = count.errors();
        for error in [o200k, cl100k] {
            assert!(
                (0.0..=16.0).contains(&error),
                "{name}: {error} % above the texts"
            );
        }
        for error in [json_o200k, json_cl100k] {
            assert!(
                (-22.4..=-14.5).contains(&error),
                "{name}: {error} % above the JSON"
            );
        }
    }
}

#[test]
fn the_estimate_errs_on_generated_transcripts_as_the_header_says() {
    print_head();
    for wire in [
        Wire::Chat,
        Wire::Anthropic,
        Wire::Responses,
        Wire::Gemini,
        Wire::Bedrock,
    ] {
        let messages: Vec<_> = session::groups(wire, User::Every(20))
            .take(101)
            .flatten()
            .collect();
        let count = Count::of(&format!("[{}]", messages.join(",")));
        count.print(&format!("{wire:?}, 100 rounds"));
        let [o200k, cl100k, ..] = count.errors();
        for error in [o200k, cl100k] {
            assert!(
                (-6.0..=0.0).contains(&error),
                "{wire:?}: {error} % above the texts"
            );
        }
    }
}

/// A folded session of two rounds: its card's messages and the card's lines.
fn card(form: Form) -> (String, String) {
    let messages: Vec<_> = session::groups(Wire::Chat, User::Once)
        .take(4)
        .flatten()
        .collect();
    let config = Config {
        keep_last: 0,
        results: Results::Any,
        card: form,
        ..Config::default()
    };
    let document = format!("[{}]", messages.join(","));
    let (folded, summary) = fold(document.as_bytes(), &config, |_| {
        Some("h7q2kx3m".to_owned())
    })
    .expect("a fold");
    assert_eq!((summary.cards, summary.rounds_folded), (1, 3));
    let document: Vec<Value> = serde_json::from_str(&folded).expect("a transcript");
    let text = document.last().expect("a card")["content"]
        .as_str()
        .expect("its text");
    let lines: Vec<_> = text
        .split_inclusive('\n')
        .filter(|line| line.starts_with("- "))
        .collect();
    assert_eq!(lines.len(), 3);
    let card = &folded[messages[0].len() + 2..folded.len() - 1];
    (card.to_owned(), lines.concat())
}

#[test]
fn a_user_card_costs_at_most_70_tokens_beside_its_lines() {
    let (card, lines) = card(Form::User);
    let card: Value = serde_json::from_str(&card).expect("one message");
    let text = card["content"].as_str().expect("its text");
    let frame = text.replace(&lines, "");
    let tokens = tokens(o200k_base_singleton(), &frame);
    println!("a USER card: {tokens} o200k tokens beside its lines");
    assert!(tokens <= 70, "{tokens} tokens: {frame}");
}

#[test]
fn a_tool_card_costs_at_most_130_tokens_beside_its_lines() {
    let (card, lines) = card(Form::Tool);
    let lines = serde_json::to_string(&lines).expect("a string");
    let frame = card.replace(&lines[1..lines.len() - 1], "");
    assert!(frame.len() < card.len(), "the lines stand in the card");
    let tokens = tokens(o200k_base_singleton(), &frame);
    println!("a TOOL card: {tokens} o200k tokens of JSON beside its lines");
    assert!(tokens <= 130, "{tokens} tokens: {frame}");
}
