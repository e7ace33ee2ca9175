//! Keeps a long agent session inside its context window without losing a byte
//! and without calling a model.
//!
//! A transcript is a JSON array of messages in a provider's wire format, or a
//! whole request body. [`fold()`] replaces *aged tool rounds*, the calls an
//! assistant made and their results, by short cards that name a handle; what
//! was removed goes to a mint, which stores it and returns the handle.
//! [`prune()`] only reduces results to one line; [`expand()`] puts everything
//! back.
//!
//! This crate exists for its C ABI, whose manual is `include/newt_fold.h`. The
//! Rust functions are the same operations with closures for callbacks; where a
//! callback must not stand in the middle, [`Fold`], [`Prune`] and [`Expand`]
//! stop for it.
//!
//! ```
//! use newt_fold::{Config, Results, expand, fold};
//! use std::collections::HashMap;
//!
//! let round = |n: usize| format!(
//!     r#"{{"role":"assistant","content":"","tool_calls":[{{"id":"c{n}","type":"function","function":{{"name":"read","arguments":"{{\"path\":\"f{n}\"}}"}}}}]}},{{"role":"tool","tool_call_id":"c{n}","content":"{}"}}"#,
//!     "a line\\n".repeat(90),
//! );
//! let before = format!(r#"[{{"role":"user","content":"go"}},{},{}]"#, round(1), round(2));
//! let config = Config { keep_last: 0, results: Results::Any, ..Config::default() };
//!
//! let mut spans = HashMap::new();
//! let (after, summary) = fold(before.as_bytes(), &config, |span| {
//!     let handle = format!("span-{}", spans.len());
//!     spans.insert(handle.clone(), span.to_owned());
//!     Some(handle)
//! })?;
//! assert_eq!((summary.rounds_folded, summary.cards), (2, 1));
//! assert!(after.len() * 3 < before.len());
//!
//! let (back, _) = expand(after.as_bytes(), &config, |handle| spans.get(handle).cloned())?;
//! assert_eq!(back, before);
//! # Ok::<(), newt_fold::Error>(())
//! ```
#![deny(missing_docs)]
#![deny(unsafe_code)]

mod arguments;
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
mod known;
mod one_line;
mod prune;
mod receipt;
mod round;
mod said;
mod shape;
mod spaced;
pub mod store;
mod summary;
mod tokens;
mod transcript;

pub use config::{Config, Form, Grouping, Results, Wire};
pub use error::{Error, ErrorKind, Refusal};
pub use expand::{Expand, expand};
pub use fold::{Fold, fold};
pub use prune::{Prune, prune};
pub use summary::{Output, Summary, Verdict, estimate};
pub use tokens::{Pressure, pressure};
