//! Amazon Bedrock's Converse.
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html>
//! <https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html>

use super::{Broken, openai_chat};
use serde_json::Value;

pub fn check(messages: &[Value]) -> Broken {
    let mut open: Vec<&str> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let due = ["user", "assistant"][at % 2];
        if message["role"] != due {
            return Err(format!(
                "message {at}: {} where {due} is due; roles must alternate",
                message["role"]
            ));
        }
        let blocks = message["content"]
            .as_array()
            .filter(|blocks| !blocks.is_empty())
            .ok_or(format!("message {at}: no content"))?;
        let mut answered = Vec::new();
        for block in blocks {
            let members = block.as_object().ok_or(format!("message {at}: {block}"))?;
            let [(kind, value)] = members.iter().collect::<Vec<_>>()[..] else {
                return Err(format!("message {at}: {block} is not one thing"));
            };
            let id = value["toolUseId"].as_str().unwrap_or_default();
            let sound = match (kind.as_str(), due) {
                ("text", _) => value.as_str().is_some_and(|text| !text.trim().is_empty()),
                ("toolUse", "assistant") => {
                    if seen.contains(&id) {
                        return Err(format!("message {at}: the id {id:?} comes twice"));
                    }
                    seen.push(id);
                    openai_chat::is_name(&value["toolUseId"])
                        && openai_chat::is_name(&value["name"])
                        && value["input"].is_object()
                }
                ("toolResult", "user") => {
                    answered.push(id);
                    value["content"].is_array()
                }
                ("reasoningContent", "assistant") | ("image" | "document", "user") => true,
                _ => false,
            };
            if !sound {
                return Err(format!("message {at}: {block} is out of place"));
            }
        }
        if due == "user" {
            open.sort_unstable();
            answered.sort_unstable();
            if open != answered {
                return Err(format!(
                    "message {at}: {open:?} asked, {answered:?} answered"
                ));
            }
            open.clear();
        }
        let calls = blocks
            .iter()
            .filter_map(|block| block["toolUse"]["toolUseId"].as_str());
        open.extend(calls);
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("{open:?} asked, never answered"))
    }
}
