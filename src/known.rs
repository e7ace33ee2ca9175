//! Texts seen before, each with a number.

use crate::error::Error;
use std::borrow::Cow;
use std::collections::HashMap;

/// A map from texts to numbers whose memory may run out.
#[derive(Debug, Default)]
pub(crate) struct Known<'a>(HashMap<Cow<'a, str>, usize>);

impl<'a> Known<'a> {
    /// The number of a text.
    pub(crate) fn number(&self, text: &str) -> Option<usize> {
        self.0.get(text).copied()
    }

    /// Notes a text; one that is known keeps its number.
    pub(crate) fn add(&mut self, text: Cow<'a, str>, number: usize) -> Result<(), Error> {
        self.0.try_reserve(1)?;
        self.0.entry(text).or_insert(number);
        Ok(())
    }

    /// Forgets a text.
    pub(crate) fn forget(&mut self, text: &str) {
        self.0.remove(text);
    }
}
