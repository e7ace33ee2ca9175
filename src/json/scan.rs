//! JSON strings read sixteen bytes at a time.
//!
//! These functions only ever say yes. Where a string breaks a rule they say
//! nothing, and the plain reading in [`super`], byte by byte, has the word: what
//! is refused, and where, is decided there alone.
//!
//! `wide` has SSE2 on every x86-64, NEON on every aarch64, and plain code
//! elsewhere, so nothing is chosen at run time.

use wide::u8x16;

/// Bytes of a block: one bit each in a word.
const BLOCK: usize = 64;
const LANE: usize = 16;

/// Where the string whose inside begins at `from` has its closing quote.
#[inline]
pub(super) fn close(bytes: &[u8], from: usize) -> Option<usize> {
    let Some(first) = bytes.get(from..from + BLOCK) else {
        return close_long(bytes, from);
    };
    // Most strings end here, in the first lane or two.
    for (lane, at) in first.chunks_exact(LANE).zip((from..).step_by(LANE)) {
        let marks = special(self::lane(lane)).to_bitmask();
        if marks != 0 {
            return stop(bytes, at + marks.trailing_zeros() as usize);
        }
    }
    close_long(bytes, from + BLOCK)
}

#[inline(never)]
fn close_long(bytes: &[u8], mut at: usize) -> Option<usize> {
    while at < bytes.len() {
        let marks = block(bytes, at).map(special);
        let [a, b, c, d] = marks;
        if (a | b | c | d).any() {
            return stop(bytes, at + bitmask(marks).trailing_zeros() as usize);
        }
        at += BLOCK;
    }
    None
}

/// At the first byte that does not stand for itself.
#[inline]
fn stop(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at) {
        Some(b'"') => Some(at),
        Some(b'\\') => close_escaped(bytes, at),
        _ => None,
    }
}

/// The closing quote of a string from its first backslash on.
#[inline(never)]
fn close_escaped(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut carry = false;
    while at < bytes.len() {
        let block = block(bytes, at);
        let escaped = escaped(equal(block, b'\\'), &mut carry);
        let end = equal(block, b'"') & !escaped;
        // The bits before the closing quote; all of them if there is none.
        let inside = end.wrapping_sub(1) & !end;
        let control = block.map(|lane| lane.min(u8x16::splat(0x1f)).simd_eq(lane));
        if bitmask(control) & inside != 0 {
            return None;
        }
        let escaped = escaped & inside;
        if escaped != 0 {
            if escaped & !escapable(block) != 0 {
                return None;
            }
            let mut units = units(bytes, at, escaped & equal(block, b'u'));
            if !units.all(|(_, unit)| unit.iter().all(u8::is_ascii_hexdigit)) {
                return None;
            }
        }
        if end != 0 {
            return Some(at + end.trailing_zeros() as usize);
        }
        at += BLOCK;
    }
    None
}

/// Line feeds that a checked text means, and where the last of them ends.
pub(super) fn feeds(text: &[u8]) -> (usize, usize) {
    let (mut feeds, mut last) = (0, 0);
    let (mut at, mut carry) = (0, false);
    while at < text.len() {
        let block = block(text, at);
        let backslashes = equal(block, b'\\');
        if backslashes != 0 || carry {
            let escaped = escaped(backslashes, &mut carry);
            let letters = escaped & equal(block, b'n');
            let written_out = units(text, at, escaped & equal(block, b'u'))
                .filter(|(_, unit)| unit.eq_ignore_ascii_case(b"000a"));
            for (letter, _) in written_out {
                feeds += 1;
                last = last.max(letter + "u000a".len());
            }
            if letters != 0 {
                feeds += letters.count_ones() as usize;
                last = last.max(at + letters.ilog2() as usize + "n".len());
            }
        }
        at += BLOCK;
    }
    (feeds, last)
}

/// The `u`s of `\\u` escapes that `bits` marks in the block at `at`, and the four
/// bytes behind each (fewer at the end of the document).
fn units(bytes: &[u8], at: usize, mut bits: u64) -> impl Iterator<Item = (usize, &[u8])> {
    std::iter::from_fn(move || {
        let letter = at + bits.checked_ilog2()? as usize;
        bits ^= 1 << (letter - at);
        let unit = bytes.get(letter + 1..letter + 5);
        Some((letter, unit.unwrap_or(b"\\")))
    })
}

/// Which bytes of a block stand right behind an odd row of backslashes, so that
/// the last of the row escapes them. `carry` says so of the first byte, and
/// then of the next block's.
#[inline]
fn escaped(backslashes: u64, carry: &mut bool) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let first = u64::from(*carry);
    // A backslash that is escaped itself begins no row.
    let row = backslashes & !first;
    let starts = row & !(row << 1);
    // Adding its start to a row carries through all of it, to the bit behind.
    let (from_even, _) = row.overflowing_add(starts & EVEN);
    let (from_odd, past_the_end) = row.overflowing_add(starts & !EVEN);
    *carry = past_the_end;
    first | (from_even & !row & !EVEN) | (from_odd & !row & EVEN)
}

/// Which bytes may stand behind a backslash: `"\/bfnrtu`.
#[inline]
fn escapable(block: [u8x16; 4]) -> u64 {
    bitmask(block.map(|lane| {
        let is = |byte: u8| lane.simd_eq(u8x16::splat(byte));
        // `b` and `f` differ in one bit, and so do `t` and `u`.
        let with = |bit: u8, byte: u8| (lane | u8x16::splat(bit)).simd_eq(u8x16::splat(byte));
        is(b'"') | is(b'\\') | is(b'/') | with(4, b'f') | is(b'n') | is(b'r') | with(1, b'u')
    }))
}

/// Marks quotes, backslashes and control characters.
#[inline]
fn special(lane: u8x16) -> u8x16 {
    // With this bit turned over, the quote is the first byte behind the
    // control characters, which stay among themselves.
    let turned = lane ^ u8x16::splat(2);
    turned.min(u8x16::splat(0x20)).simd_eq(turned) | lane.simd_eq(u8x16::splat(b'\\'))
}

/// The block at `at`; zeros stand for what lies behind the end.
#[inline]
fn block(bytes: &[u8], at: usize) -> [u8x16; 4] {
    let lanes = |block: &[u8]| std::array::from_fn(|i| lane(&block[LANE * i..LANE * i + LANE]));
    if let Some(block) = bytes.get(at..at + BLOCK) {
        return lanes(block);
    }
    let mut padded = [0; BLOCK];
    let rest = &bytes[at..];
    padded[..rest.len()].copy_from_slice(rest);
    lanes(&padded)
}

#[inline]
fn lane(bytes: &[u8]) -> u8x16 {
    u8x16::new(bytes.try_into().expect("a lane's bytes"))
}

/// The bytes of a block that are this one.
#[inline]
fn equal(block: [u8x16; 4], byte: u8) -> u64 {
    bitmask(block.map(|lane| lane.simd_eq(u8x16::splat(byte))))
}

/// One bit for each byte of a mask, the first one lowest.
#[inline]
fn bitmask(mask: [u8x16; 4]) -> u64 {
    let [a, b, c, d] = mask.map(|lane| u64::from(lane.to_bitmask()));
    a | b << 16 | c << 32 | d << 48
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, byte by byte.
    fn plain_close(bytes: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            match bytes.get(at)? {
                b'"' => return Some(at),
                b'\\' => match bytes.get(at + 1)? {
                    b'u' => {
                        let unit = bytes.get(at + 2..at + 6)?;
                        if !unit.iter().all(u8::is_ascii_hexdigit) {
                            return None;
                        }
                        at += 6;
                    }
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                    _ => return None,
                },
                0..0x20 => return None,
                _ => at += 1,
            }
        }
    }

    fn plain_feeds(text: &[u8]) -> (usize, usize) {
        let (mut at, mut feeds, mut last) = (0, 0, 0);
        while at < text.len() {
            let (len, feed) = match &text[at..] {
                [b'\\', b'n', ..] => (2, true),
                [b'\\', b'u', unit @ ..] => (6, unit[..4].eq_ignore_ascii_case(b"000a")),
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

    /// Compares at every alignment, with every length of what follows.
    fn compare(inside: &[u8]) {
        for lead in 0..17 {
            for tail in [0, 1, 63, 64, 65, 200] {
                let mut bytes = vec![b'"'; lead];
                bytes.extend_from_slice(inside);
                bytes.extend(std::iter::repeat_n(b'x', tail));
                let (fast, plain) = (close(&bytes, lead), plain_close(&bytes, lead));
                assert_eq!(fast, plain, "{:?}", String::from_utf8_lossy(&bytes));
                if let Some(end) = plain {
                    let text = &bytes[lead..end];
                    assert_eq!(feeds(text), plain_feeds(text));
                }
            }
        }
    }

    #[test]
    fn every_byte_at_every_place() {
        for len in [1, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129] {
            for place in 0..len {
                for byte in 0..=255u8 {
                    let mut inside = vec![b'n'; len];
                    inside[place] = byte;
                    inside.push(b'"');
                    let (fast, plain) = (close(&inside, 0), plain_close(&inside, 0));
                    assert_eq!(fast, plain, "byte {byte} at {place} of {len}");
                    if place > 0 {
                        inside[place - 1] = b'\\';
                        let (fast, plain) = (close(&inside, 0), plain_close(&inside, 0));
                        assert_eq!(fast, plain, "escaped byte {byte} at {place} of {len}");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_of_backslashes_of_every_length_at_every_place() {
        for place in 0..70 {
            for row in 0..140 {
                for last in [&b"n"[..], b"\"", b"u000A", b"u00g0", b"u12", b"\n", b"x"] {
                    let mut inside = vec![b'a'; place];
                    inside.extend(std::iter::repeat_n(b'\\', row));
                    inside.extend_from_slice(last);
                    inside.push(b'"');
                    let (fast, plain) = (close(&inside, 0), plain_close(&inside, 0));
                    assert_eq!(fast, plain, "{row} backslashes at {place}, then {last:?}");
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn as_the_plain_reading_says(
            pieces in proptest::collection::vec(
                proptest::sample::select(vec![
                    "a", " ", "\\", "\\\\", "\\\"", "\\n", "\\u000a", "\\u000A", "\\ud83d", "\\u00e",
                    "\\x", "\"", "é", "\u{1f600}", "\n", "\u{1}", "sixteen bytes, no", "/", "\\/", "u",
                ]),
                0..60,
            ),
        ) {
            compare(pieces.concat().as_bytes());
        }
    }
}
