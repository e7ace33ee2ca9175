//! A growing text whose memory may run out without harm to the process.

use crate::error::Error;
use crate::json;
use std::fmt;
use std::ops::{Deref, Range};

/// A `String` that remembers that it could not grow, so that writing to it
/// stays simple and the failure is seen once, in [`Buffer::finish`] or, where
/// the text is used before, in [`Buffer::check`].
#[derive(Debug, Default, Clone)]
pub(crate) struct Buffer {
    text: String,
    failed: bool,
}

impl Buffer {
    /// Room for exactly `len` bytes, to be written without growing.
    pub(crate) fn with_capacity(len: usize) -> Result<Self, Error> {
        let mut text = String::new();
        text.try_reserve_exact(len)?;
        Ok(Self {
            text,
            failed: false,
        })
    }

    pub(crate) fn push(&mut self, text: &str) {
        let room = self.text.capacity() - self.text.len();
        if (room >= text.len() && !self.failed) || self.reserve(text.len()) {
            self.text.push_str(text);
        }
    }

    /// Writes pieces one after another.
    pub(crate) fn push_all(&mut self, pieces: &[&str]) {
        for piece in pieces {
            self.push(piece);
        }
    }

    /// Makes room for so many bytes more; says whether they may be written.
    #[cold]
    fn reserve(&mut self, more: usize) -> bool {
        self.failed |= self.text.try_reserve(more).is_err();
        !self.failed
    }

    /// Writes what another text holds, which may have failed itself.
    pub(crate) fn append(&mut self, other: &Self) {
        self.failed |= other.failed;
        self.push(&other.text);
    }

    /// Writes a number in decimal.
    pub(crate) fn push_number(&mut self, number: u64) {
        if number >= 10 {
            self.push_number(number / 10);
        }
        let digit = (number % 10) as usize;
        self.push(&"0123456789"[digit..=digit]);
    }

    /// Writes "1 line", "2 lines".
    pub(crate) fn push_count(&mut self, number: u64, what: &str) {
        self.push_number(number);
        self.push_all(&[" ", what, if number == 1 { "" } else { "s" }]);
    }

    /// Writes `text` as a JSON string, quotes and all.
    pub(crate) fn push_json(&mut self, text: &str) {
        self.push("\"");
        json::escape(text, self);
        self.push("\"");
    }

    /// Puts `with` where a range stands.
    pub(crate) fn replace(&mut self, range: Range<usize>, with: &str) {
        // What becomes shorter needs no room.
        if self.reserve(with.len().saturating_sub(range.len())) {
            self.text.drain(range.clone());
            self.text.insert_str(range.start, with);
        }
    }

    /// Puts `with` for each `what` behind a place.
    pub(crate) fn replace_each(&mut self, from: usize, what: &str, with: &str) {
        // Its first byte is hardly ever there, and sooner looked for.
        let first = memchr::memchr(what.as_bytes()[0], &self.as_bytes()[from..]);
        if first.is_none_or(|at| !self[from + at..].contains(what)) {
            return;
        }
        match copy(&self[from..]) {
            Ok(old) => {
                self.truncate(from);
                for (index, piece) in old.split(what).enumerate() {
                    self.push(if index > 0 { with } else { "" });
                    self.push(piece);
                }
            }
            Err(_) => self.failed = true,
        }
    }

    /// Takes away what stands behind a place.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.text.truncate(len);
    }

    /// Refuses if memory ran out.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.failed {
            true => Err(Error::memory()),
            false => Ok(()),
        }
    }

    /// The text, or the news that memory ran out while it was written.
    pub(crate) fn finish(self) -> Result<String, Error> {
        self.check()?;
        Ok(self.text)
    }
}

/// The text as far as it could be written.
impl Deref for Buffer {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// Appends to a list whose memory may run out.
pub(crate) fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), Error> {
    list.try_reserve(1)?;
    list.push(item);
    Ok(())
}

/// Copies a list behind another whose memory may run out.
pub(crate) fn extend<T: Copy>(list: &mut Vec<T>, more: &[T]) -> Result<(), Error> {
    for item in more {
        push(list, *item)?;
    }
    Ok(())
}

/// Moves a list behind another whose memory may run out.
pub(crate) fn append<T>(list: &mut Vec<T>, more: &mut Vec<T>) -> Result<(), Error> {
    list.try_reserve(more.len())?;
    list.append(more);
    Ok(())
}

/// Copies a text whose memory may run out.
pub(crate) fn copy(text: &str) -> Result<String, Error> {
    let mut buffer = Buffer::with_capacity(text.len())?;
    buffer.push(text);
    buffer.finish()
}

impl fmt::Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}
