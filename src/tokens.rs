//! The estimate: bytes divided by a number, pictures at a flat cost.

use crate::error::Error;
use crate::json::Reader;

/// What one base64 picture or document counts for at most, in tokens.
///
/// Providers bill pictures by their size in pixels, not by their base64: at
/// most about 1,600 tokens at Anthropic, 1,105 at OpenAI (1024 × 1024, high
/// detail), 258 a tile at Gemini. The highest of these is taken, so that the
/// estimate errs on the side that folds.
pub(crate) const MEDIA_TOKENS: usize = 1_600;

/// Estimates tokens from bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tokens {
    bytes_per_token: usize,
}

impl Tokens {
    pub(crate) fn new(bytes_per_token: usize) -> Self {
        Self { bytes_per_token }
    }

    /// Bytes that a picture or document counts for at most.
    pub(crate) fn media_cap(self) -> usize {
        MEDIA_TOKENS.saturating_mul(self.bytes_per_token)
    }

    /// Tokens of so many bytes, base64 beyond its cap already taken off.
    pub(crate) fn of(self, bytes: usize) -> usize {
        bytes.div_ceil(self.bytes_per_token)
    }

    /// Bytes of a JSON value that the estimate counts.
    pub(crate) fn weight(self, value: &str) -> Result<usize, Error> {
        let mut reader = Reader::new(value).with_media_cap(self.media_cap());
        reader.skip()?;
        Ok(value.len() - reader.media_excess())
    }
}

/// How full a context window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressure {
    /// Less than half of the budget.
    Below,
    /// Half of it and more: a fold pays.
    Fold,
    /// Three quarters and more. After a fold: only a summary helps.
    Summary,
}

/// Says how full a window of `budget` tokens is with `tokens` in it.
pub fn pressure(tokens: usize, budget: usize) -> Pressure {
    let half = budget.div_ceil(2);
    let three_quarters = budget - budget / 4;
    if tokens >= three_quarters {
        Pressure::Summary
    } else if tokens >= half {
        Pressure::Fold
    } else {
        Pressure::Below
    }
}
