//! Line feeds that a string means.

use super::block::{BLOCK, Block, escaped, level, units};
use fearless_simd::{Simd, dispatch};

/// How many line feeds a checked text means, and where the last of them ends.
pub(super) fn feeds(text: &[u8]) -> (usize, usize) {
    match memchr::memchr(b'\\', text) {
        Some(first) => dispatch!(level(), simd => feeds_from(simd, text, first)),
        None => (0, 0),
    }
}

#[inline(always)]
fn feeds_from<S: Simd>(simd: S, text: &[u8], mut at: usize) -> (usize, usize) {
    let (mut feeds, mut last) = (0, 0);
    // The last block with a line feed, and its `n`s. Blocks with one and without
    // take turns as no processor foresees, so that all are treated alike.
    let mut seen = (0, 0u64);
    let mut carry = false;
    while at < text.len() {
        let block = Block::at(simd, text, at);
        let escaped = escaped(block.equal(b'\\'), &mut carry);
        let letters = escaped & block.equal(b'n');
        feeds += letters.count_ones() as usize;
        if letters != 0 {
            seen = (at, letters);
        }
        // Where the last digit cannot be seen, it may be the right one.
        let tens = block.equal(b'a') | block.equal(b'A');
        let written_out = escaped & block.equal(b'u') & (tens >> 4 | 0xf << 60);
        if written_out != 0 {
            for (letter, _) in units(text, at, written_out).filter(|(_, unit)| is_feed(unit)) {
                feeds += 1;
                last = last.max(letter + "u000a".len());
            }
        }
        at += BLOCK;
    }
    let end = BLOCK - seen.1.leading_zeros() as usize;
    (feeds, last.max(seen.0 + end))
}

fn is_feed(unit: &[u8]) -> bool {
    unit.eq_ignore_ascii_case(b"000a")
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::{close, levels, pieces};
    use super::*;

    fn plain_feeds(text: &[u8]) -> (usize, usize) {
        let (mut at, mut feeds, mut last) = (0, 0, 0);
        while at < text.len() {
            let (len, feed) = match &text[at..] {
                [b'\\', b'n', ..] => (2, true),
                [b'\\', b'u', unit @ ..] => (6, is_feed(&unit[..4])),
                [b'\\', ..] => (2, false),
                _ => (1, false),
            };
            at += len;
            if feed {
                feeds += 1;
                last = at;
            }
        }
        (feeds, last)
    }

    proptest::proptest! {
        #[test]
        fn as_the_plain_count_says(inside in pieces()) {
            let text = format!("{inside}\"");
            let Some(end) = close(text.as_bytes(), 0) else { return Ok(()) };
            let text = &text.as_bytes()[..end];
            assert_eq!(feeds(text), plain_feeds(text));
            for level in levels() {
                let fast = dispatch!(level, simd => feeds_from(simd, text, 0));
                assert_eq!(fast, plain_feeds(text), "{level:?}");
            }
        }
    }
}
