//! `newt_expand`.

use super::config::newt_config;
use super::input;
use super::outcome::{self, finished, flatten, newt_outcome};
use super::panic::guard;
use super::sink::{newt_fetch_fn, newt_sink};
use super::status::{NEWT_ERR_NOT_FOUND, NEWT_OK, newt_status_name};
use crate::error::{Error, ErrorKind};
use crate::expand::{EXPANDED_MAX, Expand};
use std::ffi::{CStr, CString, c_char, c_void};

/// Puts back what was folded and pruned: cards become their spans again,
/// one-lined results their originals, repeatedly.
///
/// A transcript folded in RUNS grouping comes back byte for byte, if all
/// separators between its messages are the same and no message holds a raw
/// line break; otherwise equal as JSON. In ALL grouping every message comes
/// back, those of later runs where the card stood.
///
/// `json` and `cfg`: as newt_fold; only `format`, `bytes_per_token` and the
/// checks of the other fields matter. `fetch` is asked for each handle, on this
/// thread; NULL has nothing. A card whose handle is not found stays, and is
/// counted in `cards`. `user_data`: handed to the fetch, may be NULL.
///
/// Returns an outcome, never NULL, that the caller frees; the verdict is
/// NEWT_VERDICT_FOLDED where something came back, else NEWT_VERDICT_NOTHING.
/// Errors: newt_fold's; NEWT_ERR_STORE where the fetch failed, or gave what no
/// mint was given; NEWT_ERR_LIMIT over 4 GiB (1 GiB on 32 bits). Any depth is
/// fine. Thread-safe.
///
/// # Safety
/// As newt_fold; `fetch` behaves as newt_fetch_fn says.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn newt_expand(
    json: *const c_char,
    json_len: usize,
    cfg: *const newt_config,
    fetch: newt_fetch_fn,
    user_data: *mut c_void,
) -> *const newt_outcome {
    // SAFETY: by this function's contract.
    let read = guard(|| unsafe { input::read(json, json_len, cfg) });
    let (document, config) = match flatten(read) {
        Ok(read) => read,
        Err(outcome) => return outcome,
    };
    let mut expand = match flatten(guard(|| Expand::document(document, &config))) {
        Ok(expand) => expand,
        Err(outcome) => return outcome,
    };
    loop {
        let wanted = guard(|| {
            let handle = expand.wanted().map(CString::new).transpose();
            handle.map_err(|_| Error::new(ErrorKind::Store, "a handle holds a NUL"))
        });
        let handle = match flatten(wanted) {
            Ok(Some(handle)) => handle,
            Ok(None) => break,
            Err(outcome) => return outcome,
        };
        let mut sink = newt_sink::new(EXPANDED_MAX);
        let status = match fetch {
            // SAFETY: the handle and the sink live until the fetch returns.
            // Not guarded: an exception of the host's passes through.
            Some(fetch) => unsafe {
                fetch(
                    user_data,
                    handle.as_ptr(),
                    handle.count_bytes(),
                    &raw mut sink,
                )
            },
            None => NEWT_ERR_NOT_FOUND,
        };
        let given = guard(|| {
            let refuse = |what: String| {
                let handle = handle.to_string_lossy();
                let sentence = format!("the fetch of {handle} {what}");
                Err(Error::new(ErrorKind::Store, sentence))
            };
            match status {
                NEWT_ERR_NOT_FOUND => expand.give(None),
                NEWT_OK => match String::from_utf8(sink.finish()?) {
                    Ok(span) => expand.give(Some(span)),
                    Err(_) => refuse("wrote what is no UTF-8; expected the span".to_owned()),
                },
                other => {
                    // SAFETY: newt_status_name returns a static string.
                    let name = unsafe { CStr::from_ptr(newt_status_name(other)) };
                    refuse(format!("returned {other} ({})", name.to_string_lossy()))
                }
            }
        });
        if let Err(outcome) = flatten(given) {
            return outcome;
        }
    }
    finished(guard(|| {
        expand.finish().and_then(|output| outcome::done(&output))
    }))
}
