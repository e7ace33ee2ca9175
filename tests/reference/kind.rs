//! What a message is, by its provider's documentation.

use newt_fold::Wire;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Calls(Vec<Call>),
    Results(Vec<Answer>),
    /// It belongs to the call that follows it, if one does.
    Lead,
    User,
    Other,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub id: Option<String>,
    pub name: Option<String>,
    pub arguments: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub id: Option<String>,
    /// The text, where the result is one text and nothing else.
    pub single_text: Option<String>,
    /// The format's own word for a failure.
    pub failed: bool,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub kind: Kind,
    pub reasoning: bool,
    pub pending: bool,
    /// The assistant's words beside its calls, or before them.
    pub prose: Vec<String>,
}

/// The format whose tell-tale comes first.
pub fn guess(values: &[Value]) -> Wire {
    for value in values {
        if value.get("parts").is_some() {
            return Wire::Gemini;
        }
        let item = value["type"].as_str().unwrap_or_default();
        if matches!(
            item,
            "function_call"
                | "custom_tool_call"
                | "function_call_output"
                | "custom_tool_call_output"
                | "reasoning"
        ) {
            return Wire::Responses;
        }
        let blocks = value["content"].as_array().into_iter().flatten();
        if blocks
            .into_iter()
            .any(|block| is(block, &["tool_use", "tool_result"]))
        {
            return Wire::Anthropic;
        }
        if value["role"] == "tool"
            || value["tool_calls"]
                .as_array()
                .is_some_and(|c| !c.is_empty())
        {
            return Wire::Chat;
        }
        let mut blocks = value["content"].as_array().into_iter().flatten();
        if blocks.any(|block| block["toolUse"].is_object() || block["toolResult"].is_object()) {
            return Wire::Bedrock;
        }
    }
    Wire::Chat
}

fn is(value: &Value, types: &[&str]) -> bool {
    value["type"]
        .as_str()
        .is_some_and(|kind| types.contains(&kind))
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn id(value: &Value) -> Option<String> {
    text(value).filter(|id| !id.is_empty())
}

/// A text, or a list of exactly one text part.
pub fn single_text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) if parts.len() == 1 => part_text(&parts[0]),
        _ => None,
    }
}

fn part_text(part: &Value) -> Option<String> {
    is(part, &["text", "input_text", "output_text"])
        .then(|| text(&part["text"]))
        .flatten()
}

/// The texts of a message's content.
fn texts(content: &Value) -> Vec<String> {
    let mut texts: Vec<String> = match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts.iter().filter_map(part_text).collect(),
        _ => Vec::new(),
    };
    texts.retain(|text| !text.is_empty());
    texts
}

fn unfinished(value: &Value) -> bool {
    matches!(
        value["status"].as_str(),
        Some(
            "in_progress"
                | "incomplete"
                | "pending"
                | "queued"
                | "requires_action"
                | "requires_approval"
                | "awaiting_approval"
        )
    )
}

fn failed(value: &Value) -> bool {
    value["is_error"] == true || matches!(value["status"].as_str(), Some("error" | "failed"))
}

pub fn said(value: &Value, wire: Wire) -> Said {
    let mut said = Said {
        kind: Kind::Other,
        reasoning: false,
        pending: false,
        prose: Vec::new(),
    };
    if value.is_object() {
        match wire {
            Wire::Chat => chat(value, &mut said),
            Wire::Anthropic => anthropic(value, &mut said),
            Wire::Responses => responses(value, &mut said),
            Wire::Gemini => gemini(value, &mut said),
            Wire::Bedrock => bedrock(value, &mut said),
        }
    }
    said
}

fn chat(value: &Value, said: &mut Said) {
    let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
    let filled = |name: &str| !value[name].is_null() && value[name] != "";
    let calls = list("tool_calls");
    said.pending = unfinished(value);
    said.reasoning = filled("reasoning_content")
        || filled("reasoning")
        || filled("reasoning_details")
        || calls.iter().any(|call| {
            call["extra_content"]
                .to_string()
                .contains("\"thought_signature\"")
        });
    said.kind = match value["role"].as_str() {
        Some("assistant") if !calls.is_empty() && calls.iter().all(Value::is_object) => {
            Kind::Calls(
                calls
                    .iter()
                    .map(|call| {
                        let function = match call["custom"].as_object() {
                            Some(_) => &call["custom"],
                            None => &call["function"],
                        };
                        let arguments = if function["arguments"].is_null() {
                            &function["input"]
                        } else {
                            &function["arguments"]
                        };
                        Call {
                            id: id(&call["id"]),
                            name: text(&function["name"]),
                            arguments: arguments.clone(),
                        }
                    })
                    .collect(),
            )
        }
        Some("assistant") if calls.is_empty() && value["function_call"].is_object() => {
            Kind::Calls(vec![Call {
                id: None,
                name: text(&value["function_call"]["name"]),
                arguments: value["function_call"]["arguments"].clone(),
            }])
        }
        Some("tool" | "function") => Kind::Results(vec![Answer {
            id: id(&value["tool_call_id"]),
            single_text: single_text(&value["content"]),
            failed: failed(value),
        }]),
        Some("user") => Kind::User,
        _ => Kind::Other,
    };
    if matches!(said.kind, Kind::Calls(_)) {
        said.prose = texts(&value["content"]);
    }
}

fn anthropic(value: &Value, said: &mut Said) {
    let blocks = value["content"].as_array().cloned().unwrap_or_default();
    let of = |kind: &'static str| blocks.iter().filter(move |block| is(block, &[kind]));
    said.reasoning = blocks
        .iter()
        .any(|block| is(block, &["thinking", "redacted_thinking"]));
    let role = value["role"].as_str();
    let results = of("tool_result").count();
    said.kind = if role == Some("assistant") && of("tool_use").count() > 0 {
        Kind::Calls(
            of("tool_use")
                .map(|block| Call {
                    id: id(&block["id"]),
                    name: text(&block["name"]),
                    arguments: block["input"].clone(),
                })
                .collect(),
        )
    } else if role == Some("user") && results > 0 && results == blocks.len() {
        Kind::Results(
            blocks
                .iter()
                .map(|block| Answer {
                    id: id(&block["tool_use_id"]),
                    single_text: single_text(&block["content"]),
                    failed: failed(block),
                })
                .collect(),
        )
    } else if role == Some("user") {
        Kind::User
    } else {
        Kind::Other
    };
    if matches!(said.kind, Kind::Calls(_)) {
        said.prose = texts(&value["content"]);
    }
}

fn bedrock(value: &Value, said: &mut Said) {
    let blocks = value["content"].as_array().cloned().unwrap_or_default();
    let of = |name: &'static str| {
        let named = blocks.iter().filter(move |block| !block[name].is_null());
        named
            .map(move |block| block[name].clone())
            .collect::<Vec<_>>()
    };
    let (calls, results) = (of("toolUse"), of("toolResult"));
    said.reasoning = !of("reasoningContent").is_empty();
    let role = value["role"].as_str();
    said.kind = if role == Some("assistant") && !calls.is_empty() {
        said.prose = of("text").iter().filter_map(text).collect();
        said.prose.retain(|text| !text.is_empty());
        let call = |call: &Value| Call {
            id: id(&call["toolUseId"]),
            name: text(&call["name"]),
            arguments: call["input"].clone(),
        };
        Kind::Calls(calls.iter().map(call).collect())
    } else if role == Some("user") && !results.is_empty() && results.len() == blocks.len() {
        let answer = |result: &Value| Answer {
            id: id(&result["toolUseId"]),
            single_text: converse_text(&result["content"]),
            failed: failed(result),
        };
        Kind::Results(results.iter().map(answer).collect())
    } else if role == Some("user") {
        Kind::User
    } else {
        Kind::Other
    };
}

/// The text of exactly one block that is text and nothing else.
pub fn converse_text(content: &Value) -> Option<String> {
    let blocks = content.as_array()?;
    let [Value::Object(block)] = blocks.as_slice() else {
        return None;
    };
    (block.len() == 1)
        .then(|| text(block.get("text")?))
        .flatten()
}

fn responses(value: &Value, said: &mut Said) {
    said.pending = unfinished(value);
    said.reasoning = is(value, &["reasoning"]);
    let message = value["type"].is_null() || is(value, &["message"]);
    said.kind = if is(value, &["function_call", "custom_tool_call"]) {
        let arguments = if value["arguments"].is_null() {
            &value["input"]
        } else {
            &value["arguments"]
        };
        Kind::Calls(vec![Call {
            id: id(&value["call_id"]),
            name: text(&value["name"]),
            arguments: arguments.clone(),
        }])
    } else if is(value, &["function_call_output", "custom_tool_call_output"]) {
        Kind::Results(vec![Answer {
            id: id(&value["call_id"]),
            single_text: single_text(&value["output"]),
            failed: failed(value),
        }])
    } else if said.reasoning || message && value["role"] == "assistant" {
        Kind::Lead
    } else if message && value["role"] == "user" {
        Kind::User
    } else {
        Kind::Other
    };
    if matches!(said.kind, Kind::Lead) && message {
        said.prose = texts(&value["content"]);
    }
}

fn gemini(value: &Value, said: &mut Said) {
    let parts = value["parts"].as_array().cloned().unwrap_or_default();
    let either = |part: &Value, camel: &str, snake: &str| {
        let found = if part[camel].is_null() {
            &part[snake]
        } else {
            &part[camel]
        };
        found.clone()
    };
    let filled = |value: &Value| value.as_object().is_some_and(|object| !object.is_empty());
    said.reasoning = parts.iter().any(|part| {
        part["thought"] == true || !either(part, "thoughtSignature", "thought_signature").is_null()
    });
    let calls: Vec<Value> = parts
        .iter()
        .map(|part| either(part, "functionCall", "function_call"))
        .filter(filled)
        .collect();
    let results: Vec<Value> = parts
        .iter()
        .map(|part| either(part, "functionResponse", "function_response"))
        .filter(filled)
        .collect();
    let model = value["role"] == "model";
    said.kind = if model && !calls.is_empty() {
        Kind::Calls(
            calls
                .iter()
                .map(|call| Call {
                    id: id(&call["id"]),
                    name: text(&call["name"]),
                    arguments: call["args"].clone(),
                })
                .collect(),
        )
    } else if !model && !results.is_empty() && results.len() == parts.len() {
        Kind::Results(
            results
                .iter()
                .map(|result| {
                    let response = result["response"].as_object().cloned().unwrap_or_default();
                    let only = (response.len() == 1).then(|| {
                        response
                            .get("output")
                            .or(response.get("result"))
                            .and_then(text)
                    });
                    Answer {
                        id: id(&result["id"]),
                        single_text: only.flatten(),
                        failed: response.get("error").is_some_and(|error| !error.is_null()),
                    }
                })
                .collect(),
        )
    } else if value["role"].is_null() || value["role"] == "user" {
        Kind::User
    } else {
        Kind::Other
    };
    if matches!(said.kind, Kind::Calls(_)) {
        said.prose = parts
            .iter()
            .filter(|part| part["thought"] != true)
            .filter_map(|part| text(&part["text"]))
            .filter(|text| !text.is_empty())
            .collect();
    }
}
