//! What a JSON string means.

use super::Chars;
use super::block::{BLOCK, Block, LANES};
use crate::error::Error;
use fearless_simd::{Level, Simd, dispatch};

/// Writes what a checked text means, in place of what `out` holds.
pub(super) fn unescape(text: &str, out: &mut Vec<u8>) -> Result<(), Error> {
    out.clear();
    // An escape is never shorter than what it means; what is copied behind the
    // end is cut off.
    let room = text.len() + LANES;
    out.try_reserve_exact(room)?;
    out.resize(room, 0);
    let len = dispatch!(Level::baseline(), simd => unescape_with(simd, text, out));
    out.truncate(len);
    Ok(())
}

/// What each letter behind a backslash means but `u`. A look at it costs less
/// than to tell the letters apart.
const MEANT: [u8; 256] = {
    let mut meant = [0; 256];
    let pairs = *b"\"\"\\\\//b\x08f\x0cn\nr\rt\t";
    let mut at = 0;
    while at < pairs.len() {
        meant[pairs[at] as usize] = pairs[at + 1];
        at += 2;
    }
    meant
};

/// Returns how many bytes were written.
#[inline(always)]
fn unescape_with<S: Simd>(simd: S, text: &str, out: &mut [u8]) -> usize {
    let bytes = text.as_bytes();
    let (mut done, mut written) = (0, 0);
    for at in (0..bytes.len()).step_by(BLOCK) {
        let mut backslashes = Block::at(simd, bytes, at).equal(b'\\');
        while backslashes != 0 {
            let place = at + backslashes.trailing_zeros() as usize;
            backslashes &= backslashes - 1;
            // The second of two belongs to the first.
            if place < done {
                continue;
            }
            written += copy(&bytes[done..], place - done, &mut out[written..]);
            done = place + "\\n".len();
            let letter = bytes.get(place + 1).copied().unwrap_or_default();
            if letter != b'u' {
                out[written] = MEANT[usize::from(letter)];
                written += 1;
                continue;
            }
            let mut chars = Chars(text[place..].chars());
            let c = chars.next().unwrap_or_default();
            written += c.encode_utf8(&mut out[written..]).len();
            done = text.len() - chars.0.as_str().len();
        }
    }
    written + copy(&bytes[done..], bytes.len() - done, &mut out[written..])
}

/// Copies the first `len` bytes, and perhaps some more, which costs less where
/// they are few; returns `len`.
#[inline(always)]
fn copy(from: &[u8], len: usize, to: &mut [u8]) -> usize {
    match (from.first_chunk::<LANES>(), to.first_chunk_mut::<LANES>()) {
        (Some(from), Some(to)) if len <= LANES => *to = *from,
        _ => to[..len].copy_from_slice(&from[..len]),
    }
    len
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::{close, pieces};
    use super::*;

    proptest::proptest! {
        #[test]
        fn as_character_by_character(inside in pieces()) {
            let text = format!("{inside}\"");
            let Some(end) = close(text.as_bytes(), 0) else { return Ok(()) };
            let text = &text[..end];
            let plain: String = Chars(text.chars()).collect();
            let mut fast = b"before".to_vec();
            unescape(text, &mut fast).unwrap();
            assert_eq!(String::from_utf8(fast).unwrap(), plain);
        }
    }
}
