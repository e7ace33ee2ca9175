//! `newt_prune`.

use super::config::newt_config;
use super::input;
use super::mint::{self, newt_mint_fn};
use super::outcome::{self, finished, flatten, newt_outcome};
use super::panic::guard;
use crate::prune::Prune;
use std::ffi::{c_char, c_void};

/// Reduces the results of aged rounds to one line each, in place.
///
/// No message comes or goes; no role, id, call, signature or error flag
/// changes; the last `keep_last` messages stay as they are. Only what is
/// smaller in one line is replaced, so that pruning again changes nothing. A
/// later result that says the same as an earlier one refers to it. With
/// NEWT_FLAG_SHORTEN_ARGUMENTS, strings of more than 256 bytes inside aged
/// calls' arguments are cut too, and the arguments still parse.
///
/// The mint is called once, with everything that was replaced: one JSON value
/// a line. Each one-liner names its line, `... (spill:HANDLE#n)`, counted from
/// 1; pictures beside a Gemini response are the line behind it. newt_fold folds
/// what newt_prune made; newt_expand restores it.
///
/// The parameters, the outcome and the errors are newt_fold's; rounds_folded
/// is the number of rounds in which something was replaced. `min_rounds`,
/// `results`, `grouping` and `card` do not matter; `min_reclaim`,
/// `result_chars` and `keep_tools` do. Thread-safe.
///
/// # Safety
/// As newt_fold.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn newt_prune(
    json: *const c_char,
    json_len: usize,
    cfg: *const newt_config,
    mint: newt_mint_fn,
    user_data: *mut c_void,
) -> *const newt_outcome {
    let planned = guard(|| {
        // SAFETY: by this function's contract.
        let (document, config) = unsafe { input::read(json, json_len, cfg) }?;
        Prune::plan(document, &config)
    });
    let mut prune = match flatten(planned) {
        Ok(prune) => prune,
        Err(outcome) => return outcome,
    };
    if let Some(mint) = mint.filter(|_| prune.wants_handle()) {
        let span = match flatten(guard(|| prune.span())) {
            Ok(span) => span,
            Err(outcome) => return outcome,
        };
        // SAFETY: by this function's contract; not guarded, as in newt_fold.
        let answer = unsafe { mint::call(mint, user_data, span) };
        let taken = guard(|| match answer.handle()? {
            Some(handle) => prune.take(handle),
            None => {
                prune.decline();
                Ok(())
            }
        });
        if let Err(outcome) = flatten(taken) {
            return outcome;
        }
    }
    finished(guard(|| {
        prune.finish().and_then(|output| outcome::done(&output))
    }))
}
