//! Folds aged tool rounds of an agent's transcript into short cards, without
//! losing a byte.
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod error;
pub mod fetch;
#[allow(unsafe_code)]
mod ffi;
pub mod store;
