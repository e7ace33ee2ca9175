//! A host's bytes, borrowed for one call.

use crate::error::{Error, ErrorKind};
use std::ffi::c_char;
use std::slice;

/// The `len` bytes at `bytes`, called `name` in a refusal. NULL with 0 is none.
///
/// # Safety
/// Unless it is NULL, `bytes` points to `len` bytes that stay as they are
/// for `'a`.
pub(super) unsafe fn bytes<'a>(
    name: &str,
    bytes: *const c_char,
    len: usize,
) -> Result<&'a [u8], Error> {
    if len > isize::MAX as usize {
        return Err(Error::new(
            ErrorKind::Argument,
            format!("{name} has a length of {len} bytes, more than any object; pass its own"),
        ));
    }
    match (bytes.is_null(), len) {
        (true, 0) => Ok(&[]),
        (true, _) => Err(Error::new(
            ErrorKind::Argument,
            format!("{name} is NULL with a length of {len} bytes; pass a pointer to them"),
        )),
        // SAFETY: not NULL, and by this function's contract `len` bytes are
        // there and stay; bytes need no alignment, and the length is checked.
        _ => Ok(unsafe { slice::from_raw_parts(bytes.cast(), len) }),
    }
}

/// The same, where it has to be text.
///
/// # Safety
/// As for [`bytes`].
pub(super) unsafe fn text<'a>(
    name: &str,
    bytes: *const c_char,
    len: usize,
) -> Result<&'a str, Error> {
    // SAFETY: the same contract.
    let bytes = unsafe { self::bytes(name, bytes, len) }?;
    str::from_utf8(bytes).map_err(|error| {
        Error::at(
            ErrorKind::Utf8,
            error.valid_up_to(),
            format!("{name} is not UTF-8"),
        )
    })
}
