//! Time and memory of ever larger documents.

use crate::{best, config, documents};
use newt_fold::{Config, fold};
use std::env;
use std::fs;
use std::hint::black_box;
use std::process::Command;

/// Documents of up to so many megabytes, each in a process of its own, so that
/// no line depends on memory that another has left behind.
///
/// The bound is input, output, the largest span, and 64 bytes a message. What
/// fits the processor's caches folds up to twice as fast; beyond them, each of
/// the fold's passes waits for memory, and the cost of a byte is constant.
pub fn table(megabytes: usize) {
    println!(
        "{:16} {:>11} {:>12} {:>7} {:>9} {:>9} {:>6}",
        "document", "bytes", "fold", "GB/s", "peak MB", "bound MB", "ratio"
    );
    let bytes = megabytes * 1_000_000;
    let sizes = (0..6).map(|tens| 10usize.pow(tens) * 1_000_000);
    let smaller = sizes.take_while(|size| *size < bytes);
    let growing = smaller.map(|size| ("escaped", size));
    let others = [
        ("escaped", bytes),
        ("plain", bytes),
        ("one-lined", bytes),
        ("all lines shown", bytes),
        ("short turns", bytes),
        ("one large result", bytes / 2),
        ("tiny messages", 1_000_000),
    ];
    for (document, size) in growing.chain(others) {
        let this = env::current_exe().expect("a path");
        let status = Command::new(this)
            .args(["grow", document, &size.to_string()])
            .status();
        assert!(status.expect("it starts").success(), "{document}");
    }
}

/// One line of the table.
pub fn line(name: &str, size: usize) {
    let document = match name {
        "escaped" => documents::escaped(size),
        "plain" => documents::plain(size),
        "one-lined" => documents::one_lined(size),
        "all lines shown" => documents::one_run(size),
        "short turns" => documents::short_turns(size),
        "one large result" => documents::one_large(size),
        "tiny messages" => documents::tiny(size),
        _ => panic!("no such document: {name}"),
    };
    let config = Config {
        max_card_lines: match name {
            "all lines shown" => usize::MAX,
            _ => Config::default().max_card_lines,
        },
        ..config()
    };
    let bytes = document.as_bytes();

    // The first fold is the one whose memory counts: later ones also have what
    // the allocator kept of it. But the library's code is no part of the bound.
    let _ = fold(documents::escaped(50_000).as_bytes(), &config, |_| None);
    fs::write("/proc/self/clear_refs", "5").expect("Linux's /proc");
    let before = peak();
    let mut largest_span = 0;
    let (folded, summary) = fold(bytes, &config, |span| {
        largest_span = largest_span.max(span.len());
        Some("h7q2kx3m".to_owned())
    })
    .expect("it folds");
    let taken = bytes.len() + peak() - before;
    let bound = bytes.len() + folded.len() + largest_span + 64 * summary.messages_before;
    drop(folded);

    let time = best(|| {
        let folded = fold(black_box(bytes), &config, |_| Some("h7q2kx3m".to_owned()));
        drop(black_box(folded));
    });
    println!(
        "{name:16} {:>11} {:>9} µs {:>7.2} {:>9.1} {:>9.1} {:>6.2}",
        bytes.len(),
        time.as_micros(),
        bytes.len() as f64 / time.as_nanos() as f64,
        taken as f64 / 1e6,
        bound as f64 / 1e6,
        taken as f64 / bound as f64,
    );
}

/// The most memory that this process has had, in bytes: pages in use, as the
/// system counts them.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("Linux's /proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kilobytes.and_then(|n| n.parse::<usize>().ok()).expect("kB") * 1024
}
