//! What an operation did, in numbers, and the document it leaves.

use crate::buffer::Buffer;
use crate::config::Config;
use crate::error::Error;
use crate::round::Reading;
use crate::tokens::Tokens;
use std::fmt;

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

/// The document that an operation leaves. It is written piece by piece, so that
/// it never stands in memory but where it is wanted.
pub struct Output<'o> {
    /// What was done.
    pub summary: Summary,
    /// The document's bytes.
    pub len: usize,
    source: Source<'o>,
}

/// Where a document's pieces come from.
enum Source<'o> {
    List(Vec<&'o str>),
    Writer(&'o dyn Write),
}

/// Writes a document.
pub(crate) trait Write {
    /// Hands over its pieces, one after another.
    fn write(&self, put: &mut dyn FnMut(&str)) -> Result<(), Error>;
}

impl<'o> Output<'o> {
    /// A document of pieces that are there.
    pub(crate) fn of_pieces(pieces: Vec<&'o str>, summary: Summary) -> Self {
        Self {
            summary,
            len: pieces.iter().map(|piece| piece.len()).sum(),
            source: Source::List(pieces),
        }
    }

    /// A document of so many bytes, whose pieces are made one at a time.
    pub(crate) fn of_writer(writer: &'o dyn Write, len: usize, summary: Summary) -> Self {
        Self {
            summary,
            len,
            source: Source::Writer(writer),
        }
    }

    /// Hands over the document's pieces, one after another. Where memory runs
    /// out for one, those before it were handed over.
    pub fn write(&self, put: &mut dyn FnMut(&str)) -> Result<(), Error> {
        match &self.source {
            Source::List(pieces) => {
                pieces.iter().for_each(|piece| put(piece));
                Ok(())
            }
            Source::Writer(writer) => writer.write(put),
        }
    }

    /// The document.
    pub fn text(&self) -> Result<String, Error> {
        let mut text = Buffer::with_capacity(self.len)?;
        self.write(&mut |piece| text.push(piece))?;
        text.finish()
    }
}

impl fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output")
            .field("summary", &self.summary)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}
