//! The C ABI as a host sees it: its own declarations, written from the header.
#![allow(dead_code, non_camel_case_types)] // Each test program uses its own part.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

// The library is linked for its C symbols.
use newt_fold as _;

pub const OK: i32 = 0;
pub const ARGUMENT: i32 = 1;
pub const UTF8: i32 = 2;
pub const JSON: i32 = 3;
pub const TRANSCRIPT: i32 = 4;
pub const LIMIT: i32 = 5;
pub const HANDLE: i32 = 6;
pub const STORE: i32 = 7;
pub const NOT_FOUND: i32 = 8;

pub const FOLDED: u32 = 1;
pub const NOTHING: u32 = 2;
pub const NOT_SMALLER: u32 = 3;
pub const DECLINED: u32 = 4;
pub const PLANNED: u32 = 5;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct newt_config {
    pub struct_size: u32,
    pub keep_last: u32,
    pub min_rounds: u32,
    pub format: u32,
    pub results: u32,
    pub grouping: u32,
    pub card: u32,
    pub max_card_lines: u32,
    pub note_chars: u32,
    pub result_chars: u32,
    pub min_reclaim: u32,
    pub bytes_per_token: u32,
    pub flags: u32,
    pub reserved: u32,
    pub fetch_tool: *const c_char,
    pub keep_tools: *const *const c_char,
    pub keep_tools_len: usize,
}

#[repr(C)]
pub struct newt_outcome {
    pub status: i32,
    pub verdict: u32,
    pub json: *const c_char,
    pub json_len: usize,
    pub handle: *const c_char,
    pub handle_len: usize,
    pub error: *const c_char,
    pub error_offset: usize,
    pub rounds_eligible: usize,
    pub rounds_folded: usize,
    pub cards: usize,
    pub messages_before: usize,
    pub messages_after: usize,
    pub tokens_before: usize,
    pub tokens_after: usize,
    pub prefix_len: usize,
    pub receipt: *const c_char,
    pub receipt_len: usize,
}

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

#[repr(C)]
pub struct newt_sink {
    opaque: [u8; 0],
}

pub type newt_fetch_fn = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        handle: *const c_char,
        handle_len: usize,
        sink: *mut newt_sink,
    ) -> i32,
>;

type Operation = unsafe extern "C-unwind" fn(
    json: *const c_char,
    json_len: usize,
    cfg: *const newt_config,
    mint: newt_mint_fn,
    user_data: *mut c_void,
) -> *const newt_outcome;

unsafe extern "C-unwind" {
    pub fn newt_fold(
        json: *const c_char,
        json_len: usize,
        cfg: *const newt_config,
        mint: newt_mint_fn,
        user_data: *mut c_void,
    ) -> *const newt_outcome;
    pub fn newt_prune(
        json: *const c_char,
        json_len: usize,
        cfg: *const newt_config,
        mint: newt_mint_fn,
        user_data: *mut c_void,
    ) -> *const newt_outcome;
    pub fn newt_expand(
        json: *const c_char,
        json_len: usize,
        cfg: *const newt_config,
        fetch: newt_fetch_fn,
        user_data: *mut c_void,
    ) -> *const newt_outcome;
}

unsafe extern "C" {
    pub fn newt_config_init(cfg: *mut newt_config, struct_size: usize);
    pub fn newt_outcome_free(outcome: *const newt_outcome);
    pub fn newt_status_name(status: i32) -> *const c_char;
    pub fn newt_version() -> *const c_char;
    pub fn newt_version_number() -> u32;
    pub fn newt_abi_version() -> u32;
    pub fn newt_sink_write(sink: *mut newt_sink, bytes: *const c_char, len: usize);
    pub fn newt_estimate_tokens(
        json: *const c_char,
        json_len: usize,
        cfg: *const newt_config,
    ) -> usize;
    pub fn newt_pressure(tokens: usize, budget: usize) -> u32;
}

/// The defaults, as the library fills them in.
pub fn defaults() -> newt_config {
    let mut config = std::mem::MaybeUninit::<newt_config>::uninit();
    // SAFETY: it has the size that is passed, and every byte of it is written.
    unsafe {
        newt_config_init(config.as_mut_ptr(), size_of::<newt_config>());
        config.assume_init()
    }
}

/// An outcome, freed when it goes.
pub struct Outcome(*const newt_outcome);

impl Outcome {
    /// # Safety
    /// It came from the library and is freed nowhere else.
    pub unsafe fn of(outcome: *const newt_outcome) -> Self {
        assert!(!outcome.is_null(), "newt_fold never returns NULL");
        Self(outcome)
    }

    pub fn json(&self) -> Option<&str> {
        text(self.0.cast(), self.json, self.json_len)
    }

    pub fn handle(&self) -> Option<&str> {
        text(self.0.cast(), self.handle, self.handle_len)
    }

    pub fn receipt(&self) -> Option<&str> {
        text(self.0.cast(), self.receipt, self.receipt_len)
    }

    pub fn error(&self) -> Option<&str> {
        // SAFETY: NULL, or a string of the outcome's with a NUL.
        (!self.error.is_null()).then(|| {
            unsafe { CStr::from_ptr(self.error) }
                .to_str()
                .expect("UTF-8")
        })
    }

    pub fn as_ptr(&self) -> *const newt_outcome {
        self.0
    }
}

/// A string of an outcome, its NUL checked.
fn text(_owner: *const c_void, at: *const c_char, len: usize) -> Option<&'static str> {
    if at.is_null() {
        assert_eq!(len, 0, "no text, yet a length");
        return None;
    }
    // SAFETY: the library says that `len` bytes and a NUL stand there; callers
    // keep the outcome for as long as they read.
    let bytes = unsafe { std::slice::from_raw_parts(at.cast::<u8>(), len + 1) };
    assert_eq!(bytes[len], 0, "no NUL after the last byte");
    Some(std::str::from_utf8(&bytes[..len]).expect("UTF-8"))
}

impl std::ops::Deref for Outcome {
    type Target = newt_outcome;

    fn deref(&self) -> &newt_outcome {
        // SAFETY: not NULL, and not freed before `self` goes.
        unsafe { &*self.0 }
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        // SAFETY: by `Outcome::of`, freed here and nowhere else.
        unsafe { newt_outcome_free(self.0) };
    }
}

/// A mint that is a closure: what it returns is written as the handle; `None`
/// declines.
pub type Mint<'m> = &'m mut dyn FnMut(&[u8]) -> Option<Vec<u8>>;

unsafe extern "C-unwind" fn call_closure(
    user_data: *mut c_void,
    span: *const c_char,
    span_len: usize,
    handle: *mut c_char,
    handle_cap: usize,
    handle_len: *mut usize,
) -> i32 {
    assert_eq!(handle_cap, 256);
    // SAFETY: the library calls with the pointers its header describes, and
    // `user_data` is the one that `fold` passed.
    unsafe {
        assert_eq!(*handle_len, 0);
        let mint = &mut *user_data.cast::<Mint<'_>>();
        let span = std::slice::from_raw_parts(span.cast::<u8>(), span_len);
        assert!(!span.contains(&0), "a span has no NUL");
        let Some(given) = mint(span) else { return 1 };
        let len = given.len().min(handle_cap);
        ptr::copy_nonoverlapping(given.as_ptr(), handle.cast(), len);
        *handle_len = given.len();
    }
    0
}

/// Folds through the C ABI.
pub fn fold(document: &[u8], config: Option<&newt_config>, mint: Mint<'_>) -> Outcome {
    operate(newt_fold, document, config, mint)
}

/// Prunes through the C ABI.
pub fn prune(document: &[u8], config: Option<&newt_config>, mint: Mint<'_>) -> Outcome {
    operate(newt_prune, document, config, mint)
}

fn operate(
    operation: Operation,
    document: &[u8],
    config: Option<&newt_config>,
    mut mint: Mint<'_>,
) -> Outcome {
    let config = config.map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the slice is readable, the configuration NULL or whole, and the
    // closure lives until the call returns.
    unsafe {
        Outcome::of(operation(
            document.as_ptr().cast(),
            document.len(),
            config,
            Some(call_closure),
            (&raw mut mint).cast(),
        ))
    }
}

/// A fetch that is a closure: it writes to the sink by itself.
pub type Fetch<'f> = &'f mut dyn FnMut(&str, *mut newt_sink) -> i32;

unsafe extern "C-unwind" fn call_fetch(
    user_data: *mut c_void,
    handle: *const c_char,
    handle_len: usize,
    sink: *mut newt_sink,
) -> i32 {
    // SAFETY: the library calls with the pointers its header describes, and
    // `user_data` is the one that `expand` passed.
    let (fetch, handle) = unsafe {
        (
            &mut *user_data.cast::<Fetch<'_>>(),
            std::slice::from_raw_parts(handle.cast::<u8>(), handle_len),
        )
    };
    fetch(std::str::from_utf8(handle).expect("a handle"), sink)
}

/// Writes to a sink.
pub fn write(sink: *mut newt_sink, bytes: &[u8]) {
    // SAFETY: the bytes are readable, and the sink is the callback's own.
    unsafe { newt_sink_write(sink, bytes.as_ptr().cast(), bytes.len()) };
}

/// Expands through the C ABI.
pub fn expand(document: &[u8], config: Option<&newt_config>, mut fetch: Fetch<'_>) -> Outcome {
    let config = config.map_or(ptr::null(), ptr::from_ref);
    // SAFETY: as in `operate`.
    unsafe {
        Outcome::of(newt_expand(
            document.as_ptr().cast(),
            document.len(),
            config,
            Some(call_fetch),
            (&raw mut fetch).cast(),
        ))
    }
}

/// Plans through the C ABI.
pub fn plan(document: &[u8], config: Option<&newt_config>) -> Outcome {
    let config = config.map_or(ptr::null(), ptr::from_ref);
    // SAFETY: as in `fold`.
    unsafe {
        Outcome::of(newt_fold(
            document.as_ptr().cast(),
            document.len(),
            config,
            None,
            ptr::null_mut(),
        ))
    }
}
