//! `newt_fold`.

use super::config::newt_config;
use super::input;
use super::mint::{self, newt_mint_fn};
use super::outcome::{self, finished, flatten, newt_outcome};
use super::panic::guard;
use crate::fold::Fold;
use std::ffi::{c_char, c_void};

/// Folds the aged tool rounds of a transcript into cards.
///
/// `json`: `json_len` bytes of UTF-8 JSON, an array of messages or a whole
/// request body with `messages`, `input` or `contents`; only read, borrowed
/// until the call returns; a leading byte-order mark is fine. NULL with a length
/// is NEWT_ERR_ARGUMENT, with length 0 an empty document (NEWT_ERR_JSON).
/// `cfg`: NULL is the defaults. `mint`: NULL plans, and stores nothing
/// (NEWT_VERDICT_PLANNED). `user_data`: handed to the mint, may be NULL.
///
/// Returns an outcome, never NULL, that the caller frees. Messages that do not
/// fold come out byte for byte; where nothing folds, the whole document does.
/// A refusal changes nothing: NEWT_ERR_ARGUMENT, _UTF8, _JSON, _TRANSCRIPT,
/// _HANDLE, _MEMORY. A mint that declines is none: the status is NEWT_OK, the
/// verdict NEWT_VERDICT_DECLINED.
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
    // SAFETY: by this function's contract.
    let read = guard(|| unsafe { input::read(json, json_len, cfg) });
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
            fold.planned().and_then(|output| outcome::done(&output))
        }));
    };
    for index in 0..fold.spans() {
        let span = match flatten(guard(|| fold.span(index))) {
            Ok(span) => span,
            Err(outcome) => return outcome,
        };
        // SAFETY: by this function's contract. Not guarded: an exception of the
        // host's passes through, and what this frame holds is dropped on its
        // way.
        let answer = unsafe { mint::call(mint, user_data, span) };
        let taken = guard(|| match answer.handle()? {
            Some(handle) => fold.take(index, handle).map(|()| true),
            None => Ok(false),
        });
        match flatten(taken) {
            Ok(true) => {}
            Ok(false) => {
                fold.decline();
                break;
            }
            Err(outcome) => return outcome,
        }
    }
    finished(guard(|| {
        fold.finish().and_then(|output| outcome::done(&output))
    }))
}
