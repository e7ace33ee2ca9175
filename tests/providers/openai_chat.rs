//! OpenAI chat completions.
//! <https://platform.openai.com/docs/api-reference/chat/create>
//! <https://platform.openai.com/docs/guides/function-calling>

use super::Broken;
use serde_json::Value;

pub fn check(messages: &[Value]) -> Broken {
    let calls = messages
        .iter()
        .flat_map(|message| message["tool_calls"].as_array().into_iter().flatten());
    for call in calls {
        if call["type"] != "function" {
            return Err(format!("{call} has no type"));
        }
    }
    check_turns(messages)
}

/// What holds for those who follow it as well: order, pairs, contents.
pub fn check_turns(messages: &[Value]) -> Broken {
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let place = open.iter().position(|call| *call == id);
            open.remove(place.ok_or(format!("message {at}: no call {id:?} stands before it"))?);
        } else if !open.is_empty() {
            return Err(format!("message {at}: {open:?} are not answered"));
        }
        let content = match &message["content"] {
            Value::String(_) => true,
            Value::Array(parts) => !parts.is_empty() && parts.iter().all(is_part),
            _ => false,
        };
        match role {
            "system" | "developer" | "user" | "tool" if content => {}
            "assistant" => {
                open = calls(message).map_err(|broken| format!("message {at}: {broken}"))?;
                let legacy = message["function_call"].is_object();
                if open.is_empty() && !legacy && !content {
                    return Err(format!("message {at}: neither content nor calls"));
                }
                let next = messages.get(at + 1).map(|next| &next["role"]);
                if legacy && next.is_none_or(|role| role != "function") {
                    return Err(format!("message {at}: function_call is not answered"));
                }
            }
            "function" => {
                let asked = at
                    .checked_sub(1)
                    .map(|before| &messages[before]["function_call"]);
                if asked.is_none_or(|asked| asked["name"] != message["name"]) {
                    return Err(format!("message {at}: no call of this function"));
                }
            }
            _ => return Err(format!("message {at}: role {role:?}, or no content")),
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("{open:?} are not answered"))
    }
}

fn is_part(part: &Value) -> bool {
    match part["type"].as_str() {
        Some("text") => part["text"].is_string(),
        Some("image_url") => part["image_url"]["url"].is_string(),
        Some("input_audio" | "file" | "refusal") => true,
        _ => false,
    }
}

/// The ids of a message's calls.
pub fn calls(message: &Value) -> Result<Vec<&str>, String> {
    let calls = match &message["tool_calls"] {
        Value::Null => return Ok(Vec::new()),
        Value::Array(calls) if !calls.is_empty() => calls,
        other => return Err(format!("tool_calls is {other}")),
    };
    let mut ids = Vec::new();
    for call in calls {
        let id = call["id"]
            .as_str()
            .filter(|id| !id.is_empty())
            .ok_or("a call without an id")?;
        if ids.contains(&id) {
            return Err(format!("two calls {id:?} in one message"));
        }
        ids.push(id);
        let function = &call["function"];
        if !is_name(&function["name"]) || !function["arguments"].is_string() {
            return Err(format!("{call} is no function call"));
        }
    }
    Ok(ids)
}

/// A tool's name: `[a-zA-Z0-9_-]{1,64}`.
pub fn is_name(name: &Value) -> bool {
    name.as_str().is_some_and(|name| {
        (1..=64).contains(&name.len())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    })
}
