//! Where the strings of a document begin and end, found block by block ahead of
//! the reader.
//!
//! Finding every quote first makes where a string ends a matter of taking the
//! next bit of a word. It only ever says yes: where a string breaks a rule,
//! nothing more is found, and the plain reading in [`super`], byte by byte, has
//! the word. What is refused, and where, is decided there alone.

use super::block::{BLOCK, Block, escaped, four_behind, level};
use fearless_simd::{Simd, dispatch};

/// Blocks that are looked at together.
const BLOCKS: usize = 32;

/// The quotes that are not escaped, in order.
///
/// A document that is JSON up to some place has, up to there, a quote wherever
/// a string begins or ends and nowhere else, so that quotes behind an even
/// number of others begin strings.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    /// Those of the block at `at` that were not passed yet, and its backslashes.
    here: u64,
    backslashes: u64,
    at: usize,
    /// Those of the blocks behind it, as far as they were looked at.
    ahead: [Marks; BLOCKS],
    next: usize,
    known: usize,
    state: State,
}

/// What stands in a block, one bit a byte.
#[derive(Debug, Default, Clone, Copy)]
struct Marks {
    quotes: u64,
    backslashes: u64,
}

/// What is known where the blocks end that were looked at.
#[derive(Debug, Default, Clone, Copy)]
struct State {
    /// The next byte is escaped.
    escaped: bool,
    /// Which of the next bytes must be hexadecimal digits.
    digits: u64,
    /// All ones if it stands in a string.
    inside: u64,
    /// A string has broken a rule.
    broken: bool,
    /// Where the first control character stands that is in no string.
    first_break: Option<usize>,
}

impl State {
    #[cold]
    fn note_break(&mut self, place: usize) {
        self.first_break.get_or_insert(place);
    }
}

impl Quotes {
    /// Those from a place outside all strings on.
    pub(super) fn from(at: usize) -> Self {
        Self {
            // A block behind which the first one begins.
            at: at.wrapping_sub(BLOCK),
            ..Self::default()
        }
    }

    /// Takes the closing one of the string that opens at `open`; says whether it
    /// is sure that no escape stands between them.
    #[inline(always)]
    pub(super) fn close(&mut self, bytes: &[u8], open: usize) -> Option<(usize, bool)> {
        if self.at_or_behind(bytes, open)? != open {
            return None;
        }
        let (block, opening) = (self.at, open - self.at);
        self.here &= self.here - 1;
        while self.here == 0 {
            self.step(bytes)?;
        }
        let closing = self.here.trailing_zeros() as usize;
        self.here &= self.here - 1;
        let plain = block == self.at
            && self.backslashes >> opening << opening << (BLOCK - 1 - closing) == 0;
        Some((self.at + closing, plain))
    }

    /// The first one from a place on, not before any that was asked for;
    /// those before it are passed over.
    #[inline(always)]
    pub(super) fn at_or_behind(&mut self, bytes: &[u8], place: usize) -> Option<usize> {
        while place.wrapping_sub(self.at) >= BLOCK {
            self.step(bytes)?;
        }
        self.here &= u64::MAX << (place - self.at);
        while self.here == 0 {
            self.step(bytes)?;
        }
        Some(self.at + self.here.trailing_zeros() as usize)
    }

    /// Goes back to a place outside all strings.
    pub(super) fn back_to(&mut self, place: usize) {
        let looked_from = self
            .at
            .wrapping_sub(BLOCK.wrapping_mul(self.next.wrapping_sub(1)));
        let block = place.wrapping_sub(looked_from) / BLOCK;
        if block < self.next && !self.state.broken {
            self.at = looked_from + BLOCK * block;
            let marks = self.ahead[block % BLOCKS];
            self.here = marks.quotes & u64::MAX << (place - self.at);
            self.backslashes = marks.backslashes;
            self.next = block + 1;
        } else {
            let first_break = self.state.first_break;
            *self = Self::from(place);
            self.state.first_break = first_break;
        }
    }

    /// Goes on to the next block.
    #[inline(always)]
    fn step(&mut self, bytes: &[u8]) -> Option<()> {
        if self.next == self.known && !self.look(bytes) {
            self.here = 0;
            return None;
        }
        let marks = self.ahead[self.next % BLOCKS];
        self.here = marks.quotes;
        self.backslashes = marks.backslashes;
        self.next += 1;
        self.at = self.at.wrapping_add(BLOCK);
        Some(())
    }

    /// Where the first line break or other control character stands outside
    /// strings, as far as the document was read; 0 where that is not known.
    pub(super) fn first_break(&self) -> usize {
        match self.state.broken {
            true => 0,
            false => self.state.first_break.unwrap_or(usize::MAX),
        }
    }

    /// Nothing more is found, whatever follows.
    #[cold]
    pub(super) fn give_up(&mut self) {
        self.state.broken = true;
        self.here = 0;
        self.next = 0;
        self.known = 0;
    }

    /// Looks at the next blocks; says whether there are any.
    #[inline(never)]
    fn look(&mut self, bytes: &[u8]) -> bool {
        let at = self.at.wrapping_add(BLOCK);
        self.next = 0;
        self.known = 0;
        if self.state.broken || at >= bytes.len() {
            return false;
        }
        let blocks = (bytes.len() - at).div_ceil(BLOCK).min(BLOCKS);
        let (ahead, state) = (&mut self.ahead[..blocks], self.state);
        self.state = dispatch!(level(), simd => look(simd, bytes, at, ahead, state));
        if self.state.broken {
            return false;
        }
        self.known = blocks;
        true
    }
}

#[inline(always)]
fn look<S: Simd>(
    simd: S,
    bytes: &[u8],
    mut at: usize,
    ahead: &mut [Marks],
    mut state: State,
) -> State {
    for marks in ahead {
        let block = Block::at(simd, bytes, at);
        let mut quotes = block.equal(b'"');
        let backslashes = block.equal(b'\\');
        let control = block.below(0x20);
        marks.backslashes = backslashes;
        if backslashes | state.digits != 0 || state.escaped {
            let escaped = escaped(backslashes, &mut state.escaped);
            quotes &= !escaped;
            // Outside a string no backslash may stand either.
            state.broken |= escaped & !block.escapable() != 0;
            let units = escaped & block.equal(b'u');
            if units | state.digits != 0 {
                let (here, next) = four_behind(units);
                state.broken |= (here | state.digits) & !block.hexadecimal() != 0;
                state.digits = next;
            }
        }
        marks.quotes = quotes;
        let mut inside = state.inside;
        if quotes != 0 {
            inside ^= spread(quotes);
            state.inside = if inside >> 63 == 0 { 0 } else { u64::MAX };
        }
        state.broken |= control & inside != 0;
        let outside = control & !inside;
        if outside != 0 {
            state.note_break(at + outside.trailing_zeros() as usize);
        }
        at += BLOCK;
    }
    state
}

/// Sets the bits from the first, third, fifth … set one up to the next.
#[inline(always)]
fn spread(mut bits: u64) -> u64 {
    // A loop would be one when the library is built for size.
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^ bits << 32
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::{close, levels, pieces};
    use super::*;
    use fearless_simd::Level;

    /// What [`Quotes`] says of the string that opens at `open`, on instructions
    /// of a choice.
    fn found(level: Level, bytes: &[u8], open: usize) -> Option<usize> {
        let mut ahead = vec![Marks::default(); (bytes.len() - open).div_ceil(BLOCK)];
        let (marks, state) = (&mut ahead[..], State::default());
        let state = dispatch!(level, simd => look(simd, bytes, open, marks, state));
        let mut quotes = (open..bytes.len()).filter(|at| {
            let at = at - open;
            ahead[at / BLOCK].quotes >> (at % BLOCK) & 1 == 1
        });
        assert_eq!(quotes.next(), Some(open));
        quotes.next().filter(|_| !state.broken)
    }

    proptest::proptest! {
        #[test]
        fn as_the_plain_reading_says(inside in pieces(), lead in 0usize..70, tail in 0usize..70) {
            let text = format!("{}\"{inside}\"{}", " ".repeat(lead), " ".repeat(tail));
            let plain = close(text.as_bytes(), lead + 1);
            // What follows the string is no JSON, and may break a rule itself.
            let cut = plain.map_or(text.len(), |close| close + 1);
            for level in levels() {
                let bytes = &text.as_bytes()[..cut];
                assert_eq!(found(level, bytes, lead), plain, "{level:?} {text:?}");
            }
            let mut quotes = Quotes::from(0);
            let closed = quotes.close(&text.as_bytes()[..cut], lead).map(|(close, _)| close);
            assert_eq!(closed, plain);
        }
    }

    #[test]
    fn every_byte_at_every_place() {
        for len in [1, 2, 63, 64, 65, 127, 128, 129] {
            for place in 0..len {
                for byte in 0..=255u8 {
                    for escaped in [false, true] {
                        let mut bytes = vec![b'n'; len + 2];
                        bytes[0] = b'"';
                        bytes[len + 1] = b'"';
                        bytes[1 + place] = byte;
                        if escaped && place > 0 {
                            bytes[place] = b'\\';
                        }
                        let plain = close(&bytes, 1);
                        bytes.truncate(plain.map_or(bytes.len(), |close| close + 1));
                        for level in levels() {
                            let fast = found(level, &bytes, 0);
                            assert_eq!(fast, plain, "{level:?} byte {byte} at {place} of {len}");
                        }
                    }
                }
            }
        }
    }
}
