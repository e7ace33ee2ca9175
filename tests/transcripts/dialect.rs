//! How each provider, and those who follow it, write a session.

use super::json::{Json, Literal};
use super::session::{Answer, Body, Fault, Round, Turn};
use newt_fold::Wire;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAI chat completions, and Mistral.
    Chat,
    /// No ids, arguments are objects.
    Ollama,
    /// Results name their calls in a list, `tool_call_ids`.
    SweAgent,
    /// `function_call` and `role:"function"`: one call a message.
    Legacy,
    Anthropic,
    Responses,
    /// camelCase, no ids.
    Gemini,
    /// snake_case, ids.
    GeminiSnake,
    /// Amazon Bedrock's Converse.
    Bedrock,
}

pub const DIALECTS: [Dialect; 9] = [
    Dialect::Chat,
    Dialect::Ollama,
    Dialect::SweAgent,
    Dialect::Legacy,
    Dialect::Anthropic,
    Dialect::Responses,
    Dialect::Gemini,
    Dialect::GeminiSnake,
    Dialect::Bedrock,
];

/// Members that no format knows, with values that a parse and a print change.
pub const UNKNOWN: [(&str, &str); 8] = [
    ("index", "0"),
    ("huge", "1e400"),
    ("serial", "12345678901234567890123"),
    ("zero", "-0.0"),
    ("twice", r#"{"a":1,"a":[2.50,{}],"b":1E+2}"#),
    ("half", r#""\ud83d and \ude00""#),
    ("escapes", r#""caf\u00e9 \/ x""#),
    ("provider_specific_fields", "{\"x\" : [1, \t2.50,1E3] }"),
];

/// Members that may come twice, the first time with something that does not
/// count.
const SHADOWS: [&str; 6] = [
    "role",
    "content",
    "parts",
    "call_id",
    "tool_call_id",
    "output",
];

impl Dialect {
    pub fn wire(self) -> Wire {
        match self {
            Self::Chat | Self::Ollama | Self::SweAgent | Self::Legacy => Wire::Chat,
            Self::Anthropic => Wire::Anthropic,
            Self::Responses => Wire::Responses,
            Self::Gemini | Self::GeminiSnake => Wire::Gemini,
            Self::Bedrock => Wire::Bedrock,
        }
    }

    /// The member of a request body that holds the messages.
    pub fn member(self) -> &'static str {
        match self.wire() {
            Wire::Chat | Wire::Anthropic | Wire::Bedrock => "messages",
            Wire::Responses => "input",
            Wire::Gemini => "contents",
        }
    }

    /// The messages of a session.
    pub fn write(self, session: &[Turn]) -> Vec<Json> {
        session.iter().flat_map(|turn| self.turn(turn)).collect()
    }

    fn turn(self, turn: &Turn) -> Vec<Json> {
        match turn {
            Turn::System(text) => vec![self.words("system", text)],
            Turn::User(text) => vec![self.words("user", text)],
            Turn::Assistant(text) => vec![self.words("assistant", text)],
            Turn::Round(round) => self.round(round),
            Turn::Orphan(answer) => vec![self.result(std::slice::from_ref(answer), None)],
            Turn::Mixed(answer, text) => {
                vec![self.result(std::slice::from_ref(answer), Some(text))]
            }
            Turn::Odd(element) => vec![element.clone()],
        }
    }

    fn words(self, role: &'static str, text: &Literal) -> Json {
        match self.wire() {
            Wire::Chat | Wire::Anthropic => {
                object([("role", role.into()), ("content", text.into())])
            }
            Wire::Responses => {
                let part = match role {
                    "assistant" => "output_text",
                    _ => "input_text",
                };
                object([
                    ("type", "message".into()),
                    ("role", role.into()),
                    (
                        "content",
                        Json::Array(vec![object([("type", part.into()), ("text", text.into())])]),
                    ),
                ])
            }
            Wire::Bedrock => {
                let blocks = Json::Array(vec![object([("text", text.into())])]);
                object([("role", role.into()), ("content", blocks)])
            }
            Wire::Gemini => {
                let role = if role == "assistant" { "model" } else { role };
                let parts = Json::Array(vec![object([("text", text.into())])]);
                object([("role", role.into()), ("parts", parts)])
            }
        }
    }

    fn round(self, round: &Round) -> Vec<Json> {
        let round = &match self {
            // One call a message is all that there is.
            Self::Legacy => Round {
                calls: round.calls[..1].to_vec(),
                ..round.clone()
            },
            _ => round.clone(),
        };
        let mut messages = self.calls(round);
        let mut answers = round.answers();
        let last = match round.fault {
            Some(Fault::Interrupted) => Some(("user", answers.pop())),
            Some(Fault::Commented) => Some(("assistant", answers.pop())),
            _ => None,
        };
        let one_message = [Wire::Anthropic, Wire::Gemini, Wire::Bedrock];
        let shared = one_message.contains(&self.wire()) && !round.split;
        if shared && !answers.is_empty() {
            messages.push(self.result(&answers, None));
        } else {
            messages.extend(
                answers
                    .iter()
                    .map(|answer| self.result(std::slice::from_ref(answer), None)),
            );
        }
        if let Some((role, answer)) = last {
            messages.push(self.words(role, &Literal::plain("wait")));
            messages.extend(answer.map(|answer| self.result(&[answer], None)));
        }
        for message in &mut messages {
            let Json::Object(members) = message else {
                continue;
            };
            if round.doubled_members {
                let has = |name| members.iter().any(|member| member.0 == name);
                let shadows: Vec<_> = SHADOWS.into_iter().filter(|name| has(*name)).collect();
                let shadow = |name| (name, "what does not count".into());
                members.splice(0..0, shadows.into_iter().map(shadow));
            }
            if let Some(index) = round.unknown {
                let (name, value) = UNKNOWN[index % UNKNOWN.len()];
                members.push((name, Json::Raw(value.to_owned())));
            }
        }
        messages
    }

    /// The message, or messages, that make the calls of a round.
    fn calls(self, round: &Round) -> Vec<Json> {
        let prose = || round.prose.as_ref();
        match self {
            Self::Chat | Self::SweAgent | Self::Ollama | Self::Legacy => {
                let content = prose().map_or(Json::Raw("null".to_owned()), Json::from);
                let mut members = vec![("role", "assistant".into()), ("content", content)];
                if self == Self::Legacy {
                    let call = &round.calls[0];
                    let function = object([
                        ("name", (&call.name).into()),
                        ("arguments", call.arguments.as_str().into()),
                    ]);
                    members.push(("function_call", function));
                } else {
                    let calls = round.calls.iter().map(|call| {
                        let arguments = match self {
                            Self::Ollama => Json::Raw(as_object(&call.arguments)),
                            _ => call.arguments.as_str().into(),
                        };
                        let function =
                            object([("name", (&call.name).into()), ("arguments", arguments)]);
                        match self {
                            Self::Ollama => object([("function", function)]),
                            _ => object([
                                ("id", (&call.id).into()),
                                ("type", "function".into()),
                                ("function", function),
                            ]),
                        }
                    });
                    members.push(("tool_calls", Json::Array(calls.collect())));
                }
                if round.reasoning {
                    members.push(("reasoning_content", "I should look first.".into()));
                }
                vec![Json::Object(members)]
            }
            Self::Anthropic => {
                let mut blocks = Vec::new();
                if round.reasoning {
                    blocks.push(object([
                        ("type", "thinking".into()),
                        ("thinking", "look first".into()),
                        ("signature", "EqQBCkYI".into()),
                    ]));
                }
                blocks.extend(
                    prose().map(|text| object([("type", "text".into()), ("text", text.into())])),
                );
                blocks.extend(round.calls.iter().map(|call| {
                    object([
                        ("type", "tool_use".into()),
                        ("id", (&call.id).into()),
                        ("name", (&call.name).into()),
                        ("input", Json::Raw(as_object(&call.arguments))),
                    ])
                }));
                vec![object([
                    ("role", "assistant".into()),
                    ("content", Json::Array(blocks)),
                ])]
            }
            Self::Bedrock => {
                let mut blocks = Vec::new();
                if round.reasoning {
                    let text = object([("text", "look first".into())]);
                    blocks.push(object([(
                        "reasoningContent",
                        object([("reasoningText", text)]),
                    )]));
                }
                blocks.extend(prose().map(|text| object([("text", text.into())])));
                blocks.extend(round.calls.iter().map(|call| {
                    let tool_use = object([
                        ("toolUseId", (&call.id).into()),
                        ("name", (&call.name).into()),
                        ("input", Json::Raw(as_object(&call.arguments))),
                    ]);
                    object([("toolUse", tool_use)])
                }));
                vec![object([
                    ("role", "assistant".into()),
                    ("content", Json::Array(blocks)),
                ])]
            }
            Self::Responses => {
                let mut items = Vec::new();
                if round.reasoning {
                    items.push(object([
                        ("type", "reasoning".into()),
                        ("id", "rs_1".into()),
                        ("summary", Json::Array(vec![])),
                        ("encrypted_content", "gAAAA".into()),
                    ]));
                }
                items.extend(prose().map(|text| self.words("assistant", text)));
                items.extend(round.calls.iter().map(|call| {
                    let custom = call.name.text() == "apply_patch";
                    let kind = ["function_call", "custom_tool_call"][usize::from(custom)];
                    object([
                        ("type", kind.into()),
                        ("call_id", (&call.id).into()),
                        ("name", (&call.name).into()),
                        (
                            ["arguments", "input"][usize::from(custom)],
                            call.arguments.as_str().into(),
                        ),
                    ])
                }));
                items
            }
            Self::Gemini | Self::GeminiSnake => {
                let mut parts = Vec::new();
                if round.reasoning {
                    let text = "look first".into();
                    parts.push(object([
                        ("text", text),
                        ("thought", Json::Raw("true".to_owned())),
                    ]));
                }
                parts.extend(prose().map(|text| object([("text", text.into())])));
                for (index, call) in round.calls.iter().enumerate() {
                    let mut function = vec![
                        ("name", (&call.name).into()),
                        ("args", Json::Raw(as_object(&call.arguments))),
                    ];
                    if self == Self::GeminiSnake {
                        function.insert(0, ("id", (&call.id).into()));
                    }
                    let snake = usize::from(self == Self::GeminiSnake);
                    let mut part = vec![(
                        ["functionCall", "function_call"][snake],
                        Json::Object(function),
                    )];
                    if round.reasoning && index == 0 {
                        part.push((
                            ["thoughtSignature", "thought_signature"][snake],
                            "U2ln".into(),
                        ));
                    }
                    parts.push(Json::Object(part));
                }
                vec![object([
                    ("role", "model".into()),
                    ("parts", Json::Array(parts)),
                ])]
            }
        }
    }

    /// A message of results, with words beside them where there are some.
    fn result(self, answers: &[Answer], words: Option<&Literal>) -> Json {
        let answer = &answers[0];
        match self {
            Self::Chat | Self::Ollama | Self::SweAgent | Self::Legacy => {
                let role = if self == Self::Legacy {
                    "function"
                } else {
                    "tool"
                };
                let mut members = vec![("role", role.into())];
                match self {
                    Self::Chat => members.push(("tool_call_id", (&answer.id).into())),
                    Self::Ollama => members.push(("tool_name", (&answer.name).into())),
                    Self::Legacy => members.push(("name", (&answer.name).into())),
                    _ => members.push(("tool_call_ids", Json::Array(vec![(&answer.id).into()]))),
                }
                members.extend(content(&answer.body, "text", "image_url").map(|c| ("content", c)));
                Json::Object(members)
            }
            Self::Anthropic => {
                let mut blocks: Vec<Json> = answers
                    .iter()
                    .map(|answer| {
                        let mut members = vec![
                            ("type", "tool_result".into()),
                            ("tool_use_id", (&answer.id).into()),
                        ];
                        members
                            .extend(content(&answer.body, "text", "image").map(|c| ("content", c)));
                        if answer.failed {
                            members.push(("is_error", Json::Raw("true".to_owned())));
                        }
                        Json::Object(members)
                    })
                    .collect();
                blocks.extend(
                    words.map(|text| object([("type", "text".into()), ("text", text.into())])),
                );
                object([("role", "user".into()), ("content", Json::Array(blocks))])
            }
            Self::Bedrock => {
                let mut blocks: Vec<Json> = answers
                    .iter()
                    .map(|answer| {
                        let mut members = vec![("toolUseId", (&answer.id).into())];
                        members.extend(converse(&answer.body).map(|c| ("content", c)));
                        if answer.failed {
                            members.push(("status", "error".into()));
                        }
                        object([("toolResult", Json::Object(members))])
                    })
                    .collect();
                blocks.extend(words.map(|text| object([("text", text.into())])));
                object([("role", "user".into()), ("content", Json::Array(blocks))])
            }
            Self::Responses => {
                let custom = answer.name.text() == "apply_patch";
                let kind = ["function_call_output", "custom_tool_call_output"][usize::from(custom)];
                let mut members = vec![("type", kind.into()), ("call_id", (&answer.id).into())];
                members.extend(
                    content(&answer.body, "input_text", "input_image").map(|c| ("output", c)),
                );
                Json::Object(members)
            }
            Self::Gemini | Self::GeminiSnake => {
                let snake = self == Self::GeminiSnake;
                let mut parts: Vec<Json> = answers
                    .iter()
                    .map(|answer| {
                        let mut members = vec![
                            ("name", (&answer.name).into()),
                            ("response", response(answer)),
                        ];
                        if snake {
                            members.insert(0, ("id", (&answer.id).into()));
                        }
                        let name = ["functionResponse", "function_response"][usize::from(snake)];
                        object([(name, Json::Object(members))])
                    })
                    .collect();
                parts.extend(words.map(|text| object([("text", text.into())])));
                object([("role", "user".into()), ("parts", Json::Array(parts))])
            }
        }
    }
}

fn object<const N: usize>(members: [(&'static str, Json); N]) -> Json {
    Json::Object(members.into())
}

/// Arguments for a format that wants an object: what is none becomes a member.
fn as_object(arguments: &str) -> String {
    match serde_json::from_str::<&serde_json::value::RawValue>(arguments) {
        Ok(raw) if raw.get().starts_with('{') => arguments.to_owned(),
        _ => object([("raw", arguments.into())]).write(super::Layout::Compact),
    }
}

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn content(body: &Body, text_type: &'static str, image_type: &'static str) -> Option<Json> {
    let part = |text: &Literal| object([("type", text_type.into()), ("text", text.into())]);
    Some(match body {
        Body::Text(text) => text.into(),
        Body::Parts(texts) => Json::Array(texts.iter().map(part).collect()),
        Body::Image(words) => {
            let url = format!("data:image/png;base64,{PIXEL}");
            let image = match image_type {
                "image" => (
                    "source",
                    object([
                        ("type", "base64".into()),
                        ("media_type", "image/png".into()),
                        ("data", PIXEL.into()),
                    ]),
                ),
                "input_image" => ("image_url", url.as_str().into()),
                _ => ("image_url", object([("url", url.as_str().into())])),
            };
            let mut parts: Vec<Json> = words.iter().map(part).collect();
            parts.push(object([("type", image_type.into()), image]));
            Json::Array(parts)
        }
        Body::Value(value) => value.clone(),
        Body::Missing => return None,
    })
}

/// A result's content in Bedrock's blocks.
fn converse(body: &Body) -> Option<Json> {
    let block = |text: &Literal| object([("text", text.into())]);
    Some(Json::Array(match body {
        Body::Text(text) => vec![block(text)],
        Body::Parts(texts) => texts.iter().map(block).collect(),
        Body::Image(words) => {
            let source = object([("bytes", PIXEL.into())]);
            let image = object([("format", "png".into()), ("source", source)]);
            let mut blocks: Vec<Json> = words.iter().map(block).collect();
            blocks.push(object([("image", image)]));
            blocks
        }
        Body::Value(value) => vec![object([("json", value.clone())])],
        Body::Missing => return None,
    }))
}

fn response(answer: &Answer) -> Json {
    let name = if answer.failed { "error" } else { "output" };
    match &answer.body {
        Body::Text(text) => object([(name, text.into())]),
        Body::Parts(texts) => object([(
            "result",
            Json::Array(texts.iter().map(Json::from).collect()),
        )]),
        Body::Image(words) => object([
            (
                "output",
                words
                    .as_ref()
                    .map_or(Json::Raw("null".to_owned()), Json::from),
            ),
            ("picture", PIXEL.into()),
        ]),
        Body::Value(value) => object([("value", value.clone())]),
        Body::Missing => object([]),
    }
}
