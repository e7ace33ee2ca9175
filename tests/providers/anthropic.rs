//! Anthropic messages.
//! <https://docs.anthropic.com/en/api/messages>
//! <https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use>
//! <https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking>

use super::{Broken, openai_chat};
use serde_json::{Value, json};
use std::collections::HashSet;

/// A turn: the role, and the blocks of all messages in a row that have it, as
/// the API joins them.
type Turn<'a> = (&'a str, Vec<Value>);

pub fn check(messages: &[Value]) -> Broken {
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "user" && role != "assistant" {
            return Err(format!("message {at}: role {role:?}"));
        }
        let blocks = match &message["content"] {
            Value::String(text) => vec![json!({"type": "text", "text": text})],
            Value::Array(blocks) => blocks.clone(),
            other => return Err(format!("message {at}: content {other}")),
        };
        if blocks.is_empty() {
            return Err(format!("message {at}: content is empty"));
        }
        for block in &blocks {
            check_block(block, role).map_err(|broken| format!("message {at}: {broken}"))?;
        }
        match turns.last_mut() {
            Some((last, joined)) if *last == role => joined.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    if turns.first().is_some_and(|(role, _)| *role != "user") {
        return Err("the first message is not the user's".to_owned());
    }
    check_pairs(&turns)?;
    check_thinking(&turns)
}

fn of<'b>(blocks: &'b [Value], kind: &str) -> Vec<&'b Value> {
    blocks
        .iter()
        .filter(|block| block["type"] == kind)
        .collect()
}

fn check_block(block: &Value, role: &str) -> Broken {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    let sound = match (block["type"].as_str().unwrap_or_default(), role) {
        ("text", _) => text(&block["text"]),
        ("tool_use", "assistant") => {
            let id = block["id"].as_str().unwrap_or_default();
            let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
            if id.is_empty() || !id.bytes().all(fits) {
                return Err(format!("the id {id:?} leaves the alphabet of ids"));
            }
            openai_chat::is_name(&block["name"]) && block["input"].is_object()
        }
        ("tool_result", "user") => match &block["content"] {
            Value::Null | Value::String(_) => block["tool_use_id"].is_string(),
            Value::Array(parts) => parts.iter().all(|part| match part["type"].as_str() {
                Some("text") => part["text"].as_str().is_some_and(|text| !text.is_empty()),
                Some("image") => part["source"].is_object(),
                other => other.is_some(),
            }),
            _ => false,
        },
        ("thinking", "assistant") => block["signature"].is_string(),
        ("image" | "document", "user") => true,
        (other, _) => !other.is_empty() && !other.starts_with("tool_") && other != "thinking",
    };
    if sound {
        Ok(())
    } else {
        Err(format!("the block {block} is empty, or in the wrong place"))
    }
}

/// Every call is answered by the first blocks of the next turn.
fn check_pairs(turns: &[Turn<'_>]) -> Broken {
    let mut seen = HashSet::new();
    let mut open: HashSet<&str> = HashSet::new();
    for (at, (role, blocks)) in turns.iter().enumerate() {
        if *role == "user" {
            let results = of(blocks, "tool_result");
            let first = blocks
                .iter()
                .take_while(|block| block["type"] == "tool_result")
                .count();
            if first < results.len() {
                return Err(format!("turn {at}: results are not its first blocks"));
            }
            for result in results {
                let id = result["tool_use_id"].as_str().unwrap_or_default();
                if !open.remove(id) {
                    return Err(format!("turn {at}: no call {id:?} in the turn before"));
                }
            }
        }
        if !open.is_empty() {
            return Err(format!("turn {at}: {open:?} are not answered"));
        }
        for call in of(blocks, "tool_use") {
            let id = call["id"].as_str().unwrap_or_default();
            if !seen.insert(id) {
                return Err(format!("turn {at}: the id {id:?} comes twice"));
            }
            open.insert(id);
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("{open:?} are not answered"))
    }
}

/// Where the open turn carries thinking, every message of it that makes calls
/// begins with it.
fn check_thinking(turns: &[Turn<'_>]) -> Broken {
    let thinks =
        |block: &Value| block["type"] == "thinking" || block["type"] == "redacted_thinking";
    let words = |turn: &Turn<'_>| {
        turn.0 == "user" && turn.1.iter().any(|block| block["type"] != "tool_result")
    };
    let open = turns.iter().rposition(words).map_or(0, |at| at + 1);
    let turns = turns[open..]
        .iter()
        .filter(|(role, _)| *role == "assistant");
    let calls: Vec<&Turn<'_>> = turns
        .filter(|(_, blocks)| !of(blocks, "tool_use").is_empty())
        .collect();
    if calls.iter().any(|(_, blocks)| blocks.iter().any(thinks))
        && !calls.iter().all(|(_, blocks)| thinks(&blocks[0]))
    {
        return Err(
            "a message of the open turn makes calls and does not begin with thinking".to_owned(),
        );
    }
    Ok(())
}
