//! Two threads at once, beside one.

use crate::{all, best, config};
use newt_fold::fold;
use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// Folds a second by one thread and by two, taking turns; the best of five.
pub fn table() {
    println!(
        "{:14} {:>9} {:>12} {:>12} {:>7}",
        "document", "bytes", "one, folds/s", "two, folds/s", "ratio"
    );
    for (name, document) in all() {
        let once = best(|| one_fold(&document));
        // Long enough that starting a thread is nothing beside it.
        let folds = (Duration::from_millis(300).as_nanos() / once.as_nanos()) as usize + 1;
        let (mut one, mut two) = (0.0f64, 0.0f64);
        for _ in 0..5 {
            one = one.max(rate(1, &document, folds));
            two = two.max(rate(2, &document, folds));
        }
        println!(
            "{name:14} {:>9} {one:>12.0} {two:>12.0} {:>7.2}",
            document.len(),
            two / one
        );
    }
}

/// Folds a second of so many threads, each with a copy of the document.
fn rate(threads: usize, document: &str, folds: usize) -> f64 {
    let copies = vec![document.to_owned(); threads];
    let ready = Barrier::new(threads + 1);
    let start = thread::scope(|scope| {
        for copy in &copies {
            let ready = &ready;
            scope.spawn(move || {
                ready.wait();
                (0..folds).for_each(|_| one_fold(copy));
            });
        }
        ready.wait();
        Instant::now()
    });
    (threads * folds) as f64 / start.elapsed().as_secs_f64()
}

fn one_fold(document: &str) {
    let folded = fold(black_box(document.as_bytes()), &config(), |_| {
        Some("h7q2kx3m".to_owned())
    });
    drop(black_box(folded));
}
