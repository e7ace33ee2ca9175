//! Measures whole folds: each table is of one run, and the best of several
//! calls counts.
//!
//! `cargo bench --bench fold` prints folds beside the same fold on a tree;
//! `-- grow [MEGABYTES]` shows that time and memory grow as the document does,
//! `-- session` what folds after each round cost, `-- threads` what two threads
//! do at once. `-- write DIR` writes the documents instead, for
//! `benches/parsers.py`, and `-- fixed DIR` those of `benches/instructions.sh`
//! and `benches/startup.sh`.

mod documents;
mod grow;
mod session;
mod threads;
mod tree;

use newt_fold::{Config, Results, fold};
use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{env, fs, path::PathBuf};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|a| a != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => compare(),
        ["write", folder] => write(folder, all()),
        ["fixed", folder] => write(folder, fixed()),
        ["grow"] => grow::table(100),
        ["grow", megabytes] => grow::table(number(megabytes)),
        ["grow", document, bytes] => grow::line(document, number(bytes)),
        ["session"] => session::table(),
        ["threads"] => threads::table(),
        _ => panic!(
            "expected nothing, `grow [MEGABYTES]`, `session`, `threads`, `write DIR` or `fixed DIR`"
        ),
    }
}

fn number(argument: &str) -> usize {
    argument.parse().expect("a number")
}

/// The documents of every table, by name.
fn all() -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("one-lined", documents::one_lined(600_000)),
        ("escaped", documents::escaped(3_100_000)),
        ("plain", documents::plain(3_100_000)),
    ];
    let shared = env::var_os("NEWT_FOLD_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let real = shared.join("transcripts/pi-mono/large-session.derived-openai-chat.json");
    match fs::read_to_string(&real) {
        Ok(text) => all.push(("real session", text)),
        Err(error) => eprintln!("no real session: {}: {error}", real.display()),
    }
    all
}

/// Small documents, one of them no JSON at its very end.
fn fixed() -> Vec<(&'static str, String)> {
    let one_lined = documents::one_lined(100_000);
    vec![
        ("refused", one_lined[..one_lined.len() - 1].to_owned()),
        ("one-lined", one_lined),
        ("escaped", documents::escaped(300_000)),
        ("plain", documents::plain(300_000)),
        ("tiny", documents::tiny(2_000)),
        ("10-KB", documents::one_lined(10_000)),
    ]
}

fn write(folder: &str, documents: Vec<(&str, String)>) {
    for (name, document) in documents {
        let path = PathBuf::from(folder).join(format!("{}.json", name.replace(' ', "-")));
        fs::write(&path, document).expect("the folder can be written");
    }
}

fn config() -> Config {
    Config {
        results: Results::Any,
        ..Config::default()
    }
}

/// The shortest of at least five calls, and of as many as half a second takes:
/// what else the machine does can only make a call longer.
fn best(mut work: impl FnMut()) -> Duration {
    let begun = Instant::now();
    let mut best = Duration::MAX;
    let mut calls = 0;
    while calls < 5 || begun.elapsed() < Duration::from_millis(500) {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
        calls += 1;
    }
    best
}

fn compare() {
    println!(
        "{:14} {:>9} {:>12} {:>7} {:>12} {:>7}",
        "document", "bytes", "fold", "GB/s", "tree", "ratio"
    );
    for (name, document) in all() {
        let (bytes, config) = (document.as_bytes(), config());
        let mint = |_: &str| "h7q2kx3m".to_owned();
        let (folded, summary) = fold(bytes, &config, |span| Some(mint(span))).expect("it folds");
        let plain: serde_json::Value =
            serde_json::from_str(&tree::fold(bytes, mint)).expect("JSON");
        let ours: serde_json::Value = serde_json::from_str(&folded).expect("JSON");
        // What is compared must do the same work.
        if name != "real session" {
            assert_eq!(ours, plain, "{name}");
        } else {
            eprintln!(
                "{} rounds folded, {} messages here, {} on the tree",
                summary.rounds_folded,
                summary.messages_after,
                plain.as_array().map_or(0, Vec::len)
            );
        }
        let us = best(|| {
            drop(black_box(fold(black_box(bytes), &config, |span| {
                Some(mint(span))
            })))
        });
        let tree = best(|| drop(black_box(tree::fold(black_box(bytes), mint))));
        println!(
            "{name:14} {:>9} {:>9} µs {:>7.2} {:>9} µs {:>6.1}x",
            bytes.len(),
            us.as_micros(),
            bytes.len() as f64 / us.as_nanos() as f64,
            tree.as_micros(),
            tree.as_secs_f64() / us.as_secs_f64(),
        );
    }
}
