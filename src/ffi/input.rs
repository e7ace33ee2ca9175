//! What every call on a document takes: the document and the configuration.

use super::borrow;
use super::config::{self, newt_config};
use crate::config::Config;
use crate::error::Error;
use std::ffi::c_char;

/// The document's bytes, and what the caller asks for.
///
/// # Safety
/// `json` is NULL or readable for `json_len` bytes that stay as they are for
/// `'a`; `cfg` is as newt_config says.
pub(super) unsafe fn read<'a>(
    json: *const c_char,
    json_len: usize,
    cfg: *const newt_config,
) -> Result<(&'a [u8], Config), Error> {
    // SAFETY: both by this function's contract.
    unsafe { Ok((borrow::bytes("json", json, json_len)?, config::read(cfg)?)) }
}
