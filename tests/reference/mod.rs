//! A slow, obvious reading of a transcript, written from the library's contract
//! and not from its source: a tree of values for every message, a loop for
//! every rule. It is what the library is held against.
#![allow(dead_code, unused_imports)] // Each test program uses its own part.

pub mod card;
pub mod expand;
pub mod group;
pub mod judge;
pub mod kind;
pub mod one_line;
pub mod reading;

pub use card::Card;
pub use group::Group;
pub use judge::{Mint, Verdicts, judge};
pub use kind::Kind;
pub use reading::{Block, Message, Reading};
