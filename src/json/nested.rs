//! JSON that stands within a string, as models write arguments, read without
//! decoding it.
//!
//! A quote is `\"` there, and what was escaped before is escaped twice. It only
//! ever says yes: to an object of strings and scalars, escaped as serialisers
//! do it. Of anything else it says nothing, and the text is to be decoded and
//! read; what it means is decided there.

use super::block::{BLOCK, Block, level};
use super::{Reader, Text, Value};
use crate::error::Error;
use fearless_simd::{Simd, dispatch};

/// Blocks that are looked at together.
const BLOCKS: usize = 8;

/// Hands each member of the object that a text holds to `member`, texts as they
/// stand, escaped twice; `None` if only decoding can tell what the text holds.
pub(crate) fn members<'a>(
    text: Text<'a>,
    mut member: impl FnMut(Text<'a>, Value<'a>),
) -> Option<()> {
    let mut reader = Cursor {
        text: text.raw(),
        at: 0,
        quotes: Quotes::default(),
    };
    reader.pass(b'{')?;
    if reader.peek()? != b'}' {
        loop {
            let name = reader.string()?;
            if name.contains('\\') {
                return None;
            }
            reader.pass(b':')?;
            let value = match reader.peek()? {
                b'\\' => Value::Text(Text(reader.string()?)),
                _ => Value::Other(reader.scalar()?),
            };
            member(Text(name), value);
            match reader.peek()? {
                b',' => reader.at += 1,
                _ => break,
            }
        }
    }
    reader.pass(b'}')?;
    reader.peek().is_none().then_some(())
}

/// The same text escaped once; what is not borrowed is written to `memory`.
pub(crate) fn once<'m>(twice: Text<'m>, memory: &'m mut Vec<u8>) -> Result<Text<'m>, Error> {
    twice.decoded_in(memory).map(Text)
}

/// Reads the text from front to back.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
    quotes: Quotes,
}

impl<'a> Cursor<'a> {
    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        while self.text.as_bytes().get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        self.text.as_bytes().get(self.at).copied()
    }

    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// What stands between the next quotes, the first of which comes next.
    fn string(&mut self) -> Option<&'a str> {
        self.peek()?;
        let bytes = self.text.as_bytes();
        if self.quotes.next(bytes)? != self.at + 1 {
            return None;
        }
        let from = self.at + "\\\"".len();
        let close = self.quotes.next(bytes)?;
        self.at = close + 1;
        self.text.get(from..close - 1)
    }

    fn scalar(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        let len = rest.bytes().position(|b| matches!(b, b',' | b'}' | b' '))?;
        let scalar = &rest[..len];
        let is_count = scalar.len() < 20
            && !scalar.starts_with('0')
            && scalar.bytes().all(|byte| byte.is_ascii_digit());
        if !is_count && !matches!(scalar, "true" | "false" | "null") {
            let mut reader = Reader::new(scalar);
            reader.scalar().and_then(|()| reader.end()).ok()?;
        }
        self.at += len;
        (len > 0).then_some(scalar)
    }
}

/// The quotes that begin and end strings within the string.
#[derive(Default)]
struct Quotes {
    /// Where stretches of at most a block begin, and the quotes in them that
    /// were not passed yet.
    found: [(usize, u64); BLOCKS],
    next: usize,
    known: usize,
    looked_to: usize,
}

impl Quotes {
    /// The next one.
    fn next(&mut self, bytes: &[u8]) -> Option<usize> {
        loop {
            if self.next == self.known {
                self.look(bytes)?;
            }
            let (at, quotes) = &mut self.found[self.next];
            if *quotes != 0 {
                let place = *at + quotes.trailing_zeros() as usize;
                *quotes &= *quotes - 1;
                return Some(place);
            }
            self.next += 1;
        }
    }

    fn look(&mut self, bytes: &[u8]) -> Option<()> {
        let (from, found) = (self.looked_to, &mut self.found);
        let (known, to) = dispatch!(level(), simd => look(simd, bytes, from, found))?;
        self.next = 0;
        self.known = known;
        self.looked_to = to;
        (known > 0).then_some(())
    }
}

/// Looks at the next stretches; returns how many there are and where they end,
/// `None` where something unusual stands in them.
#[inline(always)]
fn look<S: Simd>(
    simd: S,
    bytes: &[u8],
    mut at: usize,
    found: &mut [(usize, u64)],
) -> Option<(usize, usize)> {
    let mut count = 0;
    while count < found.len() && at < bytes.len() {
        let block = Block::at(simd, bytes, at);
        let (quotes, backslashes) = (block.equal(b'"'), block.equal(b'\\'));
        let (mut rows, mut next) = (backslashes, at + BLOCK);
        if rows >> (BLOCK - 1) != 0 {
            // It may go on behind the block, and is looked at with the next one.
            next -= last_row(&mut rows)?;
        }
        let [one, two, three] = behind_rows(rows);
        // `\"` begins and ends strings, `\\\"` and `\\n` are escapes in them.
        if (one | three) & !quotes != 0 {
            return None;
        }
        let usual = two & block.equal(b'n');
        if usual != two && two & !usual & !block.escapable_alone() != 0 {
            return None;
        }
        found[count] = (at, one & quotes);
        count += 1;
        at = next;
    }
    Some((count, at))
}

/// Takes away the row at the end; returns its length, `None` if it is all.
/// Apart, because the next block is loaded sooner where a branch foretells its
/// place than where it waits for that of the last row.
#[cold]
fn last_row(rows: &mut u64) -> Option<usize> {
    let len = rows.leading_ones();
    *rows &= u64::MAX.checked_shr(len)?;
    Some(len as usize)
}

/// Which bytes stand right behind a row of 4n + 1, 4n + 2 and 4n + 3 bytes.
#[inline(always)]
fn behind_rows(rows: u64) -> [u64; 3] {
    let first = rows & !(rows << 1);
    let second = first << 1 & rows;
    let third = second << 1 & rows;
    if third << 1 & rows != 0 {
        return behind_long_rows(rows);
    }
    [first, second, third].map(|last| last << 1 & !rows)
}

/// The same where a row has more than three.
#[cold]
fn behind_long_rows(rows: u64) -> [u64; 3] {
    const FOURTH: u64 = 0x1111_1111_1111_1111;
    let starts = rows & !(rows << 1);
    let mut behind = [0; 3];
    for class in 0..4 {
        // Adding its start to a row carries through all of it, to the bit behind.
        let ends = rows.wrapping_add(starts & FOURTH << class) & !rows;
        for (len, behind) in (1..).zip(&mut behind) {
            *behind |= ends & FOURTH << ((class + len) % 4);
        }
    }
    behind
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A text that may hold an object, as a string of a document holds it.
    fn text() -> impl Strategy<Value = String> {
        let word = proptest::sample::select(vec![
            "a",
            " ",
            "é",
            "\"",
            "\\",
            "\n",
            "\t",
            "/",
            "\u{1}",
            "{",
            "}",
            ":",
            ",",
            "1",
            "\\n",
            "\\u0041",
            "abcdefghijklmnopqrstuvwxyz",
        ]);
        let words = proptest::collection::vec(word, 0..30).prop_map(|words| words.concat());
        let scalar = proptest::sample::select(vec![
            "true",
            "null",
            "0",
            "-1",
            "17",
            "01",
            "1e5",
            "tru",
            "[]",
            "{\"a\":1}",
            "",
        ]);
        let value = prop_oneof![
            3 => words.clone().prop_map(|text| serde_json::to_string(&text).unwrap()),
            1 => words.clone().prop_map(|text| format!("\"{text}\"")),
            1 => scalar.prop_map(str::to_owned),
        ];
        let name = prop_oneof![
            5 => Just("\"path\"".to_owned()),
            1 => words.prop_map(|text| serde_json::to_string(&text).unwrap()),
        ];
        let space = || proptest::sample::select(vec!["", "", "", " ", "  ", "\n"]);
        let member = (name, space(), value, space())
            .prop_map(|(name, one, value, other)| format!("{name}{one}:{other}{value}{one}"));
        let members = proptest::collection::vec(member, 0..5);
        let end = proptest::sample::select(vec!["}", "}", "}", "} ", "}x", ""]);
        (members, end).prop_map(|(members, end)| {
            let object = format!("{{{}{end}", members.join(","));
            let text = serde_json::to_string(&object).unwrap();
            text[1..text.len() - 1].to_owned()
        })
    }

    proptest! {
        #[test]
        fn as_decoded_and_read(text in text()) {
            let mut nested = Vec::new();
            let (mut memory, text) = (Vec::new(), Text(&text));
            let found = members(text, |name, value| nested.push((name.raw(), value)));
            let decoded = text.decoded().unwrap();
            let mut plain = Vec::new();
            let mut reader = Reader::new(&decoded);
            let read = reader.members(|r, name| {
                plain.push((name.raw().to_owned(), r.skip()?.as_str().to_owned()));
                Ok(())
            });
            let read = read.and_then(|value| reader.end().map(|()| value));
            if found.is_some() {
                prop_assert!(read.unwrap().is_object());
                prop_assert_eq!(nested.len(), plain.len());
                for ((name, value), (plain_name, plain_value)) in nested.into_iter().zip(plain) {
                    prop_assert_eq!(name, plain_name);
                    match value {
                        Value::Other(scalar) => prop_assert_eq!(scalar, plain_value),
                        Value::Text(text) => prop_assert_eq!(
                            format!("\"{}\"", once(text, &mut memory).unwrap().raw()),
                            plain_value
                        ),
                    }
                }
            }
        }
    }

    #[test]
    fn usual_arguments_are_read() {
        let source = "fn main() {\n\tprintln!(\"C:\\\\new — ok\");\n}\n".repeat(40);
        for lead in 0..70 {
            let arguments = serde_json::json!({
                "path": "x".repeat(lead),
                "content": source,
                "limit": 20,
                "all": true,
            });
            let arguments = arguments.to_string();
            let text = serde_json::to_string(&arguments).unwrap();
            let mut count = 0;
            let found = members(Text(&text[1..text.len() - 1]), |_, _| count += 1);
            assert_eq!((found, count), (Some(()), 4));
        }
    }
}
