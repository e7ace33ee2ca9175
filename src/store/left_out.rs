//! What stands for the store in a library built without it: the same calls,
//! each of which says so.

use crate::error::{Error, ErrorKind};

fn left_out() -> Error {
    Error::new(
        ErrorKind::Store,
        "the store is not built into this library; build it with the cargo feature `store`, \
         or pass a mint and a fetch callback of your own",
    )
}

/// A store that keeps nothing, because this library was built without one.
pub struct Store;

impl Store {
    /// A store that refuses every call.
    pub fn open(_path: Option<&str>, _session: Option<&str>) -> Self {
        Self
    }

    /// A store that refuses every call; `error` matters less than that.
    pub fn failed(_error: Error) -> Self {
        Self
    }

    /// The process's own store, which refuses every call as well.
    pub fn of_process() -> Result<&'static Self, Error> {
        Ok(&Self)
    }

    /// Why every call is refused.
    pub fn state(&self) -> Option<Error> {
        Some(left_out())
    }

    /// Nothing is kept beside the one reason that [`Self::state`] gives.
    pub fn note(&self, _error: &Error) {}

    /// Declines.
    pub fn mint(&self, _text: &str) -> Result<String, Error> {
        Err(left_out())
    }

    /// Refuses.
    pub fn fetch(&self, _address: &str) -> Result<String, Error> {
        Err(left_out())
    }

    /// Refuses.
    pub fn answer(&self, _arguments: &str) -> Result<String, Error> {
        Err(left_out())
    }

    /// Refuses.
    pub fn forget(&self) -> Result<(), Error> {
        Err(left_out())
    }
}
