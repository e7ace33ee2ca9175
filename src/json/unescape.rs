//! What a JSON string means.

use super::Chars;
use super::block::{BLOCK, Block, level};
use fearless_simd::{Simd, dispatch};

/// Adds what a checked text means, which is never longer than the text.
pub(super) fn unescape(text: &str, out: &mut String) {
    dispatch!(level(), simd => unescape_blocks(simd, text, out));
}

#[inline(always)]
fn unescape_blocks<S: Simd>(simd: S, text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for at in (0..bytes.len()).step_by(BLOCK) {
        let mut backslashes = Block::at(simd, bytes, at).equal(b'\\');
        while backslashes != 0 {
            let place = at + backslashes.trailing_zeros() as usize;
            backslashes &= backslashes - 1;
            // The second of two belongs to the first.
            if place < done {
                continue;
            }
            out.push_str(&text[done..place]);
            done = place + "\\n".len();
            match bytes.get(place + 1) {
                Some(b'n') => out.push('\n'),
                Some(b't') => out.push('\t'),
                Some(plain @ (b'"' | b'\\' | b'/')) => out.push(char::from(*plain)),
                _ => {
                    let mut chars = Chars(text[place..].chars());
                    out.extend(chars.next());
                    done = text.len() - chars.0.as_str().len();
                }
            }
        }
    }
    out.push_str(&text[done..]);
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::{close, levels, pieces};
    use super::*;

    proptest::proptest! {
        #[test]
        fn as_character_by_character(inside in pieces()) {
            let text = format!("{inside}\"");
            let Some(end) = close(text.as_bytes(), 0) else { return Ok(()) };
            let text = &text[..end];
            let plain: String = Chars(text.chars()).collect();
            for level in levels() {
                let mut fast = String::new();
                dispatch!(level, simd => unescape_blocks(simd, text, &mut fast));
                assert_eq!(fast, plain, "{level:?}");
            }
        }
    }
}
