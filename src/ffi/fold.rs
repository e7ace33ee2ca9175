//! `newt_fold`, and the mint that it calls.

use super::borrow;
use super::config::{self, newt_config};
use super::outcome::{self, newt_outcome};
use super::panic::guard;
use crate::card::HANDLE_MAX;
use crate::error::{Error, ErrorKind};
use crate::fold::Fold;
use std::ffi::{c_char, c_void};

/// Gives a span a handle: the host's storage.
///
/// Called on the thread that called newt_fold, before newt_fold returns, once
/// a card, in document order, and only when the fold is sure to go ahead. It is
/// never kept, and may call the library again.
///
/// `user_data` is the pointer given to newt_fold. `span` is what one card
/// replaces, JSON Lines: one message a line, verbatim, no NUL in it, borrowed
/// until the mint returns. `handle` has room for `handle_cap` bytes (256);
/// `*handle_len` is 0.
///
/// Store the span, durably, then write 1 to 256 bytes of
/// `A-Z a-z 0-9 . _ ~ : / @ = + -` to `handle`, their number to `*handle_len`,
/// and return 0. Returning 0 with anything else is NEWT_ERR_HANDLE. Any other
/// return declines: the document comes back as it was, and spans minted before
/// in the same call stay unused.
///
/// A C++ exception may leave a mint: newt_fold frees what it holds, and its
/// caller catches it. longjmp() out of a mint is undefined.
#[allow(non_camel_case_types)]
pub type newt_mint_fn = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        span: *const c_char,
        span_len: usize,
        handle: *mut c_char,
        handle_cap: usize,
        handle_len: *mut usize,
    ) -> i32,
>;

/// Folds the aged tool rounds of a transcript into cards.
///
/// `json`: `json_len` bytes of UTF-8 JSON, an array of messages or a whole
/// request body with `messages`, `input` or `contents`; only read, borrowed
/// until the call returns; a leading byte-order mark is fine; NULL only with
/// length 0, which is an empty document (NEWT_ERR_JSON).
/// `cfg`: NULL is the defaults. `mint`: NULL plans, and stores nothing
/// (NEWT_VERDICT_PLANNED). `user_data`: handed to the mint, may be NULL.
///
/// Returns an outcome, never NULL, that the caller frees. Messages that do not
/// fold come out byte for byte; where nothing folds, the whole document does.
/// A refusal changes nothing: NEWT_ERR_ARGUMENT, _UTF8, _JSON, _TRANSCRIPT,
/// _HANDLE, _MEMORY.
///
/// Thread-safe: it keeps no state, reads no clock, starts no thread and does no
/// input or output; the same input, configuration and handles give the same
/// bytes.
///
/// # Safety
/// `json` is readable for `json_len` bytes, `cfg` is as newt_config says, and
/// `mint` behaves as newt_mint_fn says.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn newt_fold(
    json: *const c_char,
    json_len: usize,
    cfg: *const newt_config,
    mint: newt_mint_fn,
    user_data: *mut c_void,
) -> *const newt_outcome {
    // SAFETY: both as this function's contract says.
    let read =
        guard(|| unsafe { Ok((borrow::bytes("json", json, json_len)?, config::read(cfg)?)) });
    let (document, config) = match flatten(read) {
        Ok(read) => read,
        Err(outcome) => return outcome,
    };
    let mut fold = match flatten(guard(|| Fold::plan(document, &config))) {
        Ok(fold) => fold,
        Err(outcome) => return outcome,
    };
    let Some(mint) = mint else {
        return finished(guard(|| {
            fold.planned().map(|folded| outcome::done(&folded))
        }));
    };
    for index in 0..fold.spans() {
        let span = match flatten(guard(|| fold.span(index))) {
            Ok(span) => span,
            Err(outcome) => return outcome,
        };
        let mut handle = [0u8; HANDLE_MAX];
        let mut handle_len = 0;
        // SAFETY: the span and the buffer live until the call returns, and the
        // lengths are theirs. Not guarded: an exception of the host's passes
        // through, and what this frame holds is dropped on its way.
        let answer = unsafe {
            mint(
                user_data,
                span.as_ptr().cast(),
                span.len(),
                handle.as_mut_ptr().cast(),
                handle.len(),
                &raw mut handle_len,
            )
        };
        drop(span);
        if answer != 0 {
            fold.decline();
            break;
        }
        let taken = guard(|| match handle.get(..handle_len) {
            Some(handle) => fold.take(index, handle),
            None => Err(Error::new(
                ErrorKind::Handle,
                format!(
                    "the mint says that its handle has {handle_len} bytes; expected 1 to {HANDLE_MAX}"
                ),
            )),
        });
        if let Err(outcome) = flatten(taken) {
            return outcome;
        }
    }
    finished(guard(|| fold.finish().map(|folded| outcome::done(&folded))))
}

/// What went wrong, as an outcome for the caller.
fn flatten<T>(
    result: Result<Result<T, Error>, super::panic::Panicked>,
) -> Result<T, *const newt_outcome> {
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(guard(|| outcome::error(&error)).unwrap_or_else(Into::into)),
        Err(panicked) => Err(panicked.into()),
    }
}

fn finished(
    result: Result<Result<*const newt_outcome, Error>, super::panic::Panicked>,
) -> *const newt_outcome {
    flatten(result).unwrap_or_else(|outcome| outcome)
}
