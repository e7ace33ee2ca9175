//! A card about to be written.

use crate::buffer::Buffer;
use crate::config::{Config, Form};
use crate::round::Block;
use std::ops::Range;

/// A card about to be written.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// The blocks that it replaces, by their index: one stretch in RUNS
    /// grouping.
    pub(crate) blocks: Vec<Range<usize>>,
    /// Rounds it newly folds.
    pub(crate) rounds: usize,
    /// Rounds it stands for, those of cards that it absorbs counted.
    pub(crate) stands_for: u64,
    /// Cards it absorbs.
    pub(crate) absorbed: usize,
    /// The card but for its last line, as the beginning of a JSON string.
    pub(crate) head: Buffer,
    /// What it replaces, as the gate weighs it.
    pub(crate) replaced: Size,
    /// Bytes of the card's message, or messages, under the handle as far as it
    /// is known.
    pub(crate) bytes: usize,
    /// These themselves, once the handle is known.
    pub(crate) message: String,
    /// Empty until the mint has spoken.
    pub(crate) handle: String,
}

/// Bytes, and the bytes that the estimate counts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    pub(crate) bytes: usize,
    pub(crate) weight: usize,
}

impl Draft {
    /// The blocks that the card replaces, in order.
    pub(crate) fn covered<'b>(
        &self,
        blocks: &'b [Block],
    ) -> impl DoubleEndedIterator<Item = &'b Block> {
        self.blocks.iter().flat_map(|range| &blocks[range.clone()])
    }

    /// Messages that a card makes.
    pub(crate) fn messages(config: &Config) -> usize {
        if config.card == Form::Tool { 2 } else { 1 }
    }
}
