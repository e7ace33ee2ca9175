//! The built-in store: spans kept in SQLite, addressed by their content, seen
//! only by the session that minted them.
//!
//! The file and its schema are described in `schema`, a span's content id
//! and handle in `address`.

#[cfg(feature = "store")]
mod address;
#[cfg(feature = "store")]
mod failure;
#[cfg(feature = "store")]
mod file;
#[cfg(feature = "store")]
mod schema;
#[cfg(feature = "store")]
mod session;
#[cfg(feature = "store")]
mod span;

#[cfg(feature = "store")]
mod built_in;
#[cfg(feature = "store")]
pub use built_in::Store;

#[cfg(not(feature = "store"))]
mod left_out;
#[cfg(not(feature = "store"))]
pub use left_out::Store;
