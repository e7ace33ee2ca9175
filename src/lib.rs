//! Folds aged tool rounds of an agent's transcript into short cards, without
//! losing a byte.
#![deny(missing_docs)]
#![deny(unsafe_code)]

mod buffer;
mod card;
mod config;
mod draft;
mod error;
mod expand;
pub mod fetch;
#[allow(unsafe_code)]
mod ffi;
mod fold;
mod format;
mod json;
mod one_line;
mod prune;
mod receipt;
mod round;
mod said;
pub mod store;
mod summary;
mod tokens;
mod transcript;

pub use config::{Config, Form, Grouping, Results, Wire};
pub use error::{Error, ErrorKind};
pub use expand::{Expand, expand};
pub use fold::{Fold, fold};
pub use prune::{Prune, prune};
pub use summary::{Output, Summary, Verdict, estimate};
pub use tokens::{Pressure, pressure};
