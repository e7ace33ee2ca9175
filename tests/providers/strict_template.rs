//! Chat templates that enforce turns: Mistral's, and those like Gemma's.
//!
//! Leaving out calls and their results, user and assistant alternate behind an
//! optional system message; call ids are nine letters or digits.
//! <https://github.com/mistralai/mistral-common> (validator for instruct
//! requests), <https://ai.google.dev/gemma/docs/core/prompt-structure>

use super::{Broken, openai_chat};
use serde_json::Value;

pub fn check(messages: &[Value]) -> Broken {
    openai_chat::check_turns(messages)?;
    let mut expected = "user";
    let mut before = "";
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        let calls = openai_chat::calls(message)?;
        if let Some(id) = calls.iter().find(|id| !is_call_id(id)) {
            return Err(format!(
                "message {at}: {id:?} is not nine letters or digits"
            ));
        }
        match role {
            "system" if at == 0 => {}
            "tool" => {}
            "assistant" if !calls.is_empty() => {
                // A call answers the user, or goes on after results.
                if before != "user" && before != "tool" {
                    return Err(format!(
                        "message {at}: a call after {before:?}; roles must alternate"
                    ));
                }
            }
            role if role == expected => {
                expected = if role == "user" { "assistant" } else { "user" };
            }
            role => {
                return Err(format!(
                    "message {at}: {role:?} where {expected:?} is due; roles must alternate"
                ));
            }
        }
        before = role;
    }
    Ok(())
}

fn is_call_id(id: &str) -> bool {
    id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric())
}
