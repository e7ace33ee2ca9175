//! What rounds say: their calls, results and prose, remembered for the lines of
//! a card while a document is read.

use crate::buffer::extend;
use crate::error::Error;
use crate::format::{Answer, Call, Facts};
use crate::json::Text;

/// What rounds say, one behind another, in slices of the document.
#[derive(Debug, Default)]
pub(crate) struct Said<'a> {
    pub(crate) calls: Vec<Call<'a>>,
    pub(crate) results: Vec<Answer<'a>>,
    pub(crate) prose: Vec<Text<'a>>,
}

/// What one round says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words<'s, 'a> {
    pub(crate) calls: &'s [Call<'a>],
    pub(crate) results: &'s [Answer<'a>],
    /// The assistant's words beside its calls.
    pub(crate) prose: &'s [Text<'a>],
}

/// A place between the words of two rounds.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Mark {
    calls: usize,
    results: usize,
    prose: usize,
}

impl<'a> Said<'a> {
    /// Adds what a message says.
    pub(crate) fn add(&mut self, facts: &Facts<'a>) -> Result<(), Error> {
        extend(&mut self.calls, &facts.calls)?;
        extend(&mut self.results, &facts.results)?;
        extend(&mut self.prose, &facts.prose)
    }

    /// Results.
    pub(crate) fn len(&self) -> usize {
        self.results.len()
    }

    /// The place behind everything.
    pub(crate) fn end(&self) -> Mark {
        Mark {
            calls: self.calls.len(),
            results: self.results.len(),
            prose: self.prose.len(),
        }
    }

    /// What stands between two places.
    pub(crate) fn between(&self, from: Mark, to: Mark) -> Words<'_, 'a> {
        Words {
            calls: &self.calls[from.calls..to.calls],
            results: &self.results[from.results..to.results],
            prose: &self.prose[from.prose..to.prose],
        }
    }

    /// Everything behind a place.
    pub(crate) fn since(&self, from: Mark) -> Words<'_, 'a> {
        self.between(from, self.end())
    }

    /// Forgets everything behind a place.
    pub(crate) fn truncate(&mut self, to: Mark) {
        self.calls.truncate(to.calls);
        self.results.truncate(to.results);
        self.prose.truncate(to.prose);
    }

    /// Forgets what stands between two places. Later places move: see
    /// [`Mark::moved`].
    pub(crate) fn forget(&mut self, from: Mark, to: Mark) {
        self.calls.drain(from.calls..to.calls);
        self.results.drain(from.results..to.results);
        self.prose.drain(from.prose..to.prose);
    }
}

impl Mark {
    /// Where a place is after everything between two before it was forgotten.
    pub(crate) fn moved(self, from: Mark, to: Mark) -> Self {
        Self {
            calls: self.calls - (to.calls - from.calls),
            results: self.results - (to.results - from.results),
            prose: self.prose - (to.prose - from.prose),
        }
    }
}
