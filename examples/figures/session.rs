//! A coding agent's session, made up: the same one every time.

use newt_fold::Wire;
use serde_json::{Value, json};

/// Bytes of the system prompt and the tools' definitions together.
pub const HEAD_BYTES: usize = 4096;

/// Rounds between two messages of the user, where the user speaks at all.
pub const USER_EVERY: usize = 20;

/// One call of a tool, what it answered, and what the assistant said first.
struct Round {
    index: usize,
    note: String,
    tool: &'static str,
    arguments: Value,
    result: String,
}

/// Whole numbers that look random: SplitMix64, https://prng.di.unimi.it/
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const MODULES: [&str; 8] = [
    "parser", "lexer", "server", "session", "router", "storage", "cache", "report",
];
const NOUNS: [&str; 12] = [
    "token", "request", "header", "buffer", "record", "offset", "column", "schema", "handle",
    "reply", "window", "cursor",
];
const VERBS: [&str; 8] = [
    "read", "write", "parse", "merge", "check", "open", "close", "flush",
];

/// A line such as tools print: of a program, a test run, a search.
fn line(tool: &str, dice: &mut Dice) -> String {
    let (module, noun, other) = (dice.pick(&MODULES), dice.pick(&NOUNS), dice.pick(&NOUNS));
    let (verb, number) = (dice.pick(&VERBS), dice.below(900));
    match (tool, dice.below(4)) {
        ("bash", 0) => format!("test {module}::tests::{verb}_{noun}_{number} ... ok"),
        ("bash", 1) => format!("warning: unused variable: `{noun}` (src/{module}.rs:{number}:13)"),
        ("bash", 2) => format!("   Compiling {module}-{noun} v0.{}.{number}", number % 9),
        ("bash", _) => format!(
            "-rw-r--r-- 1 dev dev {:>6} {module}/{noun}_{number}.rs",
            number * 37
        ),
        ("search", _) => {
            format!("src/{module}.rs:{number}: fn {verb}_{noun}(&mut self, {other}: usize)")
        }
        (_, 0) => {
            format!("    pub fn {verb}_{noun}(&self, {other}: &str) -> Result<u64, Error> {{")
        }
        (_, 1) => format!("        let {noun} = self.{other}.{verb}({number})?;"),
        (_, 2) => format!("        if {noun}.len() > {number} {{ return Err(Error::{other}()); }}"),
        _ => format!("    // The {noun} is kept until the {other} was {verb} \"in full\"."),
    }
}

impl Round {
    fn new(index: usize) -> Self {
        let mut dice = Dice(index as u64);
        let tool = dice.pick(&["read_file", "bash", "bash", "search", "edit_file"]);
        let (module, noun, verb) = (dice.pick(&MODULES), dice.pick(&NOUNS), dice.pick(&VERBS));
        let path = format!("src/{module}/{noun}.rs");
        let arguments = match tool {
            "read_file" => json!({"path": path, "offset": dice.below(400), "limit": 200}),
            "bash" => {
                json!({"command": format!("cargo test -p {module} {verb}_{noun} 2>&1 | tail -40")})
            }
            "search" => json!({"pattern": format!("fn {verb}_{noun}"), "path": "src"}),
            _ => json!({"path": path, "old": line(tool, &mut dice), "new": line(tool, &mut dice)}),
        };
        let note = match dice.below(3) {
            0 => format!(
                "The {noun} of the {module} comes next: I {verb} it and see whether the tests hold."
            ),
            1 => format!("Let me {verb} the {noun} in {module}."),
            _ => String::new(),
        };
        // 2 to 42 lines of about 62 bytes: some 1.6 KB a round with its call.
        let lines = 2 + dice.below(41);
        let result: Vec<_> = (0..lines).map(|_| line(tool, &mut dice)).collect();
        Self {
            index,
            note,
            tool,
            arguments,
            result: result.join("\n"),
        }
    }

    fn messages(&self, wire: Wire) -> Vec<Value> {
        let Self {
            note,
            tool,
            arguments,
            result,
            ..
        } = self;
        let id = format!("call_{:06}", self.index);
        match wire {
            Wire::Chat => vec![
                json!({"role": "assistant", "content": note, "tool_calls": [
                    {"id": id, "type": "function", "function": {"name": tool, "arguments": arguments.to_string()}}]}),
                json!({"role": "tool", "tool_call_id": id, "content": result}),
            ],
            Wire::Anthropic => {
                let mut said = Vec::new();
                if !note.is_empty() {
                    said.push(json!({"type": "text", "text": note}));
                }
                said.push(json!({"type": "tool_use", "id": id, "name": tool, "input": arguments}));
                vec![
                    json!({"role": "assistant", "content": said}),
                    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]}),
                ]
            }
            Wire::Bedrock => {
                let mut said = Vec::new();
                if !note.is_empty() {
                    said.push(json!({"text": note}));
                }
                said.push(json!({"toolUse": {"toolUseId": id, "name": tool, "input": arguments}}));
                vec![
                    json!({"role": "assistant", "content": said}),
                    json!({"role": "user", "content": [
                        {"toolResult": {"toolUseId": id, "content": [{"text": result}]}}]}),
                ]
            }
            Wire::Responses => {
                let mut items = Vec::new();
                if !note.is_empty() {
                    items.push(json!({"type": "message", "role": "assistant", "content": [
                        {"type": "output_text", "text": note}]}));
                }
                items.push(json!({"type": "function_call", "call_id": id, "name": tool, "arguments": arguments.to_string()}));
                items
                    .push(json!({"type": "function_call_output", "call_id": id, "output": result}));
                items
            }
            Wire::Gemini => {
                let mut parts = Vec::new();
                if !note.is_empty() {
                    parts.push(json!({"text": note}));
                }
                parts.push(json!({"functionCall": {"name": tool, "args": arguments}}));
                vec![
                    json!({"role": "model", "parts": parts}),
                    json!({"role": "user", "parts": [
                        {"functionResponse": {"name": tool, "response": {"output": result}}}]}),
                ]
            }
        }
    }
}

/// Somebody's words, as a message.
fn says(wire: Wire, role: &str, text: &str) -> Value {
    match wire {
        Wire::Gemini if role == "assistant" => json!({"role": "model", "parts": [{"text": text}]}),
        Wire::Gemini => json!({"role": role, "parts": [{"text": text}]}),
        Wire::Bedrock => json!({"role": role, "content": [{"text": text}]}),
        _ => json!({"role": role, "content": text}),
    }
}

/// Who speaks in the session beside the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// The user, once: one unbroken stretch of rounds.
    Once,
    /// The user again after every so many rounds, once the assistant is done.
    Every(usize),
}

/// A request body without its messages: the model, the tools, and where the
/// messages stand.
pub fn head() -> String {
    let mut head = String::from(r#"{"model":"made-up","tools":["#);
    for (index, tool) in ["read_file", "edit_file", "bash", "search"]
        .iter()
        .enumerate()
    {
        let comma = if index == 0 { "" } else { "," };
        let about =
            "One tool of a coding agent; its description is as long as such descriptions are. ";
        head.push_str(comma);
        head.push_str(
            &json!({"type": "function", "function": {"name": tool, "description": about.repeat(6),
                "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}})
            .to_string(),
        );
    }
    head.push_str(r#"],"messages":["#);
    let rules = "Read before you write. Run the tests after each change. Say what you did. ";
    let mut system = String::new();
    while head.len() + system.len() + rules.len() + 40 < HEAD_BYTES {
        system.push_str(rules);
    }
    head.push_str(&json!({"role": "system", "content": system}).to_string());
    head
}

/// The messages of a session, each as JSON, in the groups that come between
/// two requests: the task first, then a group for each round.
pub fn groups(wire: Wire, user: User) -> impl Iterator<Item = Vec<String>> {
    let task = says(
        wire,
        "user",
        "Make the storage survive a full disk, and prove it.",
    );
    let first = vec![task.to_string()];
    let rounds = (0..).map(move |index| {
        let mut messages = Round::new(index).messages(wire);
        if let User::Every(rounds) = user
            && (index + 1) % rounds == 0
        {
            let done = format!(
                "Step {index} is done: the tests pass, and I wrote down what is left to do."
            );
            let next =
                format!("Good. Now see to point {index} of the list, and mind the other readers.");
            messages.push(says(wire, "assistant", &done));
            messages.push(says(wire, "user", &next));
        }
        messages.iter().map(Value::to_string).collect()
    });
    std::iter::once(first).chain(rounds)
}

/// The session that a floor is promised for: one unbroken stretch of builds,
/// their output 3 to 42 lines long.
pub fn builds() -> impl Iterator<Item = Vec<String>> {
    let first = vec![
        json!({"role": "system", "content": "be useful"}).to_string(),
        json!({"role": "user", "content": "start"}).to_string(),
    ];
    let rounds = (0..).map(|k| {
        let output = format!("line of output {k}\n").repeat(3 + k * 7 % 40);
        let call = json!({"id": format!("c{k}"), "type": "function", "function": {
            "name": "bash", "arguments": json!({"command": format!("make t{k}")}).to_string()}});
        vec![
            json!({"role": "assistant", "content": "", "tool_calls": [call]}).to_string(),
            json!({"role": "tool", "tool_call_id": format!("c{k}"), "content": output}).to_string(),
        ]
    });
    std::iter::once(first).chain(rounds)
}
