//! Folds a session and proves that nothing of it was lost.
//!
//! ```text
//! cargo run --release --example fold [transcript.json]
//! ```
//!
//! Without a path it folds a session that it makes up: a coding agent that
//! reads, searches, edits and tests, in twelve turns of ten to sixteen rounds.

use newt_fold::{Config, Results, Summary, fold};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::error::Error;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let before = match env::args().nth(1) {
        Some(path) => fs::read(path)?,
        None => made_up_session().to_string().into_bytes(),
    };
    let config = Config {
        results: Results::Any,
        ..Config::default()
    };
    let mut spans = HashMap::new();
    let (after, summary) = fold(&before, &config, |span| {
        let handle = format!("{:016x}", fnv1a(span));
        spans.insert(handle.clone(), span.to_owned());
        Some(handle)
    })?;

    show(&summary);
    let proven = prove(str::from_utf8(&before)?, &after, &spans)?;
    println!("\nEach of the {proven} messages that went stands in a span, as it was.");
    Ok(())
}

fn show(summary: &Summary) {
    let percent = 100 * summary.tokens_after / summary.tokens_before.max(1);
    println!(
        "before   {:>6} messages  {:>7} tokens",
        summary.messages_before, summary.tokens_before
    );
    println!(
        "after    {:>6} messages  {:>7} tokens  ({percent} %)",
        summary.messages_after, summary.tokens_after
    );
    println!(
        "verdict  {:?}: {} rounds in {} cards",
        summary.verdict, summary.rounds_folded, summary.cards
    );
}

/// Walks both documents side by side: a message stands in both, or a card
/// stands for as many messages as its span has lines, and these are they.
///
/// Prints the newest card, and returns how many messages went.
fn prove(
    before: &str,
    after: &str,
    spans: &HashMap<String, String>,
) -> Result<usize, Box<dyn Error>> {
    let mut was = messages(before)?.into_iter().peekable();
    let mut newest = None;
    let mut went = 0;
    for message in messages(after)? {
        if was.next_if(|was| was.get() == message.get()).is_some() {
            continue;
        }
        let handle = message
            .get()
            .rsplit("compaction:")
            .next()
            .and_then(|rest| rest.split(['\\', '"', ']']).next())
            .ok_or("a message was neither kept nor replaced by a card")?;
        let span = spans
            .get(handle)
            .ok_or("a card names a handle that was not minted")?;
        for line in span.lines() {
            let removed = was.next().ok_or("a span holds more than what went")?;
            // A message laid out over several lines stands on one in its span.
            if removed.get().lines().map(str::trim).collect::<String>() != line {
                return Err("a span holds something else than what went".into());
            }
            went += 1;
        }
        newest = Some(message);
    }
    if was.next().is_some() {
        return Err("messages went without a card".into());
    }
    if let Some(card) = newest {
        let card: Value = serde_json::from_str(card.get())?;
        let text = card["content"]
            .as_str()
            .or(card["parts"][0]["text"].as_str());
        println!("\n{}", text.unwrap_or_default());
    }
    Ok(went)
}

/// The messages of a transcript, or of a request body, as they stand there.
fn messages(document: &str) -> Result<Vec<&RawValue>, Box<dyn Error>> {
    let document = document.trim_start_matches('\u{feff}');
    if !document.trim_start().starts_with('{') {
        return Ok(serde_json::from_str(document)?);
    }
    let body: HashMap<&str, &RawValue> = serde_json::from_str(document)?;
    let member = ["messages", "input", "contents"]
        .iter()
        .find_map(|name| body.get(name))
        .ok_or("a request body without messages")?;
    Ok(serde_json::from_str(member.get())?)
}

/// FNV-1a, 64 bits: enough for an example. A host at scale takes a
/// cryptographic hash, or the built-in store.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn made_up_session() -> Value {
    const WISHES: [&str; 4] = [
        "The importer drops the last row of every file. Please find out why.",
        "Good. Now let it accept semicolons as well as commas.",
        "The nightly job is slow since Monday; what changed?",
        "Write that down in the notes, and check that the tests cover it.",
    ];
    const MODULES: [&str; 5] = ["reader", "table", "importer", "schedule", "report"];
    let mut session = vec![json!({
        "role": "system",
        "content": "You work on an importer of tables. Small steps; run the tests before you report."
    })];
    let mut round = 0;
    for turn in 0..12 {
        session.push(json!({"role": "user", "content": WISHES[turn % WISHES.len()]}));
        for _ in 0..10 + turn * 5 % 7 {
            let module = MODULES[round * 3 % MODULES.len()];
            let lines = 20 + round * 37 % 160;
            let (tool, arguments, result) = match round % 5 {
                0 => (
                    "search",
                    json!({"pattern": format!("fn {module}_")}),
                    numbered(lines / 4, |n| {
                        format!(
                            "src/{module}.rs:{}:    fn {module}_{n}(row: &Row) -> Option<Cell>",
                            n * 17
                        )
                    }),
                ),
                1 | 2 => (
                    "read_file",
                    json!({"path": format!("src/{module}.rs"), "from": round, "lines": lines}),
                    numbered(lines, |n| {
                        format!(
                            "{n:>4} |     let cell_{n} = row.cell({n}).ok_or(\"cell {n} of {module} is missing\")?;"
                        )
                    }),
                ),
                3 => (
                    "edit_file",
                    json!({"path": format!("src/{module}.rs"), "old": "rows.len() - 1", "new": "rows.len()"}),
                    format!("edited src/{module}.rs: 1 replacement"),
                ),
                _ => (
                    "bash",
                    json!({"command": format!("cargo test {module}")}),
                    numbered(lines, |n| format!("test {module}::keeps_row_{n} ... ok"))
                        + if round % 3 == 0 {
                            "error: test failed\nexit code 101"
                        } else {
                            "test result: ok"
                        },
                ),
            };
            let id = format!("call_{round:04}");
            let prose = if round % 3 == 0 {
                format!("Next I look at {module}.")
            } else {
                String::new()
            };
            session.push(json!({"role": "assistant", "content": prose, "tool_calls": [
                {"id": id, "type": "function", "function": {"name": tool, "arguments": arguments.to_string()}}
            ]}));
            session.push(json!({"role": "tool", "tool_call_id": id, "content": result}));
            round += 1;
        }
        session.push(json!({"role": "assistant", "content": "Done; the tests pass."}));
    }
    session.into()
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (1..=count).map(|n| line(n) + "\n").collect()
}
