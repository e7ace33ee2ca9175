//! What this library wins and costs, measured, beside what else is done.
//!
//! ```text
//! cargo run --release --example figures [-- TRANSCRIPT.json …]
//! ```
//!
//! Plays a made-up coding session through every way to keep it short, and the
//! recorded transcripts that are named. Prints Markdown, draws the pictures in
//! docs/figures, and fails where a number is missed that the project promises.

mod billed;
mod floor;
mod markdown;
mod mode;
mod picture;
#[path = "../profiles/profile.rs"]
mod profile;
mod promise;
mod recorded;
mod recording;
mod replay;
mod session;
mod transcript;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(missed) if missed.is_empty() => ExitCode::SUCCESS,
        Ok(missed) => {
            eprintln!("missed: {}", missed.join("; "));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures and shows everything; returns the promises that were not kept.
fn run() -> Result<Vec<String>, Box<dyn Error>> {
    let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/figures");
    std::fs::create_dir_all(&pictures)?;
    let recordings = recording::given()?;

    let bills = billed::by_mode(&pictures)?;
    billed::by_batch(&pictures)?;
    floor::follow(&pictures)?;
    let folded = recorded::measure(&recordings)?;
    Ok(promise::report(&bills, &folded))
}
