//! OpenAI responses.
//! <https://platform.openai.com/docs/api-reference/responses/create>
//! <https://platform.openai.com/docs/guides/reasoning>

use super::{Broken, openai_chat};
use serde_json::Value;

pub fn check(items: &[Value]) -> Broken {
    let mut open: Vec<(&str, &str)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let kind = item["type"].as_str().unwrap_or("message");
        let call_id = item["call_id"].as_str().unwrap_or_default();
        match kind {
            "function_call" | "custom_tool_call" => {
                let arguments = if kind == "function_call" {
                    "arguments"
                } else {
                    "input"
                };
                if call_id.is_empty() || call_id.len() > 64 {
                    return Err(format!("item {at}: call_id {call_id:?}"));
                }
                if !openai_chat::is_name(&item["name"]) || !item[arguments].is_string() {
                    return Err(format!("item {at}: {item} is no call"));
                }
                open.push((kind, call_id));
            }
            "function_call_output" | "custom_tool_call_output" => {
                let asked = (kind.trim_end_matches("_output"), call_id);
                let place = open.iter().position(|call| *call == asked);
                open.remove(
                    place.ok_or(format!("item {at}: no call {asked:?} before this output"))?,
                );
                if !is_content(
                    &item["output"],
                    &["input_text", "input_image", "input_file"],
                ) {
                    return Err(format!("item {at}: output {}", item["output"]));
                }
            }
            "reasoning" => {
                if !item["id"].is_string() || !item["summary"].is_array() {
                    return Err(format!("item {at}: a reasoning item without id or summary"));
                }
                let next = items.get(at + 1);
                let led_to = next.is_some_and(|next| {
                    let kind = next["type"].as_str().unwrap_or("message");
                    !kind.ends_with("_output") && (kind != "message" || next["role"] == "assistant")
                });
                if !led_to {
                    return Err(format!(
                        "item {at}: a reasoning item without the item that it led to"
                    ));
                }
            }
            "message" => {
                let parts: &[&str] = match item["role"].as_str() {
                    Some("assistant") => &["output_text", "refusal"],
                    Some("user" | "system" | "developer") => {
                        &["input_text", "input_image", "input_file"]
                    }
                    other => return Err(format!("item {at}: role {other:?}")),
                };
                if !is_content(&item["content"], parts) {
                    return Err(format!("item {at}: content {}", item["content"]));
                }
            }
            _ => {}
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("{open:?} have no output"))
    }
}

fn is_content(content: &Value, kinds: &[&str]) -> bool {
    match content {
        Value::String(_) => true,
        Value::Array(parts) => parts.iter().all(|part| {
            part["type"]
                .as_str()
                .is_some_and(|kind| kinds.contains(&kind))
        }),
        _ => false,
    }
}
