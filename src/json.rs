//! JSON read in place: one checked pass, no tree, no recursion.
//!
//! [`Reader`] is a pull reader: whoever knows the shape of a value drives it,
//! and everything it is not asked about is checked and passed over. What it
//! returns are slices of the document, so that what is kept can be written
//! again byte for byte.
//!
//! The grammar is that of RFC 8259 without a limit on depth or on the size of
//! numbers. A lone surrogate escape (`"\ud83d"`) is accepted, as RFC 8259
//! section 8.2 allows: real transcripts hold them.

mod block;
mod escape;
mod feeds;
pub(crate) mod nested;
mod quotes;
mod unescape;

use crate::error::{Error, ErrorKind};
pub(crate) use block::LANES;
pub(crate) use escape::escape;
use quotes::Quotes;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

/// One JSON value as it stands in the document, checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    pub(crate) fn as_str(self) -> &'a str {
        self.0
    }

    /// Where the value stands in the document that it is a slice of.
    pub(crate) fn range_in(self, document: &str) -> Range<usize> {
        let start = self.0.as_ptr().addr() - document.as_ptr().addr();
        start..start + self.0.len()
    }

    /// The text, if the value is a string.
    pub(crate) fn text(self) -> Option<Text<'a>> {
        let inner = self.0.strip_prefix('"')?;
        Some(Text(&inner[..inner.len() - 1]))
    }

    /// What the value is.
    pub(crate) fn value(self) -> Value<'a> {
        self.text().map_or(Value::Other(self.0), Value::Text)
    }

    pub(crate) fn is_null(self) -> bool {
        self.0 == "null"
    }

    pub(crate) fn is_true(self) -> bool {
        self.0 == "true"
    }

    pub(crate) fn is_array(self) -> bool {
        self.0.starts_with('[')
    }

    pub(crate) fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    /// Whether the value is an array with something in it.
    pub(crate) fn is_filled_array(self) -> bool {
        self.0.starts_with('[') && !self.0[1..].trim_ascii_start().starts_with(']')
    }

    /// The strings in the value, at any depth, names of members left out.
    pub(crate) fn string_values(self) -> impl Iterator<Item = Text<'a>> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            loop {
                let text = &rest[rest.find('"')? + 1..];
                let mut end = 0;
                loop {
                    end += memchr::memchr2(b'"', b'\\', &text.as_bytes()[end..])?;
                    if text.as_bytes()[end] == b'"' {
                        break;
                    }
                    end += "\\n".len();
                }
                rest = &text[end + 1..];
                if !rest.trim_ascii_start().starts_with(':') {
                    return Some(Text(&text[..end]));
                }
            }
        })
    }

    /// The JSON text that a string holds, as arguments often come; of anything
    /// else the value itself.
    pub(crate) fn inner(self) -> Result<Cow<'a, str>, Error> {
        match self.text() {
            Some(text) => text.decoded(),
            None => Ok(Cow::Borrowed(self.0)),
        }
    }

    /// Reads the value again, from its first byte.
    pub(crate) fn reader(self) -> Reader<'a> {
        Reader::new(self.0)
    }
}

/// A value: a string, or any other as it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Text(Text<'a>),
    Other(&'a str),
}

/// What stands between the quotes of a JSON string, escapes untouched.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    /// What stands between the quotes of a string that was checked before.
    pub(crate) fn within(text: &'a str) -> Self {
        Self(text)
    }

    /// Where the text stands in the document that it is a slice of.
    pub(crate) fn range_in(self, document: &str) -> Range<usize> {
        Raw(self.0).range_in(document)
    }

    /// The text between the quotes, as written.
    pub(crate) fn raw(self) -> &'a str {
        self.0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Whether an escape stands in it.
    pub(crate) fn is_escaped(self) -> bool {
        // A call of memchr costs more than a look at the bytes of a name.
        match self.0.as_bytes() {
            name @ [..] if name.len() < 32 => name.contains(&b'\\'),
            text => memchr::memchr(b'\\', text).is_some(),
        }
    }

    /// The text that is meant; borrowed where no escape stands in it.
    pub(crate) fn decoded(self) -> Result<Cow<'a, str>, Error> {
        if !self.is_escaped() {
            return Ok(Cow::Borrowed(self.0));
        }
        let mut text = Vec::new();
        self.decoded_in(&mut text)?;
        Ok(Cow::Owned(String::from_utf8(text).unwrap_or_default()))
    }

    /// The same; what is not borrowed is written to `memory`.
    pub(crate) fn decoded_in<'m>(self, memory: &'m mut Vec<u8>) -> Result<&'m str, Error>
    where
        'a: 'm,
    {
        if !self.is_escaped() {
            return Ok(self.0);
        }
        unescape::unescape(self.0, memory)?;
        // What a string means is UTF-8; to see it again costs less than to write
        // it piece by piece.
        Ok(simdutf8::basic::from_utf8(memory).unwrap_or_default())
    }

    /// The characters that are meant, decoded one by one.
    pub(crate) fn chars(self) -> Chars<'a> {
        Chars(self.0.chars())
    }

    /// Whether the text means `plain`.
    #[inline(never)]
    pub(crate) fn is(self, plain: &str) -> bool {
        // An escape is longer than what it means.
        if self.0.len() <= plain.len() {
            self.0 == plain && !plain.contains('\\')
        } else {
            self.is_escaped() && self.chars().eq(plain.chars())
        }
    }

    /// Whether two texts mean the same.
    pub(crate) fn same(self, other: Text<'_>) -> bool {
        self.0 == other.0
            || ((self.is_escaped() || other.is_escaped()) && self.chars().eq(other.chars()))
    }

    /// The order of what two texts mean.
    pub(crate) fn order(self, other: Text<'_>) -> Ordering {
        if self.is_escaped() || other.is_escaped() {
            self.chars().cmp(other.chars())
        } else {
            self.0.cmp(other.0)
        }
    }

    /// Lines of the text: its line feeds, and what follows the last one.
    pub(crate) fn lines(self) -> usize {
        let (feeds, last) = feeds::feeds(self.0.as_bytes());
        feeds + usize::from(last < self.0.len())
    }
}

/// Decodes a JSON string character by character; a lone surrogate becomes
/// U+FFFD.
#[derive(Clone)]
pub(crate) struct Chars<'a>(std::str::Chars<'a>);

impl<'a> Chars<'a> {
    /// What was not decoded yet.
    pub(crate) fn rest(&self) -> Text<'a> {
        Text(self.0.as_str())
    }

    fn unit(&mut self) -> u32 {
        (0..4).fold(0, |unit, _| {
            unit << 4 | self.0.next().and_then(|c| c.to_digit(16)).unwrap_or(0)
        })
    }
}

impl Iterator for Chars<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let c = self.0.next()?;
        if c != '\\' {
            return Some(c);
        }
        Some(match self.0.next()? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let high = self.unit();
                if !(0xd800..0xdc00).contains(&high) {
                    return Some(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                let before = self.0.clone();
                if self.0.next() == Some('\\') && self.0.next() == Some('u') {
                    let low = self.unit();
                    if (0xdc00..0xe000).contains(&low) {
                        let both = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                        return char::from_u32(both);
                    }
                }
                // What follows is no second half: it stands for itself.
                self.0 = before;
                char::REPLACEMENT_CHARACTER
            }
            plain => plain,
        })
    }
}

/// Reads one document from front to back.
pub(crate) struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The quotes that were not passed yet.
    quotes: Quotes,
    key: (usize, usize),
    media: Media,
}

/// How much of what was read is base64 beyond its flat cost.
#[derive(Debug, Clone, Copy)]
struct Media {
    /// Bytes that one picture or document counts for at most.
    cap: usize,
    /// Bytes read that count for nothing.
    excess: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            quotes: Quotes::from(0),
            key: (0, 0),
            media: Media {
                cap: usize::MAX,
                excess: 0,
            },
        }
    }

    /// Counts base64 pictures and documents as at most `cap` bytes each.
    pub(crate) fn with_media_cap(mut self, cap: usize) -> Self {
        self.media.cap = cap;
        self
    }

    /// Bytes read so far that stand for pictures and documents, beyond the cap.
    pub(crate) fn media_excess(&self) -> usize {
        self.media.excess
    }

    /// Where the first line break stands outside strings, or a place before it,
    /// as far as the document was read.
    pub(crate) fn first_break(&self) -> usize {
        self.quotes.first_break()
    }

    /// The place of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// What was read from a place on.
    pub(crate) fn from(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// Goes on at another place, which must be the start of a value, in a
    /// document that was read before.
    pub(crate) fn go_on(&mut self, at: usize) {
        /// What is nearer is passed over; it was looked at by then, or nearly.
        const NEAR: usize = 4096;
        match at.wrapping_sub(self.at) {
            ..NEAR => self.at = at,
            _ => self.seek(at),
        }
    }

    /// Goes on at another place, which must be the start of a value.
    pub(crate) fn seek(&mut self, at: usize) {
        self.at = at;
        self.quotes = Quotes::from(at);
    }

    /// Passes `text`, if it stands here. Nothing is checked: `text` was read
    /// before, in a document that is the same up to its beginning.
    #[inline]
    pub(crate) fn pass(&mut self, text: &str) -> bool {
        let stands = self.bytes[self.at..].starts_with(text.as_bytes());
        if stands {
            self.at += text.len();
        }
        stands
    }

    /// The string in whose inside the reader stands, at its first byte; goes on
    /// at its closing quote. `None` where only [`Reader::skip`] can say more.
    /// The string's member is none whose name makes it a picture's.
    #[inline]
    pub(crate) fn rest_of_string(&mut self) -> Option<Text<'a>> {
        let start = self.at;
        let close = self.quotes.at_or_behind(self.bytes, start)?;
        if close - start > self.media.cap && self.bytes[start..].starts_with(b"data:") {
            return None;
        }
        self.at = close;
        self.text.get(start..close).map(Text)
    }

    /// A string of this document, with the quotes around it.
    pub(crate) fn quoted(&self, text: Text<'a>) -> Raw<'a> {
        let inside = text.range_in(self.text);
        Raw(&self.text[inside.start - 1..inside.end + 1])
    }

    /// Goes back to where a value begins that was passed in part.
    pub(crate) fn back_to(&mut self, at: usize) {
        self.at = at;
        self.quotes.back_to(at);
    }

    /// Forgets the member that was read last: what comes next is none of it.
    pub(crate) fn forget_name(&mut self) {
        self.key = (0, 0);
    }

    /// The next byte that is no white space, or `None` at the end.
    #[inline(always)]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        match self.bytes.get(self.at) {
            Some(0..=b' ') => self.peek_behind_space(),
            other => other.copied(),
        }
    }

    fn peek_behind_space(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Refuses anything but white space up to the end.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the document")),
        }
    }

    /// A refusal of what stands at this place.
    #[cold]
    pub(crate) fn expected(&self, what: &str) -> Error {
        let found = match self.text[self.at..].chars().next() {
            None => "the document ends".into(),
            Some(c) if c.is_control() => format!("byte 0x{:02x} stands", c as u32),
            Some(c) => format!("`{c}` stands"),
        };
        Error::at(
            ErrorKind::Json,
            self.at,
            format!("expected {what} at byte {}, but {found} there", self.at),
        )
    }

    /// Reads an object, handing each key to `member`, which reads its value.
    ///
    /// Anything else is passed over. Returns the value.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Result<(), Error>,
    ) -> Result<Raw<'a>, Error> {
        self.each_member(&mut |reader, _, key| member(reader, key))
    }

    /// The same, with each key as it stands.
    pub(crate) fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, Text<'a>) -> Result<(), Error>,
    ) -> Result<Raw<'a>, Error> {
        self.each_member(&mut |reader, name, _| member(reader, name))
    }

    /// Not generic: the formats read objects in many places, and most messages
    /// are read by their shape.
    fn each_member(
        &mut self,
        member: &mut dyn FnMut(&mut Self, Text<'a>, &str) -> Result<(), Error>,
    ) -> Result<Raw<'a>, Error> {
        if self.peek() != Some(b'{') {
            return self.skip();
        }
        let start = self.at;
        if self.open(b'}') {
            loop {
                let (name, plain) = self.member_name()?;
                if plain || !name.is_escaped() {
                    member(self, name, name.raw())?;
                } else {
                    member(self, name, &name.decoded()?)?;
                }
                if !self.more(b'}')? {
                    break;
                }
            }
        }
        Ok(Raw(&self.text[start..self.at]))
    }

    /// Reads an array; `element` reads one element each time it is called.
    ///
    /// Anything else is passed over. Returns the value.
    pub(crate) fn array(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<Raw<'a>, Error> {
        self.each_element(&mut element)
    }

    fn each_element(
        &mut self,
        element: &mut dyn FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<Raw<'a>, Error> {
        if self.peek() != Some(b'[') {
            return self.skip();
        }
        let start = self.at;
        if self.open(b']') {
            loop {
                element(self)?;
                if !self.more(b']')? {
                    break;
                }
            }
        }
        Ok(Raw(&self.text[start..self.at]))
    }

    /// Passes an opening bracket; false if the closing one follows, passed too.
    #[inline]
    pub(crate) fn open(&mut self, close: u8) -> bool {
        self.at += 1;
        let filled = self.peek() != Some(close);
        self.at += usize::from(!filled);
        filled
    }

    /// Passes the comma before another member or element, or the closing
    /// bracket; says which.
    #[inline]
    pub(crate) fn more(&mut self, close: u8) -> Result<bool, Error> {
        let next = self.peek();
        if next == Some(b',') || next == Some(close) {
            self.at += 1;
            return Ok(next == Some(b','));
        }
        Err(self.expected_more(close))
    }

    #[cold]
    fn expected_more(&self, close: u8) -> Error {
        self.expected(match close {
            b'}' => "`,` or `}` after a member",
            _ => "`,` or `]` after an element",
        })
    }

    /// Checks one value of any kind and passes over it.
    #[inline(never)]
    pub(crate) fn skip(&mut self) -> Result<Raw<'a>, Error> {
        let first = self.peek();
        let start = self.at;
        if first == Some(b'"') {
            self.string_value()?;
        } else {
            self.other_value(first)?;
        }
        Ok(Raw(&self.text[start..self.at]))
    }

    /// A value that is no string.
    #[inline(never)]
    fn other_value(&mut self, first: Option<u8>) -> Result<(), Error> {
        match first {
            Some(b'{' | b'[') => self.container(),
            _ => self.scalar(),
        }
    }

    /// A member's name and its colon; says whether the name is sure to have no
    /// escape.
    #[inline(never)]
    fn member_name(&mut self) -> Result<(Text<'a>, bool), Error> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a member's name in double quotes"));
        }
        let from = self.at + 1;
        let plain = self.string()?;
        self.key = (from, self.at - 1);
        if self.peek() != Some(b':') {
            return Err(self.expected("`:` after a member's name"));
        }
        self.at += 1;
        Ok((Text(&self.text[from..self.key.1]), plain))
    }

    /// An object or array with all that is in it; depth costs one bit a level.
    fn container(&mut self) -> Result<(), Error> {
        let mut nesting = Nesting::default();
        nesting.push(self.bytes[self.at] == b'{')?;
        self.at += 1;
        let mut opened = true;
        loop {
            if opened && self.peek() == Some(nesting.close()) {
                self.at += 1;
                nesting.pop();
            } else {
                if nesting.is_object() {
                    self.member_name()?;
                }
                self.peek();
                match self.bytes.get(self.at) {
                    Some(b'"') => self.string_value()?,
                    Some(&open @ (b'{' | b'[')) => {
                        nesting.push(open == b'{')?;
                        self.at += 1;
                        opened = true;
                        continue;
                    }
                    _ => self.scalar()?,
                }
            }
            opened = false;
            while nesting.depth > 0 && !self.more(nesting.close())? {
                nesting.pop();
            }
            if nesting.depth == 0 {
                return Ok(());
            }
        }
    }

    #[inline(always)]
    fn string_value(&mut self) -> Result<(), Error> {
        let start = self.at + 1;
        self.string()?;
        if self.at - start > self.media.cap {
            self.weigh_media(start);
        }
        Ok(())
    }

    #[cold]
    fn weigh_media(&mut self, start: usize) {
        let (name, text) = (self.key, &self.text[start..self.at - 1]);
        if is_media(&self.text[name.0..name.1], text) {
            self.media.excess += text.len() - self.media.cap;
        }
    }

    /// A string from its opening quote to behind its closing one; says whether
    /// it is sure to have no escape.
    #[inline(always)]
    fn string(&mut self) -> Result<bool, Error> {
        match self.quotes.close(self.bytes, self.at) {
            Some((close, plain)) => {
                self.at = close + 1;
                Ok(plain)
            }
            None => self.plain_string().map(|()| false),
        }
    }

    /// The same, byte by byte.
    #[cold]
    #[inline(never)]
    fn plain_string(&mut self) -> Result<(), Error> {
        self.quotes.give_up();
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0..0x20) => {
                    return Err(self.expected("an escape in place of a control character"));
                }
                Some(_) => self.at += 1,
                None => return Err(self.expected("the closing quote of a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Error> {
        self.at += 1;
        match self.bytes.get(self.at) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.bytes.get(self.at).is_some_and(u8::is_ascii_hexdigit) {
                        return Err(self.expected("four hexadecimal digits after `\\u`"));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.expected("one of `\"\\/bfnrtu` after a backslash")),
        }
        Ok(())
    }

    fn scalar(&mut self) -> Result<(), Error> {
        match self.bytes.get(self.at) {
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.expected("a value")),
        }
    }

    fn literal(&mut self, word: &str) -> Result<(), Error> {
        for byte in word.bytes() {
            if self.bytes.get(self.at) != Some(&byte) {
                return Err(self.expected(&format!("`{word}`")));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Error> {
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        if self.bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Error> {
        if !self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            return Err(self.expected("a digit"));
        }
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        Ok(())
    }
}

/// Whether a long string is base64 of something that is no text: a `data:` URL,
/// or a member named as the providers name it (Anthropic `data`, Gemini
/// `data`, OpenAI `data` of audio and `file_data`).
fn is_media(name: &str, text: &str) -> bool {
    let head = &text.as_bytes()[..text.len().min(128)];
    if text.starts_with("data:") {
        let tag = b";base64,";
        return head.windows(tag.len()).any(|bytes| bytes == tag);
    }
    matches!(name, "data" | "file_data")
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_'))
}

/// Which brackets are open: one bit a level, the innermost lowest.
#[derive(Default)]
struct Nesting {
    depth: usize,
    inner: u64,
    outer: Vec<u64>,
}

impl Nesting {
    #[inline]
    fn push(&mut self, is_object: bool) -> Result<(), Error> {
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.outer.try_reserve(1)?;
            self.outer.push(self.inner);
        }
        self.inner = self.inner << 1 | u64::from(is_object);
        self.depth += 1;
        Ok(())
    }

    #[inline]
    fn pop(&mut self) {
        self.inner >>= 1;
        self.depth -= 1;
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.inner = self.outer.pop().unwrap_or(0);
        }
    }

    #[inline]
    fn is_object(&self) -> bool {
        self.inner & 1 == 1
    }

    /// The bracket that closes the innermost.
    #[inline]
    fn close(&self) -> u8 {
        if self.is_object() { b'}' } else { b']' }
    }
}
