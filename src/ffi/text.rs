//! `newt_text`: a string that the library owns.

use super::block::Block;
use super::status::{NEWT_ERR_MEMORY, NEWT_OK, newt_status};
use std::ffi::{c_char, c_void};
use std::ptr;

/// A text that the library owns, read-only; free it with newt_text_free.
///
/// One allocation. Every string in it has a NUL after its last byte; the
/// length rules.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy)]
#[repr(C)]
pub struct newt_text {
    /// NEWT_OK, or why there is no text.
    pub status: newt_status,
    /// The text, UTF-8; NULL unless `status` is NEWT_OK.
    pub text: *const c_char,
    /// Bytes in `text`, its NUL not counted.
    pub text_len: usize,
    /// A sentence on what went wrong; NULL if nothing did.
    pub error: *const c_char,
}

/// What stands where no block could be had.
struct Static(newt_text);
// SAFETY: the strings it points to are static and never written.
unsafe impl Sync for Static {}

static NO_MEMORY: Static = Static(newt_text {
    status: NEWT_ERR_MEMORY,
    text: ptr::null(),
    text_len: 0,
    error: c"memory ran out; nothing was changed".as_ptr(),
});

/// A text, or a failure with its sentence, as a block the host frees.
pub(super) fn allocate(result: Result<&str, (newt_status, &str)>) -> *const newt_text {
    let string = result.unwrap_or_else(|(_, sentence)| sentence);
    let Some(mut block) = Block::for_strings(&[string.len()]) else {
        return &raw const NO_MEMORY.0;
    };
    let string = block.copy(string);
    block.finish(match result {
        Ok(text) => newt_text {
            status: NEWT_OK,
            text: string,
            text_len: text.len(),
            error: ptr::null(),
        },
        Err((status, _)) => newt_text {
            status,
            text: ptr::null(),
            text_len: 0,
            error: string,
        },
    })
}

/// Frees a text. NULL is fine.
///
/// Thread-safe; each text is freed once, on any thread.
///
/// # Safety
/// `text` is NULL or came from this library and was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_text_free(text: *const newt_text) {
    if !ptr::eq(text, &raw const NO_MEMORY.0) {
        // SAFETY: by this function's contract the pointer is NULL or a block
        // of `Block`, which takes it from malloc.
        unsafe { libc::free(text.cast_mut().cast::<c_void>()) };
    }
}
