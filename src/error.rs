//! Why a call was refused: a kind, a sentence, and the byte at fault.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

/// The kinds of refusal. Each has one number in the C ABI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// An argument or a field of the configuration is out of range.
    Argument,
    /// The document is not UTF-8.
    Utf8,
    /// The document is not JSON.
    Json,
    /// The document is JSON, but no transcript.
    Transcript,
    /// A stated limit was reached.
    Limit,
    /// The mint returned something that cannot be a handle.
    Handle,
    /// The store, or a fetch callback, failed.
    Store,
    /// Nothing is held under this handle.
    NotFound,
    /// Memory ran out.
    Memory,
}

/// A refusal: what was expected, what was found, where, and what to do.
///
/// One pointer, so that results which carry it stay in registers; none at all
/// where memory ran out.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Option<Box<Refusal>>);

/// What an [`Error`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Which kind of refusal this is.
    pub kind: ErrorKind,
    /// The byte of the input at fault, where there is one.
    pub offset: Option<usize>,
    /// The sentence for the person who reads it.
    pub sentence: Cow<'static, str>,
}

impl Error {
    /// A refusal without a place in the input.
    pub fn new(kind: ErrorKind, sentence: impl Into<Cow<'static, str>>) -> Self {
        Self::because(kind, None, sentence.into())
    }

    /// A refusal of the input at one byte.
    pub fn at(kind: ErrorKind, offset: usize, sentence: impl Into<Cow<'static, str>>) -> Self {
        Self::because(kind, Some(offset), sentence.into())
    }

    #[cold]
    fn because(kind: ErrorKind, offset: Option<usize>, sentence: Cow<'static, str>) -> Self {
        Self(Some(Box::new(Refusal {
            kind,
            offset,
            sentence,
        })))
    }

    /// Memory ran out. Allocates nothing itself.
    pub const fn memory() -> Self {
        Self(None)
    }
}

impl Deref for Error {
    type Target = Refusal;

    fn deref(&self) -> &Refusal {
        const MEMORY: Refusal = Refusal {
            kind: ErrorKind::Memory,
            offset: None,
            sentence: Cow::Borrowed("memory ran out; nothing was changed"),
        };
        self.0.as_deref().unwrap_or(&MEMORY)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl From<std::collections::TryReserveError> for Error {
    fn from(_: std::collections::TryReserveError) -> Self {
        Self::memory()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)?;
        match self.offset {
            Some(offset) => write!(f, " (at byte {offset})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
