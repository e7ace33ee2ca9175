//! The mint: how a host is asked for a handle.

use crate::card::HANDLE_MAX;
use crate::error::{Error, ErrorKind};
use std::ffi::{c_char, c_void};

/// Gives a span a handle: the host's storage.
///
/// Called on the thread that called newt_fold, before newt_fold returns, once
/// a card, in document order, and only when the fold is sure to go ahead; by
/// newt_prune once. It is never kept, and may call the library again.
///
/// `user_data` is the pointer given to newt_fold. `span` is what one card
/// replaces, JSON Lines: one message a line, verbatim, a line feed between two
/// and none after the last, no NUL in it, borrowed until the mint returns.
/// `handle` has room for `handle_cap` bytes (256); `*handle_len` is 0.
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

/// What a mint answered.
pub(super) struct Answer {
    declined: bool,
    handle: [u8; HANDLE_MAX],
    handle_len: usize,
}

impl Answer {
    /// The handle; `None` if the mint declined.
    pub(super) fn handle(&self) -> Result<Option<&[u8]>, Error> {
        if self.declined {
            return Ok(None);
        }
        let handle = self.handle.get(..self.handle_len).ok_or_else(|| {
            let sentence = format!(
                "the mint says that its handle has {} bytes; expected 1 to {HANDLE_MAX}",
                self.handle_len
            );
            Error::new(ErrorKind::Handle, sentence)
        })?;
        Ok(Some(handle))
    }
}

/// Asks the mint for a span's handle. The span is freed when it has answered,
/// or when its exception passes.
///
/// # Safety
/// `mint` behaves as newt_mint_fn says.
pub(super) unsafe fn call(
    mint: unsafe extern "C-unwind" fn(
        *mut c_void,
        *const c_char,
        usize,
        *mut c_char,
        usize,
        *mut usize,
    ) -> i32,
    user_data: *mut c_void,
    span: String,
) -> Answer {
    let mut handle = [0u8; HANDLE_MAX];
    let mut handle_len = 0;
    // SAFETY: the span and the buffer live until the mint returns, the lengths
    // are theirs, and the mint is the host's to answer for.
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
    Answer {
        declined: answer != 0,
        handle,
        handle_len,
    }
}
