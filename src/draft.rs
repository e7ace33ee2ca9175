//! A card about to be written.

use crate::config::{Config, Form, Grouping};
use crate::round::{Block, Kind, Reading};
use std::ops::Range;

/// A card about to be written. There may be one for every third message, so it
/// is small, and its texts stand elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// Among these blocks stand those that it replaces: in RUNS grouping, all of
    /// them.
    pub(crate) blocks: Range<usize>,
    /// What it replaces, as the gate weighs it.
    pub(crate) replaced: Size,
    /// Bytes of the card's message, or messages, under the handle as far as it
    /// is known.
    pub(crate) bytes: usize,
    /// Where its head would stand, were all heads one text, of which the
    /// beginning is remembered.
    pub(crate) head: Range<usize>,
    /// Where its handle stands among the handles, and its length: 0 until the
    /// mint has spoken.
    pub(crate) handle_at: usize,
    pub(crate) handle_len: u16,
    /// Which of the ids that come from its handle its call has, in TOOL form.
    pub(crate) attempt: u32,
}

/// Bytes, and the bytes that the estimate counts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    pub(crate) bytes: usize,
    pub(crate) weight: usize,
}

/// The blocks that a card replaces, counted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Count {
    /// Rounds it newly folds.
    pub(crate) rounds: usize,
    /// Rounds it stands for, those of cards that it absorbs counted.
    pub(crate) stands_for: u64,
    /// Cards it absorbs.
    pub(crate) absorbed: usize,
}

impl Draft {
    /// The blocks that the card replaces, in order.
    pub(crate) fn covered<'r>(&self, reading: &'r Reading<'_>) -> impl Iterator<Item = &'r Block> {
        let blocks = &reading.blocks[self.blocks.clone()];
        blocks.iter().filter(|block| reading.goes(block).is_some())
    }

    /// Counts them.
    pub(crate) fn count(&self, reading: &Reading<'_>) -> Count {
        let mut count = Count::default();
        for block in &reading.blocks[self.blocks.clone()] {
            let Some(stands_for) = reading.goes(block) else {
                continue;
            };
            count.stands_for = count.stands_for.saturating_add(stands_for);
            match block.kind {
                Kind::Card(_) => count.absorbed += 1,
                _ => count.rounds += 1,
            }
        }
        count
    }

    /// Their messages, in stretches: a run is one, as its blocks stand side by
    /// side.
    pub(crate) fn stretches(
        &self,
        reading: &Reading<'_>,
        grouping: Grouping,
    ) -> impl Iterator<Item = Range<usize>> {
        let blocks = &reading.blocks[self.blocks.clone()];
        let together = match grouping {
            Grouping::Runs => blocks.len(),
            Grouping::All => 1,
        };
        let stretches = blocks.chunks(together.max(1));
        let going = stretches.filter(|stretch| reading.goes(&stretch[0]).is_some());
        going.map(|stretch| stretch[0].messages.start..stretch[stretch.len() - 1].messages.end)
    }

    /// The bytes that the card replaces, in order. It stands where the first of
    /// them stood; what goes elsewhere takes the separator before it along.
    pub(crate) fn replaced(
        &self,
        reading: &Reading<'_>,
        grouping: Grouping,
    ) -> impl Iterator<Item = Range<usize>> {
        let messages = &reading.transcript.messages;
        let stretches = self.stretches(reading, grouping).enumerate();
        stretches.map(move |(nth, stretch)| {
            let start = match nth {
                0 => messages[stretch.start].start,
                _ => messages[stretch.start - 1].end,
            };
            start..messages[stretch.end - 1].end
        })
    }

    /// Its handle, of all handles; empty until the mint has spoken.
    pub(crate) fn handle<'h>(&self, handles: &'h str) -> &'h str {
        &handles[self.handle_at..][..self.handle_len.into()]
    }

    /// Messages that a card makes.
    pub(crate) fn messages(config: &Config) -> usize {
        if config.card == Form::Tool { 2 } else { 1 }
    }
}
