//! One C allocation for a struct and the strings it points to.

use std::ffi::c_char;
use std::mem::{align_of, size_of};
use std::ptr;

/// Allocates one block from the C allocator that holds a `T` and, behind it,
/// each of `strings` (given in pieces, written one after another) with a NUL
/// after its last byte.
///
/// `build` gets the address of each string, in order, and returns the `T`.
/// Returns NULL when memory runs out. The block is freed by `libc::free`; `T`
/// must need no drop.
pub(super) fn allocate<T: Copy>(
    strings: &[&[&str]],
    build: impl FnOnce(&[*const c_char]) -> T,
) -> *const T {
    // malloc aligns for max_align_t, which is enough for structs of pointers.
    const { assert!(align_of::<T>() <= 16) };
    let mut size = size_of::<T>();
    for pieces in strings {
        let len = pieces
            .iter()
            .try_fold(1usize, |sum, p| sum.checked_add(p.len()));
        match len.and_then(|len| size.checked_add(len)) {
            Some(total) => size = total,
            None => return ptr::null(),
        }
    }
    // SAFETY: malloc may be called with any size; NULL is handled below.
    let block = unsafe { libc::malloc(size) }.cast::<u8>();
    if block.is_null() {
        return ptr::null();
    }
    let mut addresses = [ptr::null::<c_char>(); 4];
    let mut at = size_of::<T>();
    for (address, pieces) in addresses[..strings.len()].iter_mut().zip(strings) {
        // SAFETY: `at` is at most `size`, the sum of everything written here.
        *address = unsafe { block.add(at) }.cast();
        for piece in *pieces {
            // SAFETY: `size` was summed over these same lengths, so the target
            // lies inside the block; a fresh block overlaps no piece.
            unsafe { ptr::copy_nonoverlapping(piece.as_ptr(), block.add(at), piece.len()) };
            at += piece.len();
        }
        // SAFETY: one byte for the NUL was added to `size` for each string.
        unsafe { block.add(at).write(0) };
        at += 1;
    }
    let value = build(&addresses[..strings.len()]);
    let target = block.cast::<T>();
    // SAFETY: the block begins with room for a `T`, aligned (asserted above).
    unsafe { target.write(value) };
    target
}
