//! One C allocation for a struct and the strings it points to.

use std::ffi::c_char;
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::ptr;

/// A block from the C allocator that holds a `T` and, behind it, strings, each
/// with a NUL after its last byte. It is freed unless it is finished; then
/// `libc::free` frees it, and `T` must need no drop.
pub(super) struct Block<T: Copy> {
    start: *mut u8,
    /// Bytes of the block.
    size: usize,
    /// Bytes before which everything but the `T` was written.
    at: usize,
    holds: PhantomData<T>,
}

impl<T: Copy> Block<T> {
    /// Room for strings of so many bytes each; `None` when memory runs out.
    pub(super) fn for_strings(lens: &[usize]) -> Option<Self> {
        // malloc aligns for max_align_t, which is enough for structs of pointers.
        const { assert!(align_of::<T>() <= 16) };
        let size = lens.iter().try_fold(size_of::<T>(), |size, len| {
            size.checked_add(*len)?.checked_add(1)
        })?;
        // SAFETY: malloc may be called with any size; NULL is handled below.
        let start = unsafe { libc::malloc(size) }.cast::<u8>();
        (!start.is_null()).then_some(Self {
            start,
            size,
            at: size_of::<T>(),
            holds: PhantomData,
        })
    }

    /// Writes a string of exactly `len` bytes, handed over in pieces, behind
    /// those before it; returns its address.
    ///
    /// # Panics
    /// Where it has not so many bytes, or the block no room.
    pub(super) fn write<E>(
        &mut self,
        len: usize,
        string: impl FnOnce(&mut dyn FnMut(&str)) -> Result<(), E>,
    ) -> Result<*const c_char, E> {
        assert!(len < self.size - self.at, "room was made for less");
        let from = self.at;
        string(&mut |piece| {
            assert!(piece.len() <= from + len - self.at, "longer than it says");
            // SAFETY: `at` is at most `from + len`, and so is, by the check
            // above, the end of the piece; that is inside the block, by the
            // check before. The piece is no part of the block, of which nobody
            // has a reference.
            unsafe {
                ptr::copy_nonoverlapping(piece.as_ptr(), self.start.add(self.at), piece.len());
            }
            self.at += piece.len();
        })?;
        assert!(self.at == from + len, "shorter than it says");
        // SAFETY: `from + len` is less than the block's size, checked above.
        unsafe { self.start.add(self.at).write(0) };
        self.at += 1;
        // SAFETY: `from` is less than the block's size.
        Ok(unsafe { self.start.add(from) }.cast())
    }

    /// The same, of a string that is there.
    pub(super) fn copy(&mut self, string: &str) -> *const c_char {
        let written = self.write(string.len(), |put| {
            put(string);
            Ok::<_, std::convert::Infallible>(())
        });
        match written {
            Ok(address) => address,
            Err(never) => match never {},
        }
    }

    /// The finished block.
    pub(super) fn finish(self, value: T) -> *const T {
        let target = self.start.cast::<T>();
        std::mem::forget(self);
        // SAFETY: the block begins with room for a `T`, aligned (asserted above).
        unsafe { target.write(value) };
        target
    }
}

impl<T: Copy> Drop for Block<T> {
    fn drop(&mut self) {
        // SAFETY: the block came from malloc, and only `finish` gives it away,
        // which forgets `self`.
        unsafe { libc::free(self.start.cast()) };
    }
}
