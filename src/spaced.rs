//! Text made fit for one line: line breaks and control characters are spaces,
//! spaces are single, none stands at either end.

use crate::buffer::Buffer;
use crate::json::{LANES, Text};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x16};

/// Whether some reader takes the character for a line break.
pub(crate) fn is_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Writes the first `chars` characters of texts made fit for one line, a space
/// between two of them; says whether there are more.
pub(crate) fn write(texts: &[Text<'_>], chars: usize, out: &mut Buffer) -> bool {
    let (from, mut left, mut space) = (out.len(), chars, false);
    for text in texts {
        let mut rest = text.raw();
        while !rest.is_empty() {
            let mut encoded = [0; 4];
            // What stands for itself goes in one piece.
            let run = run(&rest.as_bytes()[..rest.len().min(left.saturating_add(1))]);
            let piece = if run > 0 {
                let piece = &rest[..run];
                rest = &rest[run..];
                piece
            } else {
                let mut one = Text::within(rest).chars();
                let c = one.next().unwrap_or(' ');
                rest = one.rest().raw();
                if is_blank(c) {
                    space = out.len() > from;
                    continue;
                }
                c.encode_utf8(&mut encoded)
            };
            if std::mem::take(&mut space) && left > 0 {
                out.push(" ");
                left -= 1;
            }
            let shown = if run > 0 {
                run.min(left)
            } else {
                piece.len() * left.min(1)
            };
            out.push(&piece[..shown]);
            if shown < piece.len() {
                return true;
            }
            left -= run.max(1);
        }
        space = out.len() > from;
    }
    false
}

/// The text, if all of it stands for itself, in JSON and in a line: most names,
/// paths and one-lined results are so.
pub(crate) fn as_it_stands(text: Text<'_>) -> Option<&str> {
    (run(text.raw().as_bytes()) == text.raw().len()).then_some(text.raw())
}

/// Bytes at the start that stand for themselves, single spaces between them.
fn run(bytes: &[u8]) -> usize {
    dispatch!(Level::baseline(), simd => run_of(simd, bytes))
}

#[inline(always)]
fn run_of<S: Simd>(simd: S, bytes: &[u8]) -> usize {
    let (mut run, mut space_before) = (0, 1);
    for chunk in bytes.chunks(LANES) {
        // Behind the end stand zeros, which are nothing visible.
        let bytes = chunk.first_chunk().copied();
        let bytes = bytes.unwrap_or_else(|| few(chunk).to_le_bytes());
        let block = u8x16::simd_from(simd, bytes);
        let spaces = block.simd_eq(b' ').to_bitmask();
        let visible = block.simd_gt(b' ') & block.simd_lt(0x7f) & !block.simd_eq(b'\\');
        let single = spaces & !(spaces << 1 | space_before);
        let stands = (visible.to_bitmask() | single).trailing_ones() as usize;
        run += stands;
        if stands < LANES {
            break;
        }
        space_before = spaces >> (LANES - 1);
    }
    let behind_space = run > 0 && bytes[run - 1] == b' ';
    run - usize::from(behind_space)
}

/// Fewer than [`LANES`] bytes as a number, the first lowest: made of their first
/// and last ones, which costs less than to copy them one by one.
#[inline(always)]
fn few(bytes: &[u8]) -> u128 {
    /// `last` ends where the bytes end; where both overlap they are the same.
    fn joined(first: u128, last: u128, shift: usize) -> u128 {
        first | last << (8 * shift)
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let words = [first, last].map(|word| u64::from_le_bytes(*word).into());
        joined(words[0], words[1], bytes.len() - 8)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let words = [first, last].map(|word| u32::from_le_bytes(*word).into());
        joined(words[0], words[1], bytes.len() - 4)
    } else {
        bytes
            .iter()
            .rev()
            .fold(0, |all, byte| all << 8 | u128::from(*byte))
    }
}

fn is_blank(c: char) -> bool {
    c == ' ' || c.is_control() || is_break(c)
}

/// Makes characters fit for one line.
pub(crate) struct Spaced<I> {
    chars: I,
    /// A character that waits behind a space.
    next: Option<char>,
    begun: bool,
}

impl<I: Iterator<Item = char>> Spaced<I> {
    pub(crate) fn new(chars: I) -> Self {
        Self {
            chars,
            next: None,
            begun: false,
        }
    }
}

impl<I: Iterator<Item = char>> Iterator for Spaced<I> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        if let Some(c) = self.next.take() {
            return Some(c);
        }
        let c = self.chars.next()?;
        if !is_blank(c) {
            self.begun = true;
            return Some(c);
        }
        let c = self.chars.find(|c| !is_blank(*c))?;
        if !self.begun {
            self.begun = true;
            return Some(c);
        }
        self.next = Some(c);
        Some(' ')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn as_the_plain_way_says(
            raws in proptest::collection::vec(
                "([a-c ]|abcdefg|  |\\\\n|\\\\\"|é|\u{85}|!|~|\u{7f}){0,24}", 1..3,
            ),
            chars in 0usize..40,
        ) {
            let texts: Vec<Text<'_>> = raws.iter().map(|raw| Text::within(raw)).collect();
            let said = texts.iter().flat_map(|text| text.chars().chain([' ']));
            let mut spaced = Spaced::new(said);
            let head: String = spaced.by_ref().take(chars).collect();
            let mut out = Buffer::default();
            out.push("before");
            let more = write(&texts, chars, &mut out);
            assert_eq!(out.finish().unwrap(), format!("before{head}"), "{raws:?}");
            assert_eq!(more, spaced.next().is_some(), "{raws:?}");
        }

        #[test]
        fn few_are_as_they_stand(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..LANES)) {
            let mut padded = [0; LANES];
            padded[..bytes.len()].copy_from_slice(&bytes);
            assert_eq!(few(&bytes).to_le_bytes(), padded);
        }

        #[test]
        fn a_run_is_what_stands_for_itself(bytes in "([ab\u{1}\u{7f}é~!\\\\]| |  |abcdefg){0,12}") {
            let bytes = bytes.as_bytes();
            let visible = |at: usize| {
                bytes.get(at).is_some_and(|b| (b'!'..=b'~').contains(b) && *b != b'\\')
            };
            let plain = (0..bytes.len())
                .find(|at| !(visible(*at) || bytes[*at] == b' ' && *at > 0 && visible(at + 1)));
            assert_eq!(run(bytes), plain.unwrap_or(bytes.len()));
        }
    }
}
