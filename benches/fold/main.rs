//! Measures whole folds against the same fold on a tree, in one run, best of
//! five.
//!
//! `cargo bench --bench fold` prints the table; `-- write DIR` writes the
//! documents instead, for `benches/parsers.py`, and `-- fixed DIR` those of
//! `benches/instructions.sh`; `-- grow [MEGABYTES]` shows that the cost grows as the document does.

mod documents;
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
        ["grow"] => grow(100),
        ["grow", megabytes] => grow(megabytes.parse().expect("a number of megabytes")),
        _ => panic!("expected nothing, `write DIR`, `fixed DIR` or `grow [MEGABYTES]`"),
    }
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

fn grow(megabytes: usize) {
    println!(
        "{:14} {:>11} {:>12} {:>7}",
        "document", "bytes", "fold", "GB/s"
    );
    let line = |name: &str, document: String| {
        let config = config();
        let us = best(|| {
            let folded = fold(black_box(document.as_bytes()), &config, |_| {
                Some("h7q2kx3m".to_owned())
            });
            drop(black_box(folded));
        });
        println!(
            "{name:14} {:>11} {:>9} µs {:>7.2}",
            document.len(),
            us.as_micros(),
            document.len() as f64 / us.as_nanos() as f64
        );
    };
    let mut size = 1;
    while size < megabytes {
        line("escaped", documents::escaped(size * 1_000_000));
        size *= 10;
    }
    line("escaped", documents::escaped(megabytes * 1_000_000));
    line("one-lined", documents::one_lined(megabytes * 1_000_000));
    line("tiny messages", documents::tiny(1_000_000));
}
