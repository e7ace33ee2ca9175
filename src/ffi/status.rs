//! Versions and statuses.

use crate::error::ErrorKind;
use std::ffi::c_char;

/// What became of a call. 0 is success.
#[allow(non_camel_case_types)]
pub type newt_status = i32;

/// The call did what it says.
pub const NEWT_OK: newt_status = 0;
/// An argument or a configuration field is out of range.
pub const NEWT_ERR_ARGUMENT: newt_status = 1;
/// The document, or another text that was passed, is not UTF-8.
pub const NEWT_ERR_UTF8: newt_status = 2;
/// The document is not JSON.
pub const NEWT_ERR_JSON: newt_status = 3;
/// The document is JSON, but neither an array nor a request body.
pub const NEWT_ERR_TRANSCRIPT: newt_status = 4;
/// A stated limit was reached: newt_expand's.
pub const NEWT_ERR_LIMIT: newt_status = 5;
/// The mint returned success with an unusable handle.
pub const NEWT_ERR_HANDLE: newt_status = 6;
/// The store, or a fetch callback, failed; or the store is not in this build.
pub const NEWT_ERR_STORE: newt_status = 7;
/// Nothing is held under this handle.
pub const NEWT_ERR_NOT_FOUND: newt_status = 8;
/// Memory ran out; nothing was changed.
pub const NEWT_ERR_MEMORY: newt_status = 9;
/// A defect of the library: it caught a panic of its own. Please report it.
pub const NEWT_ERR_PANIC: newt_status = 100;

pub(super) const fn of(kind: ErrorKind) -> newt_status {
    match kind {
        ErrorKind::Argument => NEWT_ERR_ARGUMENT,
        ErrorKind::Utf8 => NEWT_ERR_UTF8,
        ErrorKind::Json => NEWT_ERR_JSON,
        ErrorKind::Transcript => NEWT_ERR_TRANSCRIPT,
        ErrorKind::Limit => NEWT_ERR_LIMIT,
        ErrorKind::Handle => NEWT_ERR_HANDLE,
        ErrorKind::Store => NEWT_ERR_STORE,
        ErrorKind::NotFound => NEWT_ERR_NOT_FOUND,
        ErrorKind::Memory => NEWT_ERR_MEMORY,
    }
}

/// The name of a status, as in this header: "NEWT_ERR_JSON".
///
/// Never NULL: an unknown number is "NEWT_ERR_UNKNOWN". The string is static.
/// Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn newt_status_name(status: newt_status) -> *const c_char {
    let name = match status {
        NEWT_OK => c"NEWT_OK",
        NEWT_ERR_ARGUMENT => c"NEWT_ERR_ARGUMENT",
        NEWT_ERR_UTF8 => c"NEWT_ERR_UTF8",
        NEWT_ERR_JSON => c"NEWT_ERR_JSON",
        NEWT_ERR_TRANSCRIPT => c"NEWT_ERR_TRANSCRIPT",
        NEWT_ERR_LIMIT => c"NEWT_ERR_LIMIT",
        NEWT_ERR_HANDLE => c"NEWT_ERR_HANDLE",
        NEWT_ERR_STORE => c"NEWT_ERR_STORE",
        NEWT_ERR_NOT_FOUND => c"NEWT_ERR_NOT_FOUND",
        NEWT_ERR_MEMORY => c"NEWT_ERR_MEMORY",
        NEWT_ERR_PANIC => c"NEWT_ERR_PANIC",
        _ => c"NEWT_ERR_UNKNOWN",
    };
    name.as_ptr()
}

/// The version of the library that is loaded, "1.0.0". Static, never NULL.
/// Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn newt_version() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    TEXT.as_ptr().cast()
}

/// `major << 16 | minor << 8 | patch` of the library that is loaded.
///
/// Compare it with NEWT_FOLD_VERSION_NUMBER, the version of this header, when
/// the program starts: a field of newt_outcome marked *since 1.n* may be read
/// only from a library at least that new. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn newt_version_number() -> u32 {
    const fn number(text: &str) -> u32 {
        let (bytes, mut i, mut value) = (text.as_bytes(), 0, 0);
        while i < bytes.len() {
            value = value * 10 + (bytes[i] - b'0') as u32;
            i += 1;
        }
        value
    }
    const MAJOR: u32 = number(env!("CARGO_PKG_VERSION_MAJOR"));
    const MINOR: u32 = number(env!("CARGO_PKG_VERSION_MINOR"));
    const PATCH: u32 = number(env!("CARGO_PKG_VERSION_PATCH"));
    MAJOR << 16 | MINOR << 8 | PATCH
}

/// The ABI that the loaded library speaks; NEWT_FOLD_ABI_VERSION here.
///
/// It changes only when a program built against an older header can no longer
/// call the library. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn newt_abi_version() -> u32 {
    1
}
