//! `newt_sink`: where a fetch callback writes what it found.

use super::borrow;
use super::status::newt_status;
use crate::error::{Error, ErrorKind};
use std::ffi::{c_char, c_void};

/// Where a fetch callback writes a span. Opaque; it exists only while the
/// callback runs, for the thread that runs it.
#[allow(non_camel_case_types)]
pub struct newt_sink {
    bytes: Vec<u8>,
    limit: usize,
    refusal: Option<Error>,
}

/// Gives a span back: writes what is kept under `handle` to `sink` with
/// newt_sink_write, in as many pieces as it likes, and returns NEWT_OK.
///
/// NEWT_ERR_NOT_FOUND says that nothing is kept under this handle: its card
/// stays. Any other status fails the expansion with NEWT_ERR_STORE.
///
/// `user_data` is what the host passed beside the callback, NULL included.
/// `handle` is bare, as the mint gave it, without `compaction:`, `spill:` or
/// `#n`; it has a NUL after its last byte, and is borrowed for the call like
/// `sink`. The callback runs on the caller's thread before the
/// function that took it returns, and may call the library.
#[allow(non_camel_case_types)]
pub type newt_fetch_fn = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        handle: *const c_char,
        handle_len: usize,
        sink: *mut newt_sink,
    ) -> newt_status,
>;

impl newt_sink {
    /// An empty sink that takes up to `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            limit,
            refusal: None,
        }
    }

    /// Appends. The first refusal is kept and everything after it ignored:
    /// the callback has no one to report it to.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        if self.refusal.is_some() {
            return;
        }
        if bytes.len() > self.limit - self.bytes.len() {
            self.refusal = Some(Error::new(
                ErrorKind::Limit,
                format!(
                    "a span has more than the {} bytes that are left for it",
                    self.limit
                ),
            ));
        } else if let Err(error) = self.bytes.try_reserve(bytes.len()) {
            self.refusal = Some(error.into());
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// What was written, if every byte of it was taken.
    pub(super) fn finish(self) -> Result<Vec<u8>, Error> {
        match self.refusal {
            None => Ok(self.bytes),
            Some(error) => Err(error),
        }
    }
}

/// Appends `len` bytes to what a fetch callback gives back.
///
/// To be called only inside the callback, with the sink that it was given. The
/// bytes are copied. NULL with a length, too many bytes, or no memory for
/// them is remembered by the sink and fails the expansion, whatever status
/// the callback then returns. NULL with 0 writes nothing, so does a NULL sink.
///
/// # Safety
/// `sink` is NULL or the sink of the callback that is running; `bytes` is NULL
/// or points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_sink_write(sink: *mut newt_sink, bytes: *const c_char, len: usize) {
    // SAFETY: by this function's contract NULL or a live sink, which its
    // callback's one thread has to itself.
    let Some(sink) = (unsafe { sink.as_mut() }) else {
        return;
    };
    // SAFETY: by this function's contract.
    match unsafe { borrow::bytes("what is written to the sink", bytes, len) } {
        Ok(bytes) => sink.write(bytes),
        Err(error) => {
            sink.refusal.get_or_insert(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn pieces_are_joined() {
        let mut sink = newt_sink::new(5);
        for piece in [c"ab", c"", c"cde"] {
            // SAFETY: a live sink and a live string of that length.
            unsafe { newt_sink_write(&mut sink, piece.as_ptr(), piece.count_bytes()) };
        }
        assert_eq!(sink.finish().unwrap(), b"abcde");
    }

    #[test]
    fn the_first_refusal_stays() {
        let mut sink = newt_sink::new(3);
        sink.write(b"abcd");
        // SAFETY: a live sink; NULL is what is tested.
        unsafe { newt_sink_write(&mut sink, ptr::null(), 7) };
        sink.write(b"a");
        assert_eq!(sink.finish().unwrap_err().kind, ErrorKind::Limit);
    }

    #[test]
    fn null_with_a_length_is_remembered() {
        let mut sink = newt_sink::new(3);
        // SAFETY: a live sink; NULL is what is tested.
        unsafe {
            newt_sink_write(&mut sink, ptr::null(), 0);
            assert!(sink.refusal.is_none());
            newt_sink_write(&mut sink, ptr::null(), 7);
            newt_sink_write(ptr::null_mut(), c"a".as_ptr(), 1);
        }
        assert_eq!(sink.finish().unwrap_err().kind, ErrorKind::Argument);
    }

    #[test]
    fn more_memory_than_there_is_is_refused() {
        let mut sink = newt_sink::new(usize::MAX);
        // SAFETY: the length is over PTRDIFF_MAX, so the pointer is not read.
        unsafe { newt_sink_write(&mut sink, c"a".as_ptr(), usize::MAX) };
        assert_eq!(sink.finish().unwrap_err().kind, ErrorKind::Argument);
    }
}
