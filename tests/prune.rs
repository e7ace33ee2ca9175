//! Pruning, on generated transcripts of every format: results in one line,
//! nothing else changed, everything kept.

mod reference;
mod transcripts;

use newt_fold::{Config, Results, Verdict, expand, prune};
use proptest::prelude::*;
use reference::{Kind, Mint, Reading, judge};
use serde_json::Value;
use std::collections::HashMap;
use transcripts::strategy;

/// A message without what a prune may change: what results say, and what calls
/// are given where that may be shortened.
fn bones(message: &Value, arguments: bool) -> Value {
    let mut message = message.clone();
    let blank = |value: &mut Value, name: &str| {
        if let Some(member) = value.get_mut(name) {
            *member = Value::Null;
        }
    };
    if message["role"] == "tool" || message["role"] == "function" {
        blank(&mut message, "content");
    }
    blank(&mut message, "output");
    if arguments {
        blank(&mut message, "arguments");
        blank(&mut message, "input");
        if let Some(function) = message.get_mut("function_call") {
            blank(function, "arguments");
        }
        for call in message
            .get_mut("tool_calls")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if let Some(function) = call.get_mut("function") {
                blank(function, "arguments");
            }
        }
    }
    for list in ["content", "parts"] {
        for part in message
            .get_mut(list)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if part["type"] == "tool_result" {
                blank(part, "content");
            }
            if arguments {
                blank(part, "input");
                for (name, given) in [
                    ("functionCall", "args"),
                    ("function_call", "args"),
                    ("toolUse", "input"),
                ] {
                    if let Some(call) = part.get_mut(name) {
                        blank(call, given);
                    }
                }
            }
            for (name, said) in [
                ("functionResponse", "response"),
                ("function_response", "response"),
                ("toolResult", "content"),
            ] {
                if let Some(result) = part.get_mut(name) {
                    blank(result, said);
                }
            }
        }
    }
    message
}

proptest! {
    #![proptest_config(strategy::cases(300))]

    #[test]
    fn a_prune_changes_aged_results_only_and_can_be_undone(
        document in strategy::document(),
        config in strategy::config(),
    ) {
        let wire = document.dialect.wire();
        let config = Config { format: Some(wire), ..config };
        let mut mint = Mint::new();
        let (out, summary) = prune(document.text.as_bytes(), &config, |span| mint.take(span)).unwrap();
        prop_assert_eq!(summary.tokens_after, out.len().div_ceil(config.bytes_per_token));
        prop_assert_eq!(&out[..summary.prefix_len], &document.text[..summary.prefix_len]);
        prop_assert!(mint.spans.len() <= 1, "one mint a call");
        let folded = summary.verdict == Verdict::Folded;
        prop_assert_eq!(folded, out != document.text);
        prop_assert!(!folded || out.len() < document.text.len());

        let (before, after) = (Reading::of(&document.text, Some(wire)), Reading::of(&out, Some(wire)));
        prop_assert_eq!(before.messages.len(), after.messages.len());
        let any = Config { results: Results::Any, card: newt_fold::Form::User, ..config.clone() };
        let mut may_change = vec![false; before.messages.len()];
        for block in before.blocks.iter().filter(|block| before.is_eligible(block, &any)) {
            for at in block.messages() {
                may_change[at] = match before.messages[at].said.kind {
                    Kind::Results(_) => true,
                    Kind::Calls(_) => config.shorten_arguments && !before.messages[at].said.reasoning,
                    _ => false,
                };
            }
        }
        for (at, (old, new)) in before.messages.iter().zip(&after.messages).enumerate() {
            if old.raw != new.raw {
                prop_assert!(may_change[at], "message {} changed: {}", at, new.raw);
                prop_assert_eq!(bones(&old.value, config.shorten_arguments), bones(&new.value, config.shorten_arguments));
                prop_assert!(new.raw.len() < old.raw.len());
            }
        }

        // Idempotent.
        let (twice, again) = prune(out.as_bytes(), &config, |span| mint.take(span)).unwrap();
        prop_assert_eq!(&twice, &out);
        prop_assert!(again.verdict != Verdict::Folded);

        // Nothing is lost: by itself, or folded as well.
        let mut deeper = Mint { handle_bytes: 9, ..Mint::new() };
        let folding = Config { keep_last: 0, min_rounds: 1, min_reclaim: 0, bytes_per_token: 4, ..config.clone() };
        let both = judge(&out, &folding, &mut deeper);
        let spans: HashMap<String, String> = mint.spans.into_iter().chain(deeper.spans).collect();
        let fetch = |handle: &str| spans.get(handle).cloned();
        for document in [&out, &both.document] {
            let (back, _) = expand(document.as_bytes(), &config, fetch).unwrap();
            let back = Reading::of(&back, Some(wire));
            let mut values: Vec<&Value> = back.messages.iter().map(|message| &message.value).collect();
            let mut wanted: Vec<&Value> = before.messages.iter().map(|message| &message.value).collect();
            if config.grouping == newt_fold::Grouping::All {
                values.sort_by_key(|value| value.to_string());
                wanted.sort_by_key(|value| value.to_string());
            }
            prop_assert_eq!(values, wanted);
        }
    }

    /// What was pruned is short, and folds by every law.
    #[test]
    fn what_was_pruned_is_short_and_folds(document in strategy::document()) {
        let config = Config {
            format: Some(document.dialect.wire()),
            keep_last: 0,
            min_rounds: 1,
            ..Config::default()
        };
        let (out, _) = prune(document.text.as_bytes(), &config, |_| Some("hq12345z".to_owned())).unwrap();
        let reading = Reading::of(&out, config.format);
        let any = Config { results: Results::Any, ..config.clone() };
        for block in reading.blocks.iter().filter(|block| reading.is_eligible(block, &any)) {
            for message in &reading.messages[block.messages()] {
                if let Kind::Results(results) = &message.said.kind {
                    prop_assert!(message.raw.len() <= 1_000 * results.len(), "{}", message.raw);
                }
            }
        }
        // Every result that was worth a line has one, so whole rounds may go.
        let mut mint = Mint { handle_bytes: 9, ..Mint::new() };
        judge(&out, &config, &mut mint);
    }
}
