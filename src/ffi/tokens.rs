//! `newt_estimate_tokens` and `newt_pressure`.

use super::config::newt_config;
use super::input;
use super::panic::guard;
use crate::summary::estimate;
use crate::tokens::{self, Pressure};
use std::ffi::c_char;

/// There is room: nothing to do.
pub const NEWT_PRESSURE_BELOW: u32 = 0;
/// A fold pays: half of the budget is used.
pub const NEWT_PRESSURE_FOLD: u32 = 1;
/// Three quarters of the budget are used. Where a fold has just been made, only
/// a summary helps, or a new session.
pub const NEWT_PRESSURE_SUMMARY: u32 = 2;

/// Estimates the tokens of a transcript or request body, everything in it
/// counted, as newt_fold does in tokens_before.
///
/// Bytes of UTF-8 divided by `cfg`'s bytes_per_token, rounded up; base64 of a
/// picture or document counts for at most 1,600 tokens, because providers bill
/// pictures by their size in pixels. `json` and `cfg`: as newt_fold.
///
/// Returns SIZE_MAX where newt_fold would refuse the document or the
/// configuration, and says no more: call newt_fold for the sentence.
/// Thread-safe.
///
/// # Safety
/// As newt_fold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_estimate_tokens(
    json: *const c_char,
    json_len: usize,
    cfg: *const newt_config,
) -> usize {
    let estimated = guard(|| {
        // SAFETY: by this function's contract.
        let (document, config) = unsafe { input::read(json, json_len, cfg) }?;
        estimate(document, &config)
    });
    match estimated {
        Ok(Ok(tokens)) => tokens,
        _ => usize::MAX,
    }
}

/// Says how full a context window is: NEWT_PRESSURE_BELOW under half of the
/// budget, NEWT_PRESSURE_FOLD from there on, NEWT_PRESSURE_SUMMARY from three
/// quarters on.
///
/// `tokens`: of the next request, estimated or counted. `budget`: what a
/// request may hold, the answer's share taken off. Ask before a fold with
/// tokens_before and after it with tokens_after: what stays at
/// NEWT_PRESSURE_SUMMARY then is a floor that no fold lowers. A budget of 0 is
/// full. Nothing but these two numbers counts. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn newt_pressure(tokens: usize, budget: usize) -> u32 {
    match tokens::pressure(tokens, budget) {
        Pressure::Below => NEWT_PRESSURE_BELOW,
        Pressure::Fold => NEWT_PRESSURE_FOLD,
        Pressure::Summary => NEWT_PRESSURE_SUMMARY,
    }
}
