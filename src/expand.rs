//! The way back: cards become their spans again, one-lined results their
//! originals.
//!
//! Like the fold, it stops for the host: [`Expand::wanted`] names a handle,
//! [`Expand::give`] takes what is kept under it. Spans may hold older cards, so
//! the cards that are being expanded stand on a stack of their own, as deep as
//! it may get.

use crate::buffer::{Buffer, copy, push};
use crate::card::Card;
use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::format::{Format, Role};
use crate::json::{Raw, Reader};
use crate::known::Known;
use crate::one_line;
use crate::round::{Kind, Reading};
use crate::summary::{Output, Summary, Verdict};
use crate::tokens::Tokens;
use crate::transcript::{Edit, Slice, common_prefix, in_order, kept_prefix, splice};
use std::borrow::Cow;
use std::ops::Range;

/// Bytes that an expanded document may have. A guard against spans that name
/// each other over and over, not a number that an honest transcript meets.
pub const EXPANDED_MAX: usize = if usize::BITS > 32 { 4 << 30 } else { 1 << 30 };

/// An expansion under way.
pub struct Expand<'a, 'c> {
    config: &'c Config,
    shape: Shape,
    /// What was given.
    text: &'a str,
    /// Its numbers.
    before: Count,
    phase: Phase<'a>,
}

/// Whether a text is a document, or the lines of a span.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Document,
    Span,
}

#[derive(Clone, Copy, Default)]
struct Count {
    messages: usize,
    /// Bytes that the estimate of tokens counts.
    weight: usize,
    cards: usize,
}

enum Phase<'a> {
    Cards(Cards<'a>),
    Originals(Originals<'a>),
}

impl<'a, 'c> Expand<'a, 'c> {
    /// Reads a document and finds what it stands for.
    pub fn document(document: &'a [u8], config: &'c Config) -> Result<Self, Error> {
        config.check()?;
        let reading = Reading::of_document(document, config)?;
        Self::new(&reading, config, Shape::Document)
    }

    /// Reads a span, messages one a line, the way a mint gets it.
    pub fn span(span: &'a str, config: &'c Config) -> Result<Self, Error> {
        let reading = Reading::of_span(span, None, config)?;
        Self::new(&reading, config, Shape::Span)
    }

    fn new(reading: &Reading<'a>, config: &'c Config, shape: Shape) -> Result<Self, Error> {
        let mut expand = Self {
            config,
            shape,
            text: reading.transcript.text,
            before: count(reading),
            phase: Phase::Cards(Cards::new(reading, shape)?),
        };
        expand.go_on()?;
        Ok(expand)
    }

    /// The handle whose span is wanted next; `None` when all is there.
    pub fn wanted(&self) -> Option<&str> {
        match &self.phase {
            Phase::Cards(cards) => cards.wanted(),
            Phase::Originals(originals) => originals.wanted(),
        }
    }

    /// Takes the span under the handle that was wanted; `None`: nothing is
    /// kept under it, and what names it stays.
    pub fn give(&mut self, span: Option<String>) -> Result<(), Error> {
        match &mut self.phase {
            Phase::Cards(cards) => cards.give(span, self.config)?,
            Phase::Originals(originals) => originals.give(span)?,
        }
        self.go_on()
    }

    /// Goes from cards to originals once no card is left to expand.
    fn go_on(&mut self) -> Result<(), Error> {
        if let Phase::Cards(cards) = &mut self.phase {
            cards.go_on()?;
            if cards.wanted().is_none() {
                let text = cards.finish()?.map_or(Cow::Borrowed(self.text), Cow::Owned);
                self.phase = Phase::Originals(Originals::find(text, self.config, self.shape)?);
            }
        }
        Ok(())
    }

    /// The expanded document.
    pub fn finish(&self) -> Result<Output<'_>, Error> {
        let Phase::Originals(originals) = &self.phase else {
            return Err(Error::new(ErrorKind::Argument, "a span is still wanted"));
        };
        let edits = originals.edits()?;
        let tokens = Tokens::new(self.config.bytes_per_token);
        let mut weight = originals.after.weight;
        for edit in &edits {
            let before = tokens.weight(&originals.text[edit.bytes.clone()])?;
            weight = weight - before + tokens.weight(edit.with)?;
        }
        let changed = matches!(originals.text, Cow::Owned(_)) || !edits.is_empty();
        let prefix_len = match &originals.text {
            Cow::Borrowed(text) => kept_prefix(text, &edits),
            Cow::Owned(text) => common_prefix(self.text, text).min(kept_prefix(text, &edits)),
        };
        let summary = Summary {
            verdict: if changed {
                Verdict::Folded
            } else {
                Verdict::Nothing
            },
            handle: None,
            rounds_eligible: 0,
            rounds_folded: 0,
            cards: originals.after.cards,
            messages_before: self.before.messages,
            messages_after: originals.after.messages,
            tokens_before: tokens.of(self.before.weight),
            tokens_after: tokens.of(weight),
            prefix_len,
            receipt: None,
        };
        let output = Output::of_pieces(splice(&originals.text, &edits)?, summary);
        check_size(output.len)?;
        Ok(output)
    }
}

fn count(reading: &Reading<'_>) -> Count {
    Count {
        messages: reading.transcript.messages.len(),
        weight: reading.transcript.weight(),
        cards: reading.count(|kind| matches!(kind, Kind::Card(_))),
    }
}

fn check_size(bytes: usize) -> Result<(), Error> {
    if bytes <= EXPANDED_MAX {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Limit,
        format!("the expanded document has more than {EXPANDED_MAX} bytes; expand a part of it"),
    ))
}

/// Cards on their way back to spans.
struct Cards<'a> {
    /// The document's format, if anything in it tells; else each span tells its
    /// own. Where all rounds went into cards, only spans show what they were.
    format: Option<&'static dyn Format>,
    shape: Shape,
    /// What is being expanded, each the span of a card in the one below it; at
    /// the bottom the document.
    stack: Vec<Frame<'a>>,
    /// The handles of the spans on the stack.
    open: Known<'static>,
    out: Buffer,
    /// What joins the messages of the card at the bottom.
    separator: String,
    /// Nothing of that card was written so far.
    first: bool,
    changed: bool,
}

/// A text, cut, and how much of it was written.
struct Frame<'a> {
    text: Cow<'a, str>,
    messages: Vec<Slice>,
    cards: Vec<Found>,
    next_message: usize,
    next_card: usize,
}

/// A card found in a text.
struct Found {
    messages: Range<usize>,
    handle: String,
}

impl<'a> Frame<'a> {
    fn new(reading: &Reading<'_>, text: Cow<'a, str>) -> Result<Self, Error> {
        let mut cards = Vec::new();
        for block in &reading.blocks {
            if let Kind::Card(_) = block.kind {
                let card = reading.card_text(block)?;
                if let Some(card) = Card::parse(&card) {
                    let messages = block.messages.clone();
                    let handle = card.handle.to_owned();
                    push(&mut cards, Found { messages, handle })?;
                }
            }
        }
        let mut messages = Vec::new();
        messages.try_reserve_exact(reading.transcript.messages.len())?;
        messages.extend_from_slice(&reading.transcript.messages);
        Ok(Self {
            text,
            messages,
            cards,
            next_message: 0,
            next_card: 0,
        })
    }

    fn message(&self, index: usize) -> &str {
        let slice = self.messages[index];
        &self.text[slice.start..slice.end]
    }
}

impl<'a> Cards<'a> {
    fn new(reading: &Reading<'a>, shape: Shape) -> Result<Self, Error> {
        Ok(Self {
            format: Some(reading.transcript.format).filter(|_| reading.transcript.told),
            shape,
            stack: vec![Frame::new(reading, Cow::Borrowed(reading.transcript.text))?],
            open: Known::default(),
            out: Buffer::default(),
            separator: String::new(),
            first: true,
            changed: false,
        })
    }

    fn wanted(&self) -> Option<&str> {
        let frame = self.stack.last()?;
        Some(&frame.cards.get(frame.next_card)?.handle)
    }

    /// Writes everything up to the next card.
    fn go_on(&mut self) -> Result<(), Error> {
        while self.stack.len() > 1 {
            let frame = &mut self.stack[..];
            let Some(frame) = frame.last_mut() else { break };
            let card = frame.cards.get(frame.next_card);
            let end = card.map_or(frame.messages.len(), |card| card.messages.start);
            let from = std::mem::replace(&mut frame.next_message, end);
            let more = card.is_some();
            let depth = self.stack.len() - 1;
            self.write(depth, from..end)?;
            if more {
                return Ok(());
            }
            self.stack.pop();
            // The card below, in whose place this span was written, is done.
            self.pass_card();
        }
        Ok(())
    }

    /// Writes messages of a span.
    fn write(&mut self, depth: usize, messages: Range<usize>) -> Result<(), Error> {
        for index in messages {
            if !std::mem::replace(&mut self.first, false) {
                self.out.push(&self.separator);
            }
            self.out.push(self.stack[depth].message(index));
        }
        check_size(self.out.len())
    }

    /// Goes past the card that the top of the stack stands at.
    fn pass_card(&mut self) {
        if let Some(frame) = self.stack.last_mut() {
            let card = &frame.cards[frame.next_card];
            frame.next_message = card.messages.end;
            frame.next_card += 1;
            self.open.forget(&card.handle);
        }
    }

    fn give(&mut self, span: Option<String>, config: &Config) -> Result<(), Error> {
        let depth = self.stack.len() - 1;
        let Some(frame) = self.stack.last() else {
            return Ok(());
        };
        let card = &frame.cards[frame.next_card];
        let messages = card.messages.clone();
        if depth == 0 {
            self.begin(messages.clone())?;
        }
        let Some(span) = span else {
            if depth == 0 {
                let (start, end) = self.bounds(&messages);
                self.out.push(&self.stack[0].text[start..end]);
            } else {
                self.write(depth, messages)?;
            }
            self.pass_card();
            return Ok(());
        };
        let handle = self.stack[depth].cards[self.stack[depth].next_card]
            .handle
            .clone();
        let refuse = |what: &str| {
            Err(Error::new(
                ErrorKind::Store,
                format!("the span under {handle} {what}; expected what the mint was given"),
            ))
        };
        if self.open.number(&handle).is_some() {
            return refuse("holds a card of its own");
        }
        let frame = match Reading::of_span(&span, self.format, config) {
            Ok(reading) if reading.transcript.messages.is_empty() => return refuse("is empty"),
            Ok(reading) => Frame::new(&reading, Cow::Borrowed(""))?,
            Err(error) if error.kind == ErrorKind::Memory => return Err(error),
            Err(error) => return refuse(&format!("is no list of messages ({error})")),
        };
        self.changed = true;
        self.open.add(Cow::Owned(handle), depth)?;
        let text = Cow::Owned(span);
        push(&mut self.stack, Frame { text, ..frame })
    }

    /// Begins with a card of the document itself: writes what stands before it.
    fn begin(&mut self, card: Range<usize>) -> Result<(), Error> {
        let root = &self.stack[0];
        let between =
            |index: usize| &root.text[root.messages[index].end..root.messages[index + 1].start];
        // The separator beside the card joins the span's messages.
        let separator = if self.shape == Shape::Span {
            "\n"
        } else if card.start > 0 {
            between(card.start - 1)
        } else if card.end < root.messages.len() {
            between(card.end - 1)
        } else if card.len() > 1 {
            between(card.start)
        } else {
            ","
        };
        let (separator, start) = (copy(separator)?, root.messages[card.start].start);
        self.separator = separator;
        self.first = true;
        let from = self.written();
        self.out.push(&self.stack[0].text[from..start]);
        Ok(())
    }

    /// The byte of the document up to which everything was written.
    fn written(&self) -> usize {
        let root = &self.stack[0];
        match root.next_card {
            0 => 0,
            next => root.messages[root.cards[next - 1].messages.end - 1].end,
        }
    }

    fn bounds(&self, messages: &Range<usize>) -> (usize, usize) {
        let held = &self.stack[0].messages;
        (held[messages.start].start, held[messages.end - 1].end)
    }

    /// The text with its cards expanded; `None` if none was.
    fn finish(&mut self) -> Result<Option<String>, Error> {
        if !self.changed {
            return Ok(None);
        }
        let from = self.written();
        self.out.push(&self.stack[0].text[from..]);
        std::mem::take(&mut self.out).finish().map(Some)
    }
}

/// One-lined results on their way back to what they were.
struct Originals<'a> {
    text: Cow<'a, str>,
    after: Count,
    places: Vec<Place>,
    /// The handles that the places name, each once.
    handles: Vec<String>,
    /// What is kept under them, as far as it was given.
    spans: Vec<Option<String>>,
}

/// A value that stands for one line of a span.
struct Place {
    bytes: Range<usize>,
    /// An empty list beside it: the pictures that stood there are the line
    /// behind its own.
    beside: Option<Range<usize>>,
    handle: usize,
    line: usize,
}

impl<'a> Originals<'a> {
    fn find(text: Cow<'a, str>, config: &Config, shape: Shape) -> Result<Self, Error> {
        let mut places = Vec::new();
        let mut handles: Vec<String> = Vec::new();
        let mut known = Known::default();
        let reading = match shape {
            Shape::Document => Reading::of_document(text.as_bytes(), config)?,
            Shape::Span => Reading::of_span(&text, None, config)?,
        };
        let format = reading.transcript.format;
        let any = text.contains(one_line::SPILL);
        let messages = if any {
            0..reading.transcript.messages.len()
        } else {
            0..0
        };
        reading.each(&messages, |facts| {
            let mut note = |value: Raw<'_>, beside: Option<Raw<'_>>, spill: one_line::Spill| {
                let next = handles.len();
                let handle = known.number(&spill.handle).unwrap_or(next);
                if handle == next {
                    push(&mut handles, spill.handle.clone())?;
                    known.add(Cow::Owned(spill.handle), next)?;
                }
                let place = Place {
                    bytes: value.range_in(&text),
                    beside: beside.map(|list| list.range_in(&text)),
                    handle,
                    line: spill.line,
                };
                push(&mut places, place)
            };
            if facts.role == Role::Results {
                for answer in &facts.results {
                    let said = answer
                        .content
                        .and_then(|content| format.single_text(content));
                    let Some(said) = said.filter(|said| said.raw().contains(one_line::SPILL))
                    else {
                        continue;
                    };
                    // Whatever else ends in a spill is a tool's own words.
                    if !one_line::is_one_line(said)? {
                        continue;
                    }
                    let spill = one_line::spill(&said.decoded()?);
                    if let Some((spill, value)) = spill.zip(format.result_value(answer)) {
                        let media = format.result_media(answer);
                        note(value, media.filter(|list| !list.is_filled_array()), spill)?;
                    }
                }
            }
            for call in &facts.calls {
                let arguments = call
                    .arguments
                    .filter(|raw| raw.as_str().contains(one_line::SPILL));
                if let Some(value) = arguments
                    && let Some(spill) = one_line::spill_in_arguments(value)?
                {
                    note(value, None, spill)?;
                }
            }
            Ok(())
        })?;
        let after = count(&reading);
        drop(reading);
        Ok(Self {
            text,
            after,
            places,
            handles,
            spans: Vec::new(),
        })
    }

    fn wanted(&self) -> Option<&str> {
        self.handles.get(self.spans.len()).map(String::as_str)
    }

    fn give(&mut self, span: Option<String>) -> Result<(), Error> {
        push(&mut self.spans, span)
    }

    /// The places that have their line.
    fn edits(&self) -> Result<Vec<Edit<'_>>, Error> {
        let mut lines: Vec<Vec<&str>> = Vec::new();
        for span in &self.spans {
            let mut of_span = Vec::new();
            for line in span.as_deref().unwrap_or_default().split('\n') {
                push(&mut of_span, line)?;
            }
            push(&mut lines, of_span)?;
        }
        let mut edits = Vec::new();
        for place in &self.places {
            let Some(index) = place.line.checked_sub(1) else {
                continue;
            };
            let kept = lines[place.handle].get(index..).unwrap_or_default();
            let replaced = [Some(&place.bytes), place.beside.as_ref()];
            for ((line, bytes), is_list) in kept.iter().zip(replaced).zip([false, true]) {
                if let Some(bytes) = bytes
                    && let Some(value) = whole_value(line)?
                    && (value.is_array() || !is_list)
                {
                    let (bytes, with) = (bytes.clone(), value.as_str());
                    push(&mut edits, Edit { bytes, with })?;
                }
            }
        }
        in_order(&mut edits);
        Ok(edits)
    }
}

/// A line that is one JSON value; any other would break the document.
fn whole_value(line: &str) -> Result<Option<Raw<'_>>, Error> {
    let mut reader = Reader::new(line);
    match reader.skip().and_then(|value| reader.end().map(|()| value)) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind == ErrorKind::Memory => Err(error),
        Err(_) => Ok(None),
    }
}

/// Expands a document with a fetch that is a closure; `None`: nothing is kept
/// under that handle.
pub fn expand(
    document: &[u8],
    config: &Config,
    mut fetch: impl FnMut(&str) -> Option<String>,
) -> Result<(String, Summary), Error> {
    let mut expand = Expand::document(document, config)?;
    while let Some(handle) = expand.wanted() {
        let span = fetch(handle);
        expand.give(span)?;
    }
    let output = expand.finish()?;
    Ok((output.text()?, output.summary))
}
