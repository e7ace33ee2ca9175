//! The prune: one-lines aged results in place, and keeps what stood there.
//!
//! No message comes or goes; no role, id, call, signature or error flag
//! changes. Everything replaced is one line of one span, under one handle, and
//! each one-liner names its line: `… (spill:HANDLE#n)`. Pictures that stood
//! beside a result, in a list of their own, are the line behind it.

use crate::buffer::{Buffer, append, push};
use crate::config::{Config, Form, Results};
use crate::error::Error;
use crate::fold::{GATE_HANDLE_BYTES, push_line, usable_handle};
use crate::format::{Answer, Call};
use crate::json::{Raw, Reader, Text};
use crate::known::Known;
use crate::one_line::{self, Spill};
use crate::receipt::{self, Replaced};
use crate::round::{Kind, Reading};
use crate::summary::{Output, Summary, Verdict};
use crate::tokens::Tokens;
use crate::transcript::{Edit, in_order, kept_prefix, splice};
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// Bytes of a string inside a call's arguments that are let be.
const ARGUMENT_BYTES: usize = 256;
/// Characters of a longer one that stay.
const ARGUMENT_CHARS: usize = 80;
/// The line of a span that the gate reckons with: a number of as many digits as
/// any line has, so that a value's own line does not decide whether it goes.
const GATE_LINE: usize = 9_999_999;

/// A prune under way.
pub struct Prune<'a> {
    config: Config,
    reading: Reading<'a>,
    places: Vec<Place<'a>>,
    /// What was replaced, each text once.
    originals: Vec<Raw<'a>>,
    rounds: usize,
    handle: String,
    verdict: Verdict,
}

/// What a prune leaves of a list of pictures.
const EMPTY: &str = "[]";

/// A value that gives way.
struct Place<'a> {
    original: Raw<'a>,
    /// A list of pictures beside it, which becomes empty.
    beside: Option<Raw<'a>>,
    /// Its line in the span, counted from 1.
    line: usize,
    new: New,
    /// The new value, written with the handle.
    text: String,
}

/// What comes in a value's place.
enum New {
    /// The result in one line.
    Result(String),
    /// The same arguments with their long strings cut.
    Arguments,
}

impl<'a> Place<'a> {
    /// What stands in the document.
    fn before(&self) -> impl Iterator<Item = Raw<'a>> {
        [self.original].into_iter().chain(self.beside)
    }

    fn bytes_before(&self) -> usize {
        self.before().map(|raw| raw.as_str().len()).sum()
    }

    fn bytes_after(&self) -> usize {
        self.text.len() + self.beside.map_or(0, |_| EMPTY.len())
    }

    fn is_smaller(&self) -> bool {
        self.bytes_after() < self.bytes_before()
    }
}

impl<'a> Prune<'a> {
    /// Reads the document and decides what gives way: everything up to the mint.
    pub fn plan(document: &'a [u8], config: &Config) -> Result<Self, Error> {
        config.check()?;
        let config = Config {
            // Neither what may fold nor how a card would look matters here.
            results: Results::Any,
            card: Form::User,
            ..config.clone()
        };
        let mut prune = Self {
            reading: Reading::of_document(document, &config)?,
            config,
            places: Vec::new(),
            originals: Vec::new(),
            rounds: 0,
            handle: "x".repeat(GATE_HANDLE_BYTES),
            verdict: Verdict::Nothing,
        };
        prune.find()?;
        if !prune.places.is_empty() {
            prune.verdict = match prune.won()? < prune.config.min_reclaim {
                true => Verdict::NotSmaller,
                false => Verdict::Planned,
            };
        }
        if prune.verdict != Verdict::Planned {
            prune.places.clear();
        }
        Ok(prune)
    }

    /// Whether something gives way, so that a handle is wanted.
    pub fn wants_handle(&self) -> bool {
        self.verdict == Verdict::Planned
    }

    /// What gives way, verbatim, one value a line.
    pub fn span(&self) -> Result<String, Error> {
        let bytes: usize = self
            .originals
            .iter()
            .map(|raw| raw.as_str().len() + 1)
            .sum();
        let mut span = Buffer::with_capacity(bytes)?;
        for original in &self.originals {
            if !span.is_empty() {
                span.push("\n");
            }
            push_line(original.as_str(), &mut span);
        }
        span.finish()
    }

    /// Takes the handle that the mint gave the span.
    pub fn take(&mut self, handle: &[u8]) -> Result<(), Error> {
        self.handle = usable_handle(handle)?.to_owned();
        let mut places = std::mem::take(&mut self.places);
        for place in &mut places {
            place.text = self.write(place)?;
        }
        let grown = places.iter().any(|place| !place.is_smaller());
        self.places = places;
        if grown || self.won()? < self.config.min_reclaim {
            self.places.clear();
            self.verdict = Verdict::NotSmaller;
        } else {
            self.verdict = Verdict::Folded;
        }
        Ok(())
    }

    /// The mint declined: nothing gives way.
    pub fn decline(&mut self) {
        self.places.clear();
        self.verdict = Verdict::Declined;
    }

    /// The document as it is now: pruned once the handle is there.
    pub fn finish(&self) -> Result<Output<'_>, Error> {
        let text = self.reading.transcript.text;
        let tokens = Tokens::new(self.config.bytes_per_token);
        let folded = self.verdict == Verdict::Folded;
        let mut edits = Vec::new();
        if folded {
            for place in &self.places {
                for (raw, with) in place.before().zip([place.text.as_str(), EMPTY]) {
                    let bytes = raw.range_in(text);
                    push(&mut edits, Edit { bytes, with })?;
                }
            }
            in_order(&mut edits);
        }
        let messages = self.reading.transcript.messages.len();
        let weight = self.reading.transcript.weight();
        let summary = Summary {
            verdict: self.verdict,
            handle: folded.then(|| self.handle.clone()),
            rounds_eligible: self.reading.count(|kind| *kind == Kind::Eligible),
            rounds_folded: if folded { self.rounds } else { 0 },
            cards: self.reading.count(|kind| matches!(kind, Kind::Card(_))),
            messages_before: messages,
            messages_after: messages,
            tokens_before: tokens.of(weight),
            tokens_after: tokens.of(weight - self.weight_won()?),
            prefix_len: kept_prefix(text, &edits),
            receipt: self.receipt()?,
        };
        Ok(Output::of_pieces(splice(text, &edits)?, summary))
    }

    fn receipt(&self) -> Result<Option<String>, Error> {
        let text = self.reading.transcript.text;
        let replaced = self.places.iter().map(|place| Replaced {
            at: place.original.range_in(text).start,
            line: place.line,
            arguments: matches!(place.new, New::Arguments),
            bytes_before: place.bytes_before(),
            bytes_after: place.bytes_after(),
        });
        let handle = (self.verdict == Verdict::Folded).then_some(self.handle.as_str());
        let receipt = || receipt::of_prune(&self.reading, self.verdict, handle, replaced);
        self.config.receipt.then(receipt).transpose()
    }

    /// Finds every value that is smaller in one line.
    fn find(&mut self) -> Result<(), Error> {
        let mut lines = Known::default();
        for index in 0..self.reading.blocks.len() {
            let block = &self.reading.blocks[index];
            if block.kind != Kind::Eligible {
                continue;
            }
            let (mut calls, mut results) = (Vec::new(), Vec::new());
            let mut long = Vec::new();
            self.reading.each(&block.messages, |facts| {
                // Whatever carries reasoning is signed as a whole.
                let may = self.config.shorten_arguments && !facts.reasoning;
                for call in &facts.calls {
                    push(&mut long, call.arguments.filter(|_| may))?;
                }
                append(&mut calls, &mut facts.calls)?;
                append(&mut results, &mut facts.results)
            })?;
            let places = self.places.len();
            let mut shortened = Vec::new();
            for value in long {
                let place = match value {
                    Some(value)
                        if long_strings(value)?.is_some()
                            && self.place(value, None, New::Arguments, &mut lines)? =>
                    {
                        Some(self.places.len() - 1)
                    }
                    _ => None,
                };
                push(&mut shortened, place)?;
            }
            self.one_line(&calls, &results, &shortened, &mut lines)?;
            self.rounds += usize::from(self.places.len() > places);
        }
        // In the order of the document, as the receipt tells of them.
        let text = self.reading.transcript.text;
        self.places
            .sort_unstable_by_key(|place| place.original.range_in(text).start);
        Ok(())
    }

    /// Finds the results of one round that are smaller in one line.
    ///
    /// A line says what it will say when it is written again: of arguments that
    /// were just shortened (for each call, the place that shortens its own)
    /// what is left.
    fn one_line(
        &mut self,
        calls: &[Call<'a>],
        results: &[Answer<'a>],
        shortened: &[Option<usize>],
        lines: &mut Known<'a>,
    ) -> Result<(), Error> {
        let format = self.reading.transcript.format;
        let answers = one_line::pairs(calls, results)?;
        for ((call, answer), shortened) in calls.iter().zip(answers).zip(shortened) {
            let Some(answer) = answer.and_then(|place| results.get(place)) else {
                continue;
            };
            let said = answer
                .content
                .and_then(|content| format.single_text(content));
            let kept = match said {
                Some(said) => {
                    one_line::is_short(said, self.config.result_chars)
                        || one_line::is_one_line(said)?
                }
                None => false,
            };
            let Some(value) = format.result_value(answer).filter(|_| !kept) else {
                continue;
            };
            let short =
                shortened.and_then(|place| Reader::new(&self.places[place].text).skip().ok());
            let call = Call {
                arguments: short.or(call.arguments),
                ..*call
            };
            let line = one_line::result(format, &call, answer, &self.config)?;
            // Where there is no room for these words, it goes without them, as
            // it would if it came first.
            let media = format.result_media(answer);
            if media.is_some_and(|list| !list.is_filled_array()) {
                // An expansion would take it for a list that was emptied.
                continue;
            }
            let again = lines.number(value.as_str()).is_some() && media.is_none() && {
                let new = New::Result(format!("{line}, as before"));
                self.place(value, None, new, lines)?
            };
            if !again {
                self.place(value, media, New::Result(line), lines)?;
            }
        }
        Ok(())
    }

    /// Notes a value, if what comes in its place is smaller; says whether it is.
    fn place(
        &mut self,
        original: Raw<'a>,
        beside: Option<Raw<'a>>,
        new: New,
        lines: &mut Known<'a>,
    ) -> Result<bool, Error> {
        // With pictures behind it, a line cannot be another's.
        let known = match beside {
            Some(_) => None,
            None => lines.number(original.as_str()),
        };
        let mut place = Place {
            original,
            beside,
            line: GATE_LINE,
            new,
            text: String::new(),
        };
        place.text = self.write(&place)?;
        if !place.is_smaller() {
            return Ok(false);
        }
        place.line = known.unwrap_or(self.originals.len() + 1);
        place.text = self.write(&place)?;
        if known.is_none() {
            for raw in place.before() {
                push(&mut self.originals, raw)?;
            }
            lines.add(Cow::Borrowed(original.as_str()), place.line)?;
        }
        push(&mut self.places, place)?;
        Ok(true)
    }

    /// A value's successor, under the handle as far as it is known.
    fn write(&self, place: &Place<'_>) -> Result<String, Error> {
        let spill = Spill {
            handle: self.handle.clone(),
            line: place.line,
        };
        let mut out = Buffer::default();
        match &place.new {
            New::Result(line) => self.reading.transcript.format.write_result(
                place.original,
                &format!("{line}{spill}"),
                &mut out,
            ),
            New::Arguments => shorten(place.original, &spill, &mut out)?,
        }
        out.finish()
    }

    /// Bytes of the estimate that the places win.
    fn weight_won(&self) -> Result<usize, Error> {
        let tokens = Tokens::new(self.config.bytes_per_token);
        let mut won = 0;
        for place in &self.places {
            let mut before = 0;
            for raw in place.before() {
                before += tokens.weight(raw.as_str())?;
            }
            won += before.saturating_sub(place.bytes_after());
        }
        Ok(won)
    }

    /// Estimated tokens that the places win.
    fn won(&self) -> Result<usize, Error> {
        let tokens = Tokens::new(self.config.bytes_per_token);
        let weight = self.reading.transcript.weight();
        Ok(tokens.of(weight) - tokens.of(weight - self.weight_won()?))
    }
}

/// The arguments as the JSON text they mean, and where its long strings stand;
/// `None` where there is none, or the text is no JSON object.
fn long_strings(arguments: Raw<'_>) -> Result<Option<LongStrings<'_>>, Error> {
    let inner = arguments.inner()?;
    let mut reader = Reader::new(&inner);
    let mut places = Vec::new();
    if let Ok(value) = reader.skip()
        && value.is_object()
        && reader.end().is_ok()
        // Cut before, or too like it for the way back to tell.
        && one_line::spill_in_arguments(arguments)?.is_none()
    {
        for text in value.string_values() {
            if text.raw().len() > ARGUMENT_BYTES {
                push(&mut places, text.range_in(&inner))?;
            }
        }
    }
    Ok((!places.is_empty()).then_some(LongStrings { inner, places }))
}

/// Arguments with strings that are too long.
struct LongStrings<'a> {
    inner: Cow<'a, str>,
    places: Vec<Range<usize>>,
}

/// Writes the arguments again, their long strings cut.
fn shorten(arguments: Raw<'_>, spill: &Spill, out: &mut Buffer) -> Result<(), Error> {
    let Some(LongStrings { inner, places }) = long_strings(arguments)? else {
        out.push(arguments.as_str());
        return Ok(());
    };
    let mut short = Buffer::default();
    let mut at = 0;
    for place in places {
        short.push(&inner[at..place.start - 1]);
        let begun = Text::within(&inner[place.clone()]).chars();
        let mut kept: String = begun.take(ARGUMENT_CHARS).collect();
        let _ = write!(kept, "…{spill}");
        short.push_json(&kept);
        at = place.end + 1;
    }
    short.push(&inner[at..]);
    let short = short.finish()?;
    match arguments.text() {
        Some(_) => out.push_json(&short),
        None => out.push(&short),
    }
    Ok(())
}

/// Prunes a document with a mint that is a closure; `None` declines.
pub fn prune(
    document: &[u8],
    config: &Config,
    mint: impl FnOnce(&str) -> Option<String>,
) -> Result<(String, Summary), Error> {
    let mut prune = Prune::plan(document, config)?;
    if prune.wants_handle() {
        match mint(&prune.span()?) {
            Some(handle) => prune.take(handle.as_bytes())?,
            None => prune.decline(),
        }
    }
    let output = prune.finish()?;
    Ok((output.text()?, output.summary))
}
