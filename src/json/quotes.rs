//! Where the strings of a document begin and end, found block by block ahead of
//! the reader.
//!
//! Finding every quote first makes where a string ends a matter of taking the
//! next bit of a word. It only ever says yes: where a string breaks a rule,
//! nothing more is found, and the plain reading in [`super`], byte by byte, has
//! the word. What is refused, and where, is decided there alone.

use super::block::{BLOCK, Block, escaped, four_behind, level, padded};
use fearless_simd::{Simd, dispatch};

/// Blocks that are looked at together.
const BLOCKS: usize = 32;
/// Blocks of which one that has a backslash, or a control character, makes all be
/// looked at for it.
const GROUP: usize = 4;
/// Blocks that are remembered, so that a message that stands in no shape it was
/// tried in is not looked at again.
const KEPT: usize = 4 * BLOCKS;

/// The quotes that are not escaped.
///
/// A document that is JSON up to some place has, up to there, a quote wherever
/// a string begins or ends and nowhere else, so that quotes behind an even
/// number of others begin strings.
#[derive(Debug)]
pub(super) struct Quotes {
    /// The blocks that were looked at last, each in the place of the one `KEPT`
    /// before it.
    marks: [Marks; KEPT],
    /// Which of them have quotes, one bit each.
    filled: [u32; KEPT / BLOCKS],
    /// Where the first block stands, and how many were looked at.
    from: usize,
    known: usize,
    /// The first place of which nothing can be told before more blocks are
    /// looked at.
    told_to: usize,
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
    /// Looks at escapes that are more than one letter, or none.
    #[inline(always)]
    fn note_unusual<S: Simd>(&mut self, block: Block<S>, unusual: u64) {
        // Outside a string no backslash may stand either.
        self.broken |= unusual & !block.escapable() != 0;
        let units = unusual & block.equal(b'u');
        let (here, next) = four_behind(units);
        self.broken |= (here | self.digits) & !block.hexadecimal() != 0;
        self.digits = next;
    }

    /// Looks at the control characters of the block at `at`, of which so much
    /// stands in strings.
    #[inline(always)]
    fn note_control(&mut self, control: u64, inside: u64, at: usize) {
        self.broken |= control & inside != 0;
        let outside = control & !inside;
        if outside != 0 {
            self.note_break(at + outside.trailing_zeros() as usize);
        }
    }

    #[cold]
    fn note_break(&mut self, place: usize) {
        self.first_break.get_or_insert(place);
    }
}

impl Quotes {
    /// Those from a place outside all strings on.
    pub(super) fn from(at: usize) -> Self {
        Self {
            marks: [Marks::default(); KEPT],
            filled: [0; KEPT / BLOCKS],
            from: at,
            known: 0,
            told_to: at,
            state: State::default(),
        }
    }

    /// The closing one of the string that opens at `open`, and whether it is
    /// sure that no escape stands between them.
    #[inline(always)]
    pub(super) fn close(&mut self, bytes: &[u8], open: usize) -> Option<(usize, bool)> {
        if self.at_or_behind(bytes, open)? != open {
            return None;
        }
        let close = self.at_or_behind(bytes, open + 1)?;
        let inside = close - open;
        let plain = inside < BLOCK
            && self.behind(open, |marks| marks.backslashes) << (BLOCK - 1 - inside) << 1 == 0;
        Some((close, plain))
    }

    /// The first one from a place on, which may not lie before one that was
    /// asked for, but for those of [`Quotes::back_to`].
    #[inline(always)]
    pub(super) fn at_or_behind(&mut self, bytes: &[u8], place: usize) -> Option<usize> {
        while place >= self.told_to {
            self.look(bytes)?;
        }
        // Most strings are short: where they end is told by one word, wherever
        // its blocks meet.
        match self.behind(place, |marks| marks.quotes) {
            0 => self.far_behind(bytes, place),
            quotes => Some(place + quotes.trailing_zeros() as usize),
        }
    }

    /// What is marked in as many bytes as a block has, from a place on.
    #[inline(always)]
    fn behind(&self, place: usize, which: impl Fn(Marks) -> u64) -> u64 {
        let (block, first) = ((place - self.from) / BLOCK, (place - self.from) % BLOCK);
        let [here, next] = [block, block + 1].map(|block| which(self.marks[block % KEPT]));
        here >> first | next << 1 << (BLOCK - 1 - first)
    }

    /// The first one behind the block that holds a place.
    fn far_behind(&mut self, bytes: &[u8], place: usize) -> Option<usize> {
        let mut block = (place - self.from) / BLOCK + 1;
        loop {
            while block >= self.known {
                self.look(bytes)?;
            }
            let (group, first) = (block / BLOCKS, block % BLOCKS);
            let filled = self.filled[group % self.filled.len()] >> first;
            if filled != 0 {
                block += filled.trailing_zeros() as usize;
                let quotes = self.marks[block % KEPT].quotes;
                return Some(self.from + BLOCK * block + quotes.trailing_zeros() as usize);
            }
            block = BLOCKS * (group + 1);
        }
    }

    /// Goes back to a place outside all strings.
    pub(super) fn back_to(&mut self, place: usize) {
        let block = place.wrapping_sub(self.from) / BLOCK;
        if block >= self.known || block + (KEPT - BLOCKS) < self.known {
            let first_break = self.state.first_break;
            *self = Self::from(place);
            self.state.first_break = first_break;
        }
    }

    /// A place not behind the first line break, or other control character, that
    /// stands outside strings.
    pub(super) fn first_break(&self) -> usize {
        if self.state.broken {
            return 0;
        }
        // Behind the blocks that were looked at anything may stand.
        let looked_to = self.from + BLOCK * self.known;
        self.state.first_break.unwrap_or(looked_to)
    }

    /// Nothing more is found, whatever follows.
    #[cold]
    pub(super) fn give_up(&mut self) {
        self.state.broken = true;
        self.forget();
    }

    fn forget(&mut self) {
        self.known = 0;
        self.told_to = self.from;
    }

    /// Looks at the next blocks, if there are any.
    #[inline(never)]
    fn look(&mut self, bytes: &[u8]) -> Option<()> {
        let from = self.from + BLOCK * self.known;
        if self.state.broken || from >= bytes.len() {
            return None;
        }
        let blocks = (bytes.len() - from).div_ceil(BLOCK).min(BLOCKS);
        let (first, state) = (self.known % KEPT, self.state);
        let ahead = &mut self.marks.as_chunks_mut().0[first / GROUP..];
        let ahead = &mut ahead[..blocks.div_ceil(GROUP)];
        let (state, filled) = dispatch!(level(), simd => look(simd, bytes, from, ahead, state));
        self.state = state;
        if state.broken {
            self.forget();
            return None;
        }
        self.filled[first / BLOCKS] = filled;
        self.known += blocks;
        let end = self.from + BLOCK * self.known;
        self.told_to = if end < bytes.len() {
            // What is told of a place needs the block behind it.
            end - BLOCK
        } else {
            self.marks[self.known % KEPT] = Marks::default();
            end
        };
        Some(())
    }
}

/// Looks at groups of blocks; returns what is known where they end, and which
/// have quotes.
#[inline(always)]
fn look<S: Simd>(
    simd: S,
    bytes: &[u8],
    from: usize,
    ahead: &mut [[Marks; GROUP]],
    mut state: State,
) -> (State, u32) {
    let (groups, rest) = bytes[from..].as_chunks();
    let last = match groups.len() < ahead.len() {
        true => padded(rest),
        false => [0; GROUP * BLOCK],
    };
    let mut filled = 0;
    for (index, marks) in ahead.iter_mut().enumerate() {
        let group: &[u8; GROUP * BLOCK] = groups.get(index).unwrap_or(&last);
        let blocks = group.as_chunks().0;
        let (mut any_backslash, mut any_control) = (0, 0);
        for (marks, block) in marks.iter_mut().zip(blocks) {
            let block = Block::of(simd, block);
            *marks = Marks {
                quotes: block.equal(b'"'),
                backslashes: block.equal(b'\\'),
            };
            any_backslash |= marks.backslashes;
            any_control |= block.below(0x20);
        }
        // Blocks with a backslash and without take turns as no processor foresees;
        // groups of them are nearly all alike.
        if any_backslash | state.digits | u64::from(state.escaped) != 0 {
            for (marks, block) in marks.iter_mut().zip(blocks) {
                let block = Block::of(simd, block);
                let escaped = escaped(marks.backslashes, &mut state.escaped);
                // Of the letters behind a backslash, `n` is met most.
                let usual = marks.quotes | marks.backslashes | block.equal(b'n');
                let unusual = escaped & !usual;
                marks.quotes &= !escaped;
                if unusual | state.digits != 0 {
                    simd.vectorize(
                        #[inline(always)]
                        || state.note_unusual(block, unusual),
                    );
                }
            }
        }
        let first = GROUP * index;
        if any_control != 0 {
            let mut inside = state.inside;
            for (nth, (marks, block)) in marks.iter().zip(blocks).enumerate() {
                let control = Block::of(simd, block).below(0x20);
                let at = from + BLOCK * (first + nth);
                state.note_control(control, inside ^ spread(marks.quotes), at);
                inside ^= odd(marks.quotes);
            }
        }
        let mut quotes = 0;
        for (nth, marks) in marks.iter().enumerate() {
            quotes ^= marks.quotes;
            filled |= u32::from(marks.quotes != 0) << ((first + nth) % BLOCKS);
        }
        state.inside ^= odd(quotes);
    }
    (state, filled)
}

/// All ones if so many bits are odd in number.
#[inline(always)]
fn odd(bits: u64) -> u64 {
    u64::from(bits.count_ones() % 2).wrapping_neg()
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
        let groups = (bytes.len() - open).div_ceil(GROUP * BLOCK);
        let mut ahead = vec![[Marks::default(); GROUP]; groups];
        let (marks, state) = (&mut ahead[..], State::default());
        let (state, _) = dispatch!(level, simd => look(simd, bytes, open, marks, state));
        let mut quotes = (open..bytes.len()).filter(|at| {
            let at = at - open;
            ahead.as_flattened()[at / BLOCK].quotes >> (at % BLOCK) & 1 == 1
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
    fn no_line_break_stands_before_the_first() {
        for lead in [0, 1, 63, 64, 2048, 5000] {
            for tail in [0, 1, 63, 64, 2048, 5000] {
                for broken in [true, false] {
                    let line_break = if broken { "\n" } else { "" };
                    let (lead, tail) = ("1".repeat(lead), "1".repeat(tail));
                    let text = format!("[\"a\",1{lead}{line_break},2{tail}]");
                    let mut reader = super::super::Reader::new(&text);
                    reader.skip().unwrap();
                    let first = text.find('\n').unwrap_or(usize::MAX);
                    assert!(reader.first_break() <= first, "{text}");
                }
            }
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
