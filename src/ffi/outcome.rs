//! `newt_outcome`: one block from the C allocator.

use super::block::Block;
use super::panic::{Panicked, guard};
use super::status::{self, NEWT_ERR_MEMORY, NEWT_ERR_PANIC, NEWT_OK, newt_status};
use crate::error::{Error, ErrorKind};
use crate::summary::{Output, Verdict};
use std::ffi::{c_char, c_void};
use std::ptr;

/// Why rounds_folded is what it is.
#[allow(non_camel_case_types)]
pub type newt_verdict = u32;

/// The status is not NEWT_OK.
pub const NEWT_VERDICT_NONE: newt_verdict = 0;
/// The document changed.
pub const NEWT_VERDICT_FOLDED: newt_verdict = 1;
/// Fewer than min_rounds rounds would go; the document is as it was.
pub const NEWT_VERDICT_NOTHING: newt_verdict = 2;
/// The document would not have become smaller, or not by min_reclaim tokens;
/// it is as it was.
pub const NEWT_VERDICT_NOT_SMALLER: newt_verdict = 3;
/// The mint declined; the document is as it was.
pub const NEWT_VERDICT_DECLINED: newt_verdict = 4;
/// The mint was NULL, and with one a fold would go ahead; the document is as
/// it was, and rounds_folded is 0. cards, messages_after and tokens_after are
/// those of the fold, with handles of 64 bytes: shorter ones win a little more.
pub const NEWT_VERDICT_PLANNED: newt_verdict = 5;

/// What a call did. Owned by the library, read-only, one allocation.
///
/// Free it with newt_outcome_free, on any thread; never copy it by value,
/// never give it to free(). May be read from any threads at once. Every string
/// has a NUL after its last byte, so that printf("%s") works; lengths rule.
/// After a refusal every count is 0 and every string but error is NULL.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy)]
#[repr(C)]
pub struct newt_outcome {
    /// NEWT_OK, or why the call was refused.
    pub status: newt_status,
    /// Why rounds_folded is what it is; NEWT_VERDICT_NONE unless status is
    /// NEWT_OK.
    pub verdict: newt_verdict,
    /// The document after the call: UTF-8 JSON. NULL unless status is NEWT_OK.
    pub json: *const c_char,
    /// Bytes in json, its NUL not counted.
    pub json_len: usize,
    /// The handle of the newest card that this call wrote, or of what newt_prune
    /// replaced; NULL if none.
    pub handle: *const c_char,
    /// Bytes in handle, its NUL not counted.
    pub handle_len: usize,
    /// A sentence: what was expected, what was found, where, what to do. NULL
    /// if status is NEWT_OK.
    pub error: *const c_char,
    /// The byte of the input at fault; SIZE_MAX if there is none.
    pub error_offset: usize,
    /// Complete rounds before the horizon that the configuration admits; rounds
    /// inside cards are not counted. newt_expand leaves it 0.
    pub rounds_eligible: usize,
    /// Rounds that this call folded or pruned.
    pub rounds_folded: usize,
    /// Cards that stand in json, older ones counted.
    pub cards: usize,
    /// Messages of the input.
    pub messages_before: usize,
    /// Messages in json.
    pub messages_after: usize,
    /// Estimated tokens of the input: see bytes_per_token.
    pub tokens_before: usize,
    /// Estimated tokens of json.
    pub tokens_after: usize,
    /// Bytes at the start of json that equal the input's: what a provider's
    /// prefix cache can still use.
    pub prefix_len: usize,
    /// What went, what stayed and why, as JSON that
    /// newt_fold_receipt.schema.json describes; NULL unless NEWT_FLAG_RECEIPT
    /// asked for it and status is NEWT_OK. newt_expand writes none.
    pub receipt: *const c_char,
    /// Bytes in receipt, its NUL not counted.
    pub receipt_len: usize,
}

/// An outcome that says no more than why there is nothing.
const fn refused(status: newt_status, error: *const c_char) -> newt_outcome {
    newt_outcome {
        status,
        verdict: NEWT_VERDICT_NONE,
        json: ptr::null(),
        json_len: 0,
        handle: ptr::null(),
        handle_len: 0,
        error,
        error_offset: usize::MAX,
        rounds_eligible: 0,
        rounds_folded: 0,
        cards: 0,
        messages_before: 0,
        messages_after: 0,
        tokens_before: 0,
        tokens_after: 0,
        prefix_len: 0,
        receipt: ptr::null(),
        receipt_len: 0,
    }
}

/// Outcomes that need no memory.
struct Static(newt_outcome);
// SAFETY: what they point to is static and never written.
unsafe impl Sync for Static {}

static NO_MEMORY: Static = Static(refused(
    NEWT_ERR_MEMORY,
    c"memory ran out; nothing was changed".as_ptr(),
));
static PANICKED: Static = Static(refused(
    NEWT_ERR_PANIC,
    c"the library ran into a defect of its own and stopped; nothing was changed, please report it"
        .as_ptr(),
));

impl From<Panicked> for *const newt_outcome {
    fn from(_: Panicked) -> Self {
        &raw const PANICKED.0
    }
}

/// The outcome of a refusal.
pub(super) fn error(error: &Error) -> *const newt_outcome {
    if error.kind == ErrorKind::Memory {
        return &raw const NO_MEMORY.0;
    }
    let Some(mut block) = Block::for_strings(&[error.sentence.len()]) else {
        return &raw const NO_MEMORY.0;
    };
    let sentence = block.copy(&error.sentence);
    block.finish(newt_outcome {
        error_offset: error.offset.unwrap_or(usize::MAX),
        ..refused(status::of(error.kind), sentence)
    })
}

/// The outcome of a call that went through.
pub(super) fn done(output: &Output<'_>) -> Result<*const newt_outcome, Error> {
    let summary = &output.summary;
    let handle = summary.handle.as_deref();
    let receipt = summary.receipt.as_deref();
    let [handle_len, receipt_len] = [handle, receipt].map(|string| string.map_or(0, str::len));
    let mut block =
        Block::for_strings(&[output.len, handle_len, receipt_len]).ok_or_else(Error::memory)?;
    let json = block.write(output.len, |put| output.write(put))?;
    let [handle, receipt] =
        [handle, receipt].map(|string| string.map_or(ptr::null(), |string| block.copy(string)));
    Ok(block.finish(newt_outcome {
        status: NEWT_OK,
        verdict: match summary.verdict {
            Verdict::Folded => NEWT_VERDICT_FOLDED,
            Verdict::Nothing => NEWT_VERDICT_NOTHING,
            Verdict::NotSmaller => NEWT_VERDICT_NOT_SMALLER,
            Verdict::Declined => NEWT_VERDICT_DECLINED,
            Verdict::Planned => NEWT_VERDICT_PLANNED,
        },
        json,
        json_len: output.len,
        handle,
        handle_len,
        error: ptr::null(),
        error_offset: usize::MAX,
        rounds_eligible: summary.rounds_eligible,
        rounds_folded: summary.rounds_folded,
        cards: summary.cards,
        messages_before: summary.messages_before,
        messages_after: summary.messages_after,
        tokens_before: summary.tokens_before,
        tokens_after: summary.tokens_after,
        prefix_len: summary.prefix_len,
        receipt,
        receipt_len,
    }))
}

/// What went wrong, as an outcome for the caller.
pub(super) fn flatten<T>(
    result: Result<Result<T, Error>, Panicked>,
) -> Result<T, *const newt_outcome> {
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(guard(|| self::error(&error)).unwrap_or_else(Into::into)),
        Err(panicked) => Err(panicked.into()),
    }
}

pub(super) fn finished(
    result: Result<Result<*const newt_outcome, Error>, Panicked>,
) -> *const newt_outcome {
    flatten(result).unwrap_or_else(|outcome| outcome)
}

/// Frees an outcome and every string in it. NULL is fine.
///
/// Thread-safe; each outcome is freed once, on any thread.
///
/// # Safety
/// `outcome` is NULL or came from this library and was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_outcome_free(outcome: *const newt_outcome) {
    let ours = [&raw const NO_MEMORY.0, &raw const PANICKED.0];
    if !ours.iter().any(|kept| ptr::eq(*kept, outcome)) {
        // SAFETY: by this function's contract the pointer is NULL or a block
        // of `Block`, which takes it from malloc.
        unsafe { libc::free(outcome.cast_mut().cast::<c_void>()) };
    }
}
