//! The C ABI: C types in, Rust types out. The only room that says `unsafe`.
//!
//! Pointers are checked here, panics caught here, outcomes allocated and freed
//! here; nothing about folding is decided here.

mod block;
mod borrow;
mod config;
mod expand;
mod fold;
mod input;
mod mint;
mod outcome;
mod panic;
mod prune;
mod sink;
mod status;
mod store;
mod text;
mod tokens;
