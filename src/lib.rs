//! Folds aged tool rounds of an agent's transcript into short cards, without
//! losing a byte.
#![deny(missing_docs)]
#![deny(unsafe_code)]

mod buffer;
mod card;
mod config;
mod error;
pub mod fetch;
#[allow(unsafe_code)]
mod ffi;
mod fold;
mod format;
mod json;
mod one_line;
mod round;
pub mod store;
mod tokens;
mod transcript;

pub use config::{Config, Form, Grouping, Results, Wire};
pub use error::{Error, ErrorKind};
pub use fold::{Fold, Folded, Summary, Verdict, fold};
