//! What an operation did, in numbers, and the document it leaves.

use crate::config::Config;
use crate::error::Error;
use crate::round::Reading;
use crate::tokens::Tokens;

/// Estimates the tokens of a document, everything in it counted.
pub fn estimate(document: &[u8], config: &Config) -> Result<usize, Error> {
    config.check()?;
    let reading = Reading::of_document(document, config)?;
    Ok(Tokens::new(config.bytes_per_token).of(reading.transcript.weight()))
}

/// Why so many rounds were folded and no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The document changed.
    Folded,
    /// Fewer than `min_rounds` would go; of a prune or an expansion: nothing
    /// was there to do.
    Nothing,
    /// It would not have become smaller, or not by `min_reclaim`.
    NotSmaller,
    /// The mint declined.
    Declined,
    /// There was no mint; with one, the operation would go ahead.
    Planned,
}

/// What was done, in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Why.
    pub verdict: Verdict,
    /// The handle of the newest span.
    pub handle: Option<String>,
    /// Complete rounds before the horizon that the configuration admits.
    pub rounds_eligible: usize,
    /// Rounds that went, or that a prune changed.
    pub rounds_folded: usize,
    /// Cards standing in the document, older ones counted.
    pub cards: usize,
    /// Messages of the input.
    pub messages_before: usize,
    /// Messages of the output.
    pub messages_after: usize,
    /// Estimated tokens of the input.
    pub tokens_before: usize,
    /// Estimated tokens of the output.
    pub tokens_after: usize,
    /// Bytes at the start that input and output share.
    pub prefix_len: usize,
    /// What went, what stayed and why, as JSON, if it was asked for.
    pub receipt: Option<String>,
}

/// The document that an operation leaves: pieces to be written one after
/// another, so that it is copied once.
#[derive(Debug)]
pub struct Output<'o> {
    /// The pieces.
    pub pieces: Vec<&'o str>,
    /// What was done.
    pub summary: Summary,
}
