//! Panics of our own stop here; a callback's exceptions pass through.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The work panicked. What it was doing is lost; what it borrowed is intact.
pub(super) struct Panicked;

/// Runs `work` and catches its panics.
///
/// Never put around a host's callback: an exception thrown there belongs to
/// whoever called us, and catching it here would abort the process.
pub(super) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    // Unwind safety: whatever `work` had half changed is dropped by the caller
    // unread, because every entry point returns at once on `Panicked`.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        // A payload's own drop may panic; leaking it cannot.
        std::mem::forget(payload);
        Panicked
    })
}
