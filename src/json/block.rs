//! Sixty-four bytes at a time, one bit of a word for each.
//!
//! `fearless_simd` finds the widest instructions of the machine at run time:
//! AVX-512, AVX2 or SSE2, NEON. The answers are the same on all.

use fearless_simd::prelude::*;
use fearless_simd::{Level, u8x64};

/// Bytes in a block.
pub(super) const BLOCK: usize = 64;

/// The instructions to take.
#[inline(always)]
pub(super) fn level() -> Level {
    match Level::new() {
        // It has nothing for bytes that SSE2 has not.
        #[cfg(target_arch = "x86_64")]
        Level::Sse4_2(_) => Level::baseline(),
        level => level,
    }
}

/// The bytes of a last block, or of several, zeros behind them.
#[inline]
pub(super) fn padded<const LEN: usize>(rest: &[u8]) -> [u8; LEN] {
    let mut padded = [0; LEN];
    padded[..rest.len()].copy_from_slice(rest);
    padded
}

/// Bytes that are looked at together where a block is too much, by
/// instructions that every machine has.
pub(crate) const LANES: usize = 16;

/// A stretch of a document.
#[derive(Clone, Copy)]
pub(super) struct Block<S: Simd>(u8x64<S>);

impl<S: Simd> Block<S> {
    #[inline(always)]
    pub(super) fn of(simd: S, bytes: &[u8; BLOCK]) -> Self {
        Self(u8x64::from_slice(simd, bytes))
    }

    /// The block at `at`; zeros stand for what lies behind the end.
    #[inline(always)]
    pub(super) fn at(simd: S, bytes: &[u8], at: usize) -> Self {
        match bytes[at..].first_chunk() {
            Some(block) => Self::of(simd, block),
            None => Self::of(simd, &padded(&bytes[at..])),
        }
    }

    /// The bytes that are this one.
    #[inline(always)]
    pub(super) fn equal(self, byte: u8) -> u64 {
        self.0.simd_eq(byte).to_bitmask()
    }

    /// The bytes below this one.
    #[inline(always)]
    pub(super) fn below(self, byte: u8) -> u64 {
        self.0.simd_lt(byte).to_bitmask()
    }

    /// The bytes that may stand behind a backslash: `"\/bfnrtu`.
    #[inline(always)]
    pub(super) fn escapable(self) -> u64 {
        // Bits are put together, not masks: those of two AVX2 registers are
        // taken apart byte by byte by the compiler without LTO.
        // `b` and `f` differ in one bit, and so do `t` and `u`.
        let with = |bit: u8, byte: u8| Self(self.0 | bit).equal(byte);
        let marks = self.equal(b'"') | self.equal(b'\\') | self.equal(b'/');
        marks | self.equal(b'n') | self.equal(b'r') | with(4, b'f') | with(1, b'u')
    }

    /// Those of them that need no more behind them and are no backslash or
    /// quote.
    #[inline(always)]
    pub(super) fn escapable_alone(self) -> u64 {
        self.escapable() & !(self.equal(b'u') | self.equal(b'\\') | self.equal(b'"'))
    }

    /// The bytes that are hexadecimal digits.
    #[inline(always)]
    pub(super) fn hexadecimal(self) -> u64 {
        let digit = (self.0 - b'0').simd_lt(10);
        // A letter's two cases differ in one bit.
        let letter = ((self.0 | 0x20) - b'a').simd_lt(6);
        digit.to_bitmask() | letter.to_bitmask()
    }
}

/// The places of the four bytes behind each of those marked, in their block and
/// in the next one.
#[inline(always)]
pub(super) fn four_behind(bits: u64) -> (u64, u64) {
    let both = u128::from(bits);
    let behind = both << 1 | both << 2 | both << 3 | both << 4;
    (behind as u64, (behind >> 64) as u64)
}

/// Which bytes of a block stand right behind an odd row of backslashes, so that
/// the last of the row escapes them. `carry` says so of the first byte, and
/// then of the next block's.
#[inline(always)]
pub(super) fn escaped(backslashes: u64, carry: &mut bool) -> u64 {
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

/// The four bytes behind each `u` of `\u` that `bits` marks in the block at
/// `at`, fewer at the end of the document, and the place of the `u`.
pub(super) fn units(
    bytes: &[u8],
    at: usize,
    mut bits: u64,
) -> impl Iterator<Item = (usize, &[u8])> {
    std::iter::from_fn(move || {
        let bit = bits.checked_ilog2()?;
        bits ^= 1 << bit;
        let letter = at + bit as usize;
        let rest = &bytes[letter + 1..];
        Some((letter, &rest[..rest.len().min(4)]))
    })
}

/// What the fast ways are held against, and on which instructions.
#[cfg(test)]
pub(super) mod tests {
    use super::Level;

    /// Every instruction set of this machine that may be chosen on another.
    pub(in crate::json) fn levels() -> Vec<Level> {
        let best = Level::new();
        #[cfg(target_arch = "x86_64")]
        let lower = [
            best.as_avx2().map(Level::Avx2),
            best.as_sse4_2().map(Level::Sse4_2),
            best.as_sse2().map(Level::Sse2),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let lower = [Some(Level::baseline())];
        [best]
            .into_iter()
            .chain(lower.into_iter().flatten())
            .collect()
    }

    /// For `.ci/portable.sh`, which wants to be sure of what it emulates.
    #[test]
    fn the_instructions_of_this_machine() {
        println!("instructions: {:?}", levels()[0]);
    }

    /// Pieces of strings that put quotes, backslashes and what breaks a rule at
    /// every place of a block.
    pub(in crate::json) fn pieces() -> impl proptest::strategy::Strategy<Value = String> {
        use proptest::prelude::*;
        let piece = prop_oneof![
            4 => proptest::sample::select(vec![
                "\"", "\\\"", "\\\\", "\\n", "\\u000a", "\\u000A", "\\u00e9", "\\ud83d", "\\/", "n", "u", "é", " ",
            ]).prop_map(str::to_owned),
            1 => proptest::sample::select(vec!["\\", "\\x", "\\u12", "\n", "\u{1f}", "\u{0}"]).prop_map(str::to_owned),
            1 => (0usize..70).prop_map(|n| "x".repeat(n)),
            1 => (0usize..70).prop_map(|n| "\\\\".repeat(n)),
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    /// Where the string whose inside begins at `from` has its closing quote.
    pub(in crate::json) fn close(bytes: &[u8], mut from: usize) -> Option<usize> {
        loop {
            match bytes.get(from)? {
                b'"' => return Some(from),
                0..0x20 => return None,
                b'\\' => match bytes.get(from + 1)? {
                    b'u' => {
                        let unit = bytes.get(from + 2..from + 6)?;
                        unit.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                        from += 6;
                    }
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => from += 2,
                    _ => return None,
                },
                _ => from += 1,
            }
        }
    }
}
