//! Gemini contents.
//! <https://ai.google.dev/api/caching#Content>
//! <https://ai.google.dev/gemini-api/docs/function-calling>
//! <https://ai.google.dev/gemini-api/docs/thought-signatures>

use super::{Broken, openai_chat};
use serde_json::Value;

/// One content, as far as turns go.
enum Turn<'a> {
    User,
    Model,
    Calls(Vec<&'a Value>),
    Responses(Vec<&'a Value>),
}

pub fn check(contents: &[Value]) -> Broken {
    let mut turns = Vec::new();
    for (at, content) in contents.iter().enumerate() {
        turns.push(turn(content).map_err(|broken| format!("content {at}: {broken}"))?);
    }
    for (at, turn) in turns.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &turns[before]);
        match turn {
            Turn::Calls(calls) => {
                if !matches!(before, Some(Turn::User | Turn::Responses(_))) {
                    return Err(format!(
                        "content {at}: a function call that comes after no user turn and no function response"
                    ));
                }
                let Some(Turn::Responses(responses)) = turns.get(at + 1) else {
                    return Err(format!(
                        "content {at}: a function call without a function response turn"
                    ));
                };
                if responses.len() != calls.len() {
                    return Err(format!(
                        "content {at}: {} calls, {} responses",
                        calls.len(),
                        responses.len()
                    ));
                }
                let name = |values: &[&Value]| {
                    let mut names: Vec<String> =
                        values.iter().map(|v| v["name"].to_string()).collect();
                    names.sort();
                    names
                };
                if name(calls) != name(responses) {
                    return Err(format!("content {at}: responses of other functions"));
                }
            }
            Turn::Responses(_) if !matches!(before, Some(Turn::Calls(_))) => {
                return Err(format!(
                    "content {at}: a function response, but no function call before it"
                ));
            }
            _ => {}
        }
    }
    check_signatures(contents, &turns)
}

fn either<'a>(part: &'a Value, camel: &str, snake: &str) -> Option<&'a Value> {
    part.get(camel).or(part.get(snake))
}

fn turn(content: &Value) -> Result<Turn<'_>, String> {
    let parts = content["parts"]
        .as_array()
        .filter(|parts| !parts.is_empty())
        .ok_or("no parts")?;
    let (mut calls, mut responses) = (Vec::new(), Vec::new());
    for part in parts {
        let call = either(part, "functionCall", "function_call");
        let response = either(part, "functionResponse", "function_response");
        let held = usize::from(call.is_some())
            + usize::from(response.is_some())
            + usize::from(part["text"].is_string())
            + usize::from(either(part, "inlineData", "inline_data").is_some());
        if held != 1 {
            return Err(format!("a part that holds {held} things: {part}"));
        }
        if let Some(call) = call {
            if !openai_chat::is_name(&call["name"]) || !call["args"].is_object() {
                return Err(format!("{call} is no function call"));
            }
            calls.push(call);
        }
        if let Some(response) = response {
            if !openai_chat::is_name(&response["name"]) || !response["response"].is_object() {
                return Err(format!("{response} is no function response"));
            }
            responses.push(response);
        }
    }
    match content["role"].as_str() {
        Some("model") if responses.is_empty() => Ok(if calls.is_empty() {
            Turn::Model
        } else {
            Turn::Calls(calls)
        }),
        None | Some("user" | "function") if calls.is_empty() => {
            if responses.is_empty() {
                Ok(Turn::User)
            } else if responses.len() == parts.len() {
                Ok(Turn::Responses(responses))
            } else {
                Err("results and words in one content".to_owned())
            }
        }
        other => Err(format!("role {other:?}")),
    }
}

/// Google's placeholder for the signature of a call that no model made.
const PLACEHOLDER: &str = "skip_thought_signature_validator";

/// Where the open turn carries a model's signatures, the first call of each of
/// its steps has one, or the placeholder.
fn check_signatures(contents: &[Value], turns: &[Turn<'_>]) -> Broken {
    let open = turns
        .iter()
        .rposition(|turn| matches!(turn, Turn::User))
        .unwrap_or(0);
    let signature = |content: &Value| {
        let mut parts = content["parts"].as_array()?.iter();
        let call = parts.find(|part| either(part, "functionCall", "function_call").is_some())?;
        either(call, "thoughtSignature", "thought_signature").cloned()
    };
    let calls = contents.iter().zip(turns).skip(open);
    let calls = calls.filter(|(_, turn)| matches!(turn, Turn::Calls(_)));
    let signatures: Vec<Option<Value>> = calls.map(|(content, _)| signature(content)).collect();
    let models = signatures
        .iter()
        .flatten()
        .any(|signature| signature != PLACEHOLDER);
    if models && signatures.iter().any(Option::is_none) {
        return Err("a function call of the open turn without a thought signature".to_owned());
    }
    Ok(())
}
