//! A growing text whose memory may run out without harm to the process.

use crate::error::Error;
use crate::json;
use std::fmt;

/// A `String` that remembers that it could not grow, so that writing to it
/// stays simple and the failure is seen once, in [`Buffer::finish`].
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
        if self.text.try_reserve(text.len()).is_err() {
            self.failed = true;
        } else if !self.failed {
            self.text.push_str(text);
        }
    }

    /// Writes `text` as a JSON string, quotes and all.
    pub(crate) fn push_json(&mut self, text: &str) {
        self.push("\"");
        json::escape(text, self);
        self.push("\"");
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The text, or the news that memory ran out while it was written.
    pub(crate) fn finish(self) -> Result<String, Error> {
        if self.failed {
            Err(Error::memory())
        } else {
            Ok(self.text)
        }
    }
}

/// Appends to a list whose memory may run out.
pub(crate) fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), Error> {
    list.try_reserve(1)?;
    list.push(item);
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

/// Collects characters whose memory may run out.
impl FromIterator<char> for Buffer {
    fn from_iter<I: IntoIterator<Item = char>>(chars: I) -> Self {
        let mut buffer = Self::default();
        for c in chars {
            buffer.push(c.encode_utf8(&mut [0; 4]));
        }
        buffer
    }
}

impl fmt::Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}
