//! A document cut into messages without copying, and the splice that writes it
//! again.

use crate::buffer::push;
use crate::config::{Config, Wire};
use crate::error::{Error, ErrorKind};
use crate::format::{self, Facts, Format};
use crate::json::Reader;
use crate::shape::Shapes;
use crate::tokens::Tokens;
use std::ops::Range;

/// Where one message stands in the document, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slice {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Sees the messages of a transcript while it is read.
pub(crate) trait Visitor<'a> {
    /// A transcript begins; one seen before was no part of the document (of
    /// two members of the same name, the last one counts).
    fn begin(&mut self, format: &'static dyn Format);

    /// The next message.
    fn message(&mut self, facts: &Facts<'a>) -> Result<(), Error>;
}

/// The members of a request body that may hold messages.
const MEMBERS: [&str; 3] = ["messages", "input", "contents"];

/// Bytes of a message that says little.
const SHORT_MESSAGE: usize = 32;
/// So many at most have room before they are seen. What is not written to costs
/// nothing; and glibc keeps what is freed, for the next fold to find, up to twice
/// the largest block it was given back. With less room here, each fold asks the
/// system for its pages again, at a fifth of its time.
const MANY_MESSAGES: usize = 32 * 1024;

/// A checked document, cut into messages.
pub(crate) struct Transcript<'a> {
    pub(crate) text: &'a str,
    pub(crate) format: &'static dyn Format,
    /// Whether the configuration, the member or a tell-tale named the format.
    pub(crate) told: bool,
    pub(crate) messages: Vec<Slice>,
    shapes: Shapes<'a>,
    /// Messages that hold pictures or documents: index, and bytes beyond the
    /// flat cost.
    media: Vec<(usize, usize)>,
    /// Such bytes in the whole document.
    media_total: usize,
    /// Where the first line break stands outside strings, or a place before it.
    first_break: usize,
}

impl<'a> Transcript<'a> {
    /// Checks the whole document and cuts it.
    pub(crate) fn read(
        document: &'a [u8],
        config: &Config,
        visitor: &mut impl Visitor<'a>,
    ) -> Result<Self, Error> {
        let text = utf8(document)?;
        let cap = Tokens::new(config.bytes_per_token).media_cap();
        let mut reader = Reader::new(text).with_media_cap(cap);
        if text.starts_with('\u{feff}') {
            reader.seek('\u{feff}'.len_utf8());
        }
        let chosen = config.format.map(format::of);
        let mut transcript = Self {
            text,
            format: chosen.unwrap_or(format::of(Wire::Chat)),
            told: chosen.is_some(),
            messages: Vec::new(),
            shapes: Shapes::default(),
            media: Vec::new(),
            media_total: 0,
            first_break: 0,
        };
        let first = reader.peek();
        let root = reader.at();
        let found = match first {
            Some(b'[') => transcript
                .cut(&mut reader, chosen, visitor)
                .map(|()| true)?,
            Some(b'{') => transcript.body(&mut reader, chosen, visitor)?,
            _ => reader.skip().map(|_| false)?,
        };
        reader.end()?;
        if !found {
            let wanted = match chosen {
                Some(format) => format!("an object with `{}`", format.member()),
                None => "a request body with `messages`, `input` or `contents`".to_owned(),
            };
            return Err(Error::at(
                ErrorKind::Transcript,
                root,
                format!(
                    "expected an array of messages, or {wanted}; the document is JSON but neither"
                ),
            ));
        }
        transcript.media_total = reader.media_excess();
        transcript.first_break = reader.first_break();
        Ok(transcript)
    }

    /// Checks a span, a message a line, and cuts it at its lines.
    pub(crate) fn read_lines(
        span: &'a str,
        format: Option<&'static dyn Format>,
        config: &Config,
        visitor: &mut impl Visitor<'a>,
    ) -> Result<Self, Error> {
        let cap = Tokens::new(config.bytes_per_token).media_cap();
        let mut reader = Reader::new(span).with_media_cap(cap);
        let chosen = match format.or(config.format.map(format::of)) {
            Some(format) => Some(format),
            None => detect_in_lines(span)?.map(format::of),
        };
        let format = chosen.unwrap_or(format::of(Wire::Chat));
        let mut transcript = Self {
            text: span,
            format,
            told: chosen.is_some(),
            messages: Vec::new(),
            shapes: Shapes::default(),
            media: Vec::new(),
            media_total: 0,
            first_break: 0,
        };
        visitor.begin(format);
        let mut facts = Facts::default();
        while reader.peek().is_some() {
            transcript.cut_one(&mut reader, &mut facts, visitor)?;
            let end = reader.at();
            reader.peek();
            if reader.at() < span.len() && !span[end..reader.at()].contains('\n') {
                return Err(reader.expected("the end of the line"));
            }
        }
        transcript.media_total = reader.media_excess();
        transcript.first_break = reader.first_break();
        Ok(transcript)
    }

    /// Reads a request body; says whether messages were found in it.
    fn body(
        &mut self,
        reader: &mut Reader<'a>,
        chosen: Option<&'static dyn Format>,
        visitor: &mut impl Visitor<'a>,
    ) -> Result<bool, Error> {
        // Of each member, what the last one of its name held: messages, or at
        // which byte something else.
        let mut held = [None; MEMBERS.len()];
        reader.object(|r, key| {
            let wanted = chosen.is_none_or(|format| format.member() == key);
            let member = MEMBERS.iter().position(|member| *member == key);
            let Some(member) = member.filter(|_| wanted) else {
                return r.skip().map(drop);
            };
            let first = r.peek();
            // Responses take a plain string for a lone user message.
            if first != Some(b'[') && !(key == "input" && first == Some(b'"')) {
                held[member] = Some(Err(r.at()));
                return r.skip().map(drop);
            }
            held[member] = Some(Ok(r.at()));
            let format = match (chosen, key) {
                (None, "input") => Some(format::of(Wire::Responses)),
                (None, "contents") => Some(format::of(Wire::Gemini)),
                _ => chosen,
            };
            self.cut(r, format, visitor)
        })?;
        if held.iter().any(Option::is_some) {
            // What is no JSON is told so first.
            reader.end()?;
        }
        let members = || MEMBERS.iter().zip(held);
        let not_messages = members().find_map(|(name, held)| Some((name, held?.err()?)));
        let mut messages = members().filter_map(|(name, held)| Some((name, held?.ok()?)));
        let refuse = |at, sentence| Err(Error::at(ErrorKind::Transcript, at, sentence));
        if let Some((name, at)) = not_messages {
            return refuse(at, format!("expected an array of messages in `{name}`"));
        }
        let one = messages.next();
        if let (Some((one, _)), Some((other, at))) = (one, messages.next()) {
            let found = format!("`{one}` and `{other}` both hold some");
            let mend = "set the configuration's format to say which is meant";
            return refuse(
                at,
                format!("expected messages in one member, but {found}; {mend}"),
            );
        }
        Ok(one.is_some())
    }

    /// Cuts the array that comes next into messages.
    fn cut(
        &mut self,
        reader: &mut Reader<'a>,
        chosen: Option<&'static dyn Format>,
        visitor: &mut impl Visitor<'a>,
    ) -> Result<(), Error> {
        let chosen = match chosen {
            Some(format) => Some(format),
            None => detect(self.text, reader.at())?.map(format::of),
        };
        self.format = chosen.unwrap_or(format::of(Wire::Chat));
        self.told = chosen.is_some();
        self.messages.clear();
        // So that those of most documents are not moved while they become more.
        let most = (self.text.len() - reader.at()) / SHORT_MESSAGE;
        self.messages.try_reserve_exact(most.min(MANY_MESSAGES))?;
        self.media.clear();
        self.shapes = Shapes::default();
        visitor.begin(self.format);
        let mut facts = Facts::default();
        reader.array(|r| self.cut_one(r, &mut facts, visitor))?;
        Ok(())
    }

    /// Cuts the message that comes next.
    fn cut_one(
        &mut self,
        reader: &mut Reader<'a>,
        facts: &mut Facts<'a>,
        visitor: &mut impl Visitor<'a>,
    ) -> Result<(), Error> {
        // A message weighs the same whatever stands before it.
        reader.forget_name();
        reader.peek();
        let (start, excess) = (reader.at(), reader.media_excess());
        let facts = self.shapes.facts(reader, self.format, facts)?;
        let (end, excess) = (reader.at(), reader.media_excess() - excess);
        if excess > 0 {
            push(&mut self.media, (self.messages.len(), excess))?;
        }
        push(&mut self.messages, Slice { start, end })?;
        visitor.message(facts)
    }

    /// One message as it stands.
    pub(crate) fn message(&self, index: usize) -> &'a str {
        let slice = self.messages[index];
        &self.text[slice.start..slice.end]
    }

    /// Adjacent messages, with what stands between them.
    pub(crate) fn between(&self, messages: Range<usize>) -> &'a str {
        &self.text[self.messages[messages.start].start..self.messages[messages.end - 1].end]
    }

    /// Whether a line break stands in adjacent messages or between them.
    pub(crate) fn is_broken(&self, messages: Range<usize>) -> bool {
        self.messages[messages.end - 1].end > self.first_break
            && memchr::memchr(b'\n', self.between(messages).as_bytes()).is_some()
    }

    /// What stands between a message and the one before it.
    pub(crate) fn separator_before(&self, index: usize) -> &'a str {
        &self.text[self.messages[index - 1].end..self.messages[index].start]
    }

    /// Bytes of the whole document, pictures at their flat cost.
    pub(crate) fn weight(&self) -> usize {
        self.text.len() - self.media_total
    }

    /// Bytes by which pictures in these messages exceed their flat cost.
    pub(crate) fn media_in(&self, messages: &Range<usize>) -> usize {
        let from = self
            .media
            .partition_point(|(index, _)| *index < messages.start);
        let held = self.media[from..]
            .iter()
            .take_while(|(index, _)| *index < messages.end);
        held.map(|(_, excess)| excess).sum()
    }
}

/// A change of the document: these bytes become that text.
#[derive(Debug, Clone)]
pub(crate) struct Edit<'e> {
    pub(crate) bytes: Range<usize>,
    pub(crate) with: &'e str,
}

/// Puts edits in the order of the document, as a splice takes them.
pub(crate) fn in_order(edits: &mut [Edit<'_>]) {
    edits.sort_unstable_by_key(|edit| edit.bytes.start);
}

/// The document with edits made, in pieces to be written one after another.
/// The edits are in order and do not overlap.
pub(crate) fn splice<'t>(text: &'t str, edits: &[Edit<'t>]) -> Result<Vec<&'t str>, Error> {
    let mut pieces = Vec::new();
    pieces.try_reserve_exact(2 * edits.len() + 1)?;
    let mut at = 0;
    for edit in edits {
        pieces.push(&text[at..edit.bytes.start]);
        pieces.push(edit.with);
        at = edit.bytes.end;
    }
    pieces.push(&text[at..]);
    Ok(pieces)
}

/// Bytes at the start of the document that edits leave as they are.
pub(crate) fn kept_prefix(text: &str, edits: &[Edit<'_>]) -> usize {
    let Some(first) = edits.first() else {
        return text.len();
    };
    first.bytes.start + common_prefix(first.with, &text[first.bytes.start..])
}

/// Bytes at the start of both texts that are the same, whole characters only.
pub(crate) fn common_prefix(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes());
    let same = same.take_while(|(one, other)| one == other).count();
    one.floor_char_boundary(same)
}

fn utf8(document: &[u8]) -> Result<&str, Error> {
    simdutf8::basic::from_utf8(document).or_else(|_| {
        // Only the slower check says where.
        std::str::from_utf8(document).map_err(|error| {
            let at = error.valid_up_to();
            Error::at(
                ErrorKind::Utf8,
                at,
                format!(
                    "expected UTF-8, but byte 0x{:02x} at {at} begins no character",
                    document[at]
                ),
            )
        })
    })
}

/// The format whose tell-tale comes first in the array at `at`.
fn detect(text: &str, at: usize) -> Result<Option<Wire>, Error> {
    let mut reader = Reader::new(text);
    reader.seek(at);
    reader.peek();
    if reader.open(b']') {
        loop {
            if let Some(wire) = format::tell_tale(&mut reader)? {
                return Ok(Some(wire));
            }
            if !reader.more(b']')? {
                break;
            }
        }
    }
    Ok(None)
}

/// The format whose tell-tale comes first in a span.
fn detect_in_lines(span: &str) -> Result<Option<Wire>, Error> {
    let mut reader = Reader::new(span);
    while reader.peek().is_some() {
        if let Some(wire) = format::tell_tale(&mut reader)? {
            return Ok(Some(wire));
        }
    }
    Ok(None)
}
