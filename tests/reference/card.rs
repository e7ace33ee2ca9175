//! A card, read by its whole grammar.

use super::kind;
use newt_fold::Wire;
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Rounds that it stands for.
    pub rounds: usize,
    /// Those of them in the tally line.
    pub older: usize,
    pub lines: Vec<String>,
    pub handle: String,
    /// The tool that it tells the model to call.
    pub fetch_tool: Option<String>,
}

/// The number in `14 earlier tool rounds`.
fn counted(text: &str, what: &str) -> Option<usize> {
    let number: usize = text.split(' ').next()?.parse().ok()?;
    let s = if number == 1 { "" } else { "s" };
    (text == format!("{number} {what}{s}")).then_some(number)
}

impl Card {
    pub fn parse(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.split('\n').collect();
        let [head, middle @ .., foot] = lines.as_slice() else {
            return None;
        };
        let rounds = counted(
            head.strip_prefix("[NEWT FOLDED TOOL ROUNDS] ")?
                .strip_suffix("; background, not instructions.")?,
            "earlier tool round",
        )?;
        let inner = foot.strip_prefix("[exact text: ")?.strip_suffix(']')?;
        let (fetch_tool, address) = match inner.split_once('(') {
            Some((tool, quoted)) => {
                let address = quoted.strip_prefix('"')?.strip_suffix("\")")?;
                (Some(tool.to_owned()), address)
            }
            None => (None, inner),
        };
        let named = |tool: &String| {
            (1..=64).contains(&tool.len())
                && tool
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
        };
        let handle = address.strip_prefix("compaction:")?;
        let mut lines = Vec::new();
        let mut older = 0;
        for (index, line) in middle.iter().enumerate() {
            let line = line.strip_prefix("- ")?;
            let tally = line
                .strip_prefix("… ")
                .and_then(|tally| counted(tally, "older round"));
            match tally {
                Some(tally) if index == 0 => older = tally,
                _ => lines.push(line.to_owned()),
            }
        }
        let clean = |line: &String| {
            !line.is_empty() && !line.contains("compaction:") && !line.contains(char::is_control)
        };
        let sound = is_handle(handle)
            && fetch_tool.iter().all(named)
            && !lines.is_empty()
            && lines.iter().all(clean)
            && lines.len().checked_add(older) == Some(rounds);
        sound.then(|| Self {
            rounds,
            older,
            lines,
            handle: handle.to_owned(),
            fetch_tool,
        })
    }
}

pub fn is_handle(handle: &str) -> bool {
    (1..=256).contains(&handle.len())
        && handle
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._~:/@=+-".contains(c))
}

/// Whether an object has no member but these, and what a host may add.
fn only(object: &Map<String, Value>, names: &[&str]) -> bool {
    let added = ["cache_control", "id", "status", "type"];
    object
        .keys()
        .all(|key| names.contains(&key.as_str()) || added.contains(&key.as_str()))
}

/// The text of a string, or of a list of exactly one text part.
fn content(value: &Value) -> Option<String> {
    if let Some(part) = value.as_array().and_then(|parts| parts.first()) {
        let keys = part.as_object()?.keys();
        let mut keys = keys.map(String::as_str);
        if !keys.all(|key| matches!(key, "type" | "text" | "cache_control")) {
            return None;
        }
    }
    kind::single_text(value)
}

/// A USER or ASSISTANT card.
pub fn of_words(value: &Value, wire: Wire) -> Option<Card> {
    let object = value.as_object()?;
    let assistant = if wire == Wire::Gemini {
        "model"
    } else {
        "assistant"
    };
    let role = value["role"].as_str();
    let user = role == Some("user") || wire == Wire::Gemini && role.is_none();
    if !user && role != Some(assistant) {
        return None;
    }
    if wire == Wire::Gemini {
        let [Value::Object(part)] = value["parts"].as_array()?.as_slice() else {
            return None;
        };
        let plain = only(object, &["role", "parts"]) && part.keys().all(|key| key == "text");
        return Card::parse(part.get("text")?.as_str()?).filter(|_| plain);
    }
    if wire == Wire::Bedrock {
        let plain = object.keys().all(|key| key == "role" || key == "content");
        let text = kind::converse_text(&value["content"])?;
        return Card::parse(&text).filter(|_| plain);
    }
    let item = value["type"].is_null() || value["type"] == "message" || wire != Wire::Responses;
    let plain = only(object, &["role", "content"]) && item;
    Card::parse(&content(&value["content"])?).filter(|_| plain)
}

/// A TOOL card: a call and its result.
pub fn of_call(call: &Value, result: &Value, wire: Wire) -> Option<Card> {
    let (made, given) = (call.as_object()?, result.as_object()?);
    let (kind::Kind::Calls(calls), kind::Kind::Results(results)) =
        (kind::said(call, wire).kind, kind::said(result, wire).kind)
    else {
        return None;
    };
    let ([asked], [answer]) = (calls.as_slice(), results.as_slice()) else {
        return None;
    };
    let plain = match wire {
        Wire::Chat => {
            only(made, &["role", "content", "tool_calls"])
                && kind::said(call, wire).prose.is_empty()
                && only(given, &["role", "content", "tool_call_id"])
                && content(&result["content"]).is_some()
        }
        Wire::Anthropic => {
            let lone = |message: &Value, names: &[&str]| {
                let blocks = message["content"].as_array().cloned().unwrap_or_default();
                blocks.len() == 1
                    && blocks[0]
                        .as_object()
                        .is_some_and(|block| only(block, names))
            };
            only(made, &["role", "content"])
                && only(given, &["role", "content"])
                && lone(call, &["name", "input"])
                && lone(result, &["tool_use_id", "content", "is_error"])
        }
        Wire::Bedrock => {
            let lone = |message: &Value, name: &str| {
                let blocks = message["content"].as_array().cloned().unwrap_or_default();
                let [Value::Object(block)] = blocks.as_slice() else {
                    return false;
                };
                block.len() == 1 && block.contains_key(name)
            };
            made.len() == 2
                && given.len() == 2
                && lone(call, "toolUse")
                && lone(result, "toolResult")
        }
        Wire::Responses => {
            only(made, &["call_id", "name", "arguments", "input"])
                && only(given, &["call_id", "output"])
                && content(&result["output"]).is_some()
        }
        Wire::Gemini => {
            let lone = |message: &Value, names: &[&str]| {
                let parts = message["parts"].as_array().cloned().unwrap_or_default();
                parts.len() == 1
                    && parts[0]
                        .as_object()
                        .is_some_and(|part| part.keys().all(|key| names.contains(&key.as_str())))
            };
            only(made, &["role", "parts"])
                && only(given, &["role", "parts"])
                && lone(
                    call,
                    &[
                        "functionCall",
                        "function_call",
                        "thoughtSignature",
                        "thought_signature",
                    ],
                )
                && lone(result, &["functionResponse", "function_response"])
        }
    };
    let paired = asked.id.is_none() || answer.id.is_none() || asked.id == answer.id;
    let card = Card::parse(answer.single_text.as_deref()?)?;
    let address = match &asked.arguments {
        Value::String(inner) => serde_json::from_str::<Value>(inner).ok()?["address"].clone(),
        object => object["address"].clone(),
    };
    let asks = address == format!("compaction:{}", card.handle).as_str();
    (plain && paired && asks).then_some(card)
}
