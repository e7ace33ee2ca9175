//! Text made fit for one line: line breaks and control characters are spaces,
//! spaces are single, none stands at either end.

use crate::buffer::Buffer;
use crate::error::Error;
use crate::json::Text;
use std::borrow::Cow;

/// Whether some reader takes the character for a line break.
pub(crate) fn is_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// The first `chars` characters of a text made fit for one line, and whether
/// there are more.
pub(crate) fn first(text: Text<'_>, chars: usize) -> Result<(Cow<'_, str>, bool), Error> {
    if let Some((head, more)) = as_it_stands(text.raw(), chars) {
        return Ok((Cow::Borrowed(head), more));
    }
    let mut head = Buffer::with_capacity(text.raw().len().min(chars.saturating_add(1)))?;
    let (mut rest, mut left, mut space) = (text, chars, false);
    while !rest.is_empty() {
        let raw = rest.raw();
        let mut encoded = [0; 4];
        // What stands for itself goes in one piece.
        let run = run(&raw.as_bytes()[..raw.len().min(left.saturating_add(1))]);
        let piece = if run > 0 {
            rest = Text::within(&raw[run..]);
            &raw[..run]
        } else {
            let mut one = rest.chars();
            let c = one.next().unwrap_or(' ');
            rest = one.rest();
            if is_blank(c) {
                space = head.len() > 0;
                continue;
            }
            c.encode_utf8(&mut encoded)
        };
        if std::mem::take(&mut space) && left > 0 {
            head.push(" ");
            left -= 1;
        }
        let shown = if run > 0 {
            run.min(left)
        } else {
            piece.len() * left.min(1)
        };
        head.push(&piece[..shown]);
        if shown < piece.len() {
            return Ok((Cow::Owned(head.finish()?), true));
        }
        left -= run.max(1);
    }
    Ok((Cow::Owned(head.finish()?), false))
}

/// Bytes at the start that stand for themselves, single spaces between them.
fn run(bytes: &[u8]) -> usize {
    let mut run = 0;
    while let Some(byte) = bytes.get(run) {
        let between =
            *byte == b' ' && run > 0 && bytes.get(run + 1).is_some_and(|b| is_visible(*b));
        if !between && !is_visible(*byte) {
            break;
        }
        run += 1;
    }
    run
}

/// Whether a byte is a character that stands for itself in JSON and in a line.
fn is_visible(byte: u8) -> bool {
    (b'!'..=b'~').contains(&byte) && byte != b'\\'
}

fn is_blank(c: char) -> bool {
    c == ' ' || c.is_control() || is_break(c)
}

/// The same, where nothing needs to be done to the text: most names, paths and
/// one-lined results are so.
fn as_it_stands(raw: &str, chars: usize) -> Option<(&str, bool)> {
    let (head, rest) = raw.split_at_checked(chars.min(raw.len()))?;
    let bytes = head.as_bytes();
    // Without an early exit, so that many bytes are looked at in one step.
    let marked = bytes.iter().fold(false, |marked, b| {
        marked | !(b' '..=b'~').contains(b) | (*b == b'\\')
    });
    let doubled = bytes.iter().zip(bytes.iter().skip(1));
    let doubled = doubled.fold(false, |doubled, (a, b)| {
        doubled | ((*a == b' ') & (*b == b' '))
    });
    // A space at the end of the head stays only before something visible.
    let next = rest.bytes().next();
    let visible = next.is_none_or(is_visible);
    let at_an_end = bytes.first() == Some(&b' ') || (next.is_none() && bytes.ends_with(b" "));
    (!marked && !doubled && visible && !at_an_end).then_some((head, next.is_some()))
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
            raw in "([a-c ]|  |\\\\n|\\\\\"|é|\u{85}|~|\u{7f}){0,12}", chars in 0usize..10,
        ) {
            let text = Text::within(&raw);
            let mut spaced = Spaced::new(text.chars());
            let head: String = spaced.by_ref().take(chars).collect();
            let (fast, more) = first(text, chars).unwrap();
            assert_eq!((&*fast, more), (&*head, spaced.next().is_some()), "{raw:?}");
        }
    }
}
