//! What a fold would win under each recommended profile.
//!
//! ```text
//! cargo run --example profiles [transcript.json]
//! ```
//!
//! Plans, and changes nothing: without a mint there is no fold. The same in C:
//! profiles.c beside this file. Without a path it reads the golden transcript.

mod profile;

use newt_fold::Fold;
use std::error::Error;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let golden = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/golden/transcript.json"
    );
    let path = env::args().nth(1).unwrap_or_else(|| golden.to_owned());
    let document = fs::read(path)?;
    for (name, config) in [
        ("coding agent", profile::coding_agent()),
        ("chat with tools", profile::chat_with_tools()),
        ("small local model", profile::small_local_model()),
    ] {
        let fold = Fold::plan(&document, &config)?;
        let summary = fold.planned()?.summary;
        println!(
            "{name}: {} of {} tokens, {} of {} messages, {} cards",
            summary.tokens_after,
            summary.tokens_before,
            summary.messages_after,
            summary.messages_before,
            summary.cards,
        );
    }
    Ok(())
}
