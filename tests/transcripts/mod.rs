//! Transcripts made for tests: a session of turns, written in a provider's
//! dialect, laid out as a document.
//!
//! What a generated transcript means is never taken from here: the judge in
//! `tests/reference` reads the document itself.
#![allow(dead_code, unused_imports)] // Each test program uses its own part.

pub mod dialect;
pub mod document;
pub mod json;
pub mod session;
pub mod shared;
pub mod strategy;

pub use dialect::Dialect;
pub use document::{Document, Envelope};
pub use json::{Json, Layout, Literal};
pub use session::{Answer, Body, Call, Fault, Round, Session, Turn};
