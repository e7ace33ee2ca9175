//! A session that is folded after each of its rounds.

use crate::documents::{FIRST, Rounds, source_code};
use crate::{best, config};
use newt_fold::fold;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What all folds together cost is the bytes handed to them, however long the
/// session is by then. A card's bytes are not as dear as a result's: where the
/// user speaks often, what is left comes to be all cards, and a byte's cost
/// settles at theirs.
pub fn table() {
    println!(
        "{:18} {:>6} {:>9} {:>14} {:>10} {:>8} {:>14} {:>9}",
        "the user speaks",
        "rounds",
        "left",
        "bytes handed in",
        "all folds",
        "ns/byte",
        "never folded",
        "ratio"
    );
    session("once", usize::MAX);
    session("every 60 rounds", 60);
}

fn session(name: &str, turn: usize) {
    let config = config();
    let mint = |_: &str| Some("h7q2kx3m".to_owned());
    let mut rounds = Rounds::new(turn);
    // What the last fold left, and the session as it would be without folds.
    let (mut left, mut whole) = (FIRST.to_owned() + "]", FIRST.to_owned());
    let (mut bytes, mut time) = (0, Duration::ZERO);
    let (mut never, mut shorter) = (Duration::ZERO, (0, Duration::ZERO));
    for round in 1..=10_000 {
        let begun = whole.len();
        rounds.write(|dice, _, out| source_code(dice, out), &mut whole);
        left.pop();
        left.push_str(&whole[begun..]);
        left.push(']');

        let start = Instant::now();
        let folded = fold(black_box(left.as_bytes()), &config, mint);
        time += start.elapsed();
        bytes += left.len();
        left = folded.expect("it folds").0;

        if [1_250, 2_500, 5_000, 10_000].contains(&round) {
            let document = whole.clone() + "]";
            let one = best(|| drop(black_box(fold(document.as_bytes(), &config, mint))));
            // Folds of a session that only grows: between two of these lengths,
            // a fold costs what lies between.
            never += (shorter.1 + one) * (round - shorter.0) / 2;
            shorter = (round, one);
            println!(
                "{name:18} {round:>6} {:>9} {bytes:>14} {:>7} ms {:>8.3} {:>11} ms {:>8.1}x",
                left.len(),
                time.as_millis(),
                time.as_nanos() as f64 / bytes as f64,
                never.as_millis(),
                never.as_secs_f64() / time.as_secs_f64(),
            );
        }
    }
}
