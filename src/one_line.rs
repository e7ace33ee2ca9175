//! The one-line grammar: recognise it and write it.
//!
//! `[name] clause -> ok, …` or `[name] clause -> error, …`, and nothing that
//! any reader takes for a line break. A round's line is its calls, each with
//! its result, `|` between them.

use crate::arguments::{self, Arguments};
use crate::buffer::{Buffer, push};
use crate::card::ADDRESS;
use crate::config::Config;
use crate::error::Error;
use crate::format::{Answer, Body, Call, Format, Medium};
use crate::json::{Raw, Text, Value, nested};
use crate::said::Words;
use crate::spaced::{self, Spaced, is_break};
use std::ops::Range;

/// Bytes that the calls of one line take at most.
const CALLS_BYTES: usize = 240;
/// Calls of one round that are shown; the others are counted.
const CALLS_SHOWN: usize = 6;
/// Kinds of parts that are told apart in one result; the others are counted.
const KINDS_SHOWN: usize = 6;
/// Bytes of a tool's name that are shown.
const NAME_BYTES: usize = 48;

const OK: &str = " -> ok, ";
const ERROR: &str = " -> error, ";

/// Whether a result's text is one line of the grammar already.
pub(crate) fn is_one_line(text: Text<'_>) -> Result<bool, Error> {
    one_line(text, &mut Buffer::default()).map(|line| line.is_some())
}

/// The line of the grammar that a result's text is already, fit for a card; what
/// cannot be borrowed is written to `memory`.
fn one_line<'m>(text: Text<'m>, memory: &'m mut Buffer) -> Result<Option<&'m str>, Error> {
    if !text.raw().starts_with(['[', '\\']) || text.chars().next() != Some('[') {
        return Ok(None);
    }
    if let Some(line) = spaced::as_it_stands(text) {
        return Ok(is_tagged(line).then_some(line));
    }
    if text.chars().any(is_break) || !is_tagged(&text.decoded()?) {
        return Ok(None);
    }
    memory.truncate(0);
    spaced::write(&[text], usize::MAX, memory);
    memory.check()?;
    Ok(Some(memory))
}

/// Whether a line has a tag, and behind it, or before it, says how a call ended.
fn is_tagged(line: &str) -> bool {
    let ends = |at: usize| {
        let rest = &line[at..];
        line[..at].ends_with(" -") && (rest.starts_with("> ok, ") || rest.starts_with("> error, "))
    };
    let any =
        |byte: u8, is: &dyn Fn(usize) -> bool| memchr::memchr_iter(byte, line.as_bytes()).any(is);
    any(b']', &|at| line[at + 1..].starts_with(' ')) && any(b'>', &ends)
}

/// Writes lines, one after another, in the same memory.
pub(crate) struct Writer<'w> {
    format: &'w dyn Format,
    config: &'w Config,
    /// How the call ended that is written.
    result: Buffer,
    /// What its arguments mean, if they are a string.
    arguments: Vec<u8>,
}

impl<'w> Writer<'w> {
    pub(crate) fn new(format: &'w dyn Format, config: &'w Config) -> Self {
        Self {
            format,
            config,
            result: Buffer::default(),
            arguments: Vec::new(),
        }
    }

    /// Writes what one round did: the assistant's note, its calls, their results.
    pub(crate) fn round(&mut self, words: Words<'_, '_>, line: &mut Buffer) -> Result<(), Error> {
        let Words {
            calls,
            results,
            prose,
        } = words;
        let start = line.len();
        write_note(prose, self.config.note_chars, line);
        let shown = calls.len().min(CALLS_SHOWN);
        let mut more = Buffer::default();
        if shown < calls.len() {
            more.push(" | +");
            more.push_number((calls.len() - shown) as u64);
            more.push(" more");
        }
        // Most rounds make one call.
        let answers = match calls {
            [_] => Vec::new(),
            _ => pairs(calls, results)?,
        };
        let mut left = CALLS_BYTES - more.len() - " | ".len() * (shown - 1);
        for (i, call) in calls[..shown].iter().enumerate() {
            if i > 0 {
                line.push(" | ");
            }
            let place = answers.get(i).copied().unwrap_or(Some(0));
            let answer = place.and_then(|place| results.get(place));
            let from = line.len();
            self.write_call(call, answer, left / (shown - i), line)?;
            // What could not be written, or cut, has no length to reckon with.
            line.check()?;
            left -= line.len() - from;
        }
        line.append(&more);
        defuse(line, start);
        Ok(())
    }

    /// Writes one call and its result in at most `limit` bytes.
    fn write_call(
        &mut self,
        call: &Call<'_>,
        answer: Option<&Answer<'_>>,
        limit: usize,
        line: &mut Buffer,
    ) -> Result<(), Error> {
        let from = line.len();
        let content = answer.and_then(|answer| answer.content);
        let single = content.and_then(|content| self.format.single_text(content));
        if let Some(said) = single
            && let Some(said) = one_line(said, &mut self.result)?
        {
            let tags = |tool: &str| {
                let behind = said[1..].strip_prefix(tool);
                behind.is_some_and(|behind| behind.starts_with(']'))
            };
            // Most tools' names need no writing to be known again.
            let plain = call.name.and_then(spaced::as_it_stands);
            if !plain.is_some_and(|name| (1..=NAME_BYTES).contains(&name.len()) && tags(name)) {
                write_tool(call, line);
                if tags(&line[from..]) {
                    line.truncate(from);
                } else {
                    line.push(" → ");
                }
            }
            line.push(said);
            cut_before_result(line, from, limit);
            return Ok(());
        }
        let body = match (single, content) {
            (None, Some(content)) => self.format.body(content)?,
            _ => Body::of(single),
        };
        let result = &mut self.result;
        result.truncate(0);
        let failed = answer.is_some_and(|answer| answer.failed)
            || body.failed
            || body.text.is_some_and(tells_failure);
        result.push(if failed { ERROR } else { OK });
        write_body(&body, self.config.result_chars, result)?;

        line.push("[");
        write_tool(call, line);
        line.push("]");
        let room = limit.saturating_sub(line.len() - from + result.len() + 1);
        if let Some(arguments) = call.arguments {
            write_clause(arguments, &mut self.arguments, room, line)?;
        }
        line.append(&self.result);
        cut_before_result(line, from, limit);
        Ok(())
    }
}

/// For each call, the place of its result: by id where all have one, else by
/// position.
pub(crate) fn pairs(
    calls: &[Call<'_>],
    results: &[Answer<'_>],
) -> Result<Vec<Option<usize>>, Error> {
    let mut answers = Vec::new();
    answers.try_reserve_exact(calls.len())?;
    let by_id = calls.iter().all(|call| call.id.is_some())
        && results.iter().all(|result| result.id.is_some());
    if !by_id || calls.len() == 1 {
        answers.extend((0..calls.len()).map(Some));
        return Ok(answers);
    }
    // Both sides in the order of their ids, equal ids in the order in which
    // they stand: the n-th call of an id gets its n-th result.
    let mut given = in_order(results.len(), results.iter().map(|result| result.id))?
        .into_iter()
        .peekable();
    answers.resize(calls.len(), None);
    for (id, call) in in_order(calls.len(), calls.iter().map(|call| call.id))? {
        while given
            .next_if(|(result, _)| result.order(id).is_lt())
            .is_some()
        {}
        answers[call] = given
            .next_if(|(result, _)| result.same(id))
            .map(|(_, place)| place);
    }
    Ok(answers)
}

/// Ids with their places, in the order of what they mean; fewer than `count`
/// where some are missing.
pub(crate) fn in_order<'a>(
    count: usize,
    ids: impl Iterator<Item = Option<Text<'a>>>,
) -> Result<Vec<(Text<'a>, usize)>, Error> {
    let mut ordered = Vec::new();
    ordered.try_reserve_exact(count)?;
    ordered.extend(ids.enumerate().filter_map(|(place, id)| Some((id?, place))));
    ordered.sort_unstable_by(|one, other| one.0.order(other.0).then(one.1.cmp(&other.1)));
    Ok(ordered)
}

fn write_note(prose: &[Text<'_>], limit: usize, line: &mut Buffer) {
    let start = line.len();
    line.push("\"");
    let from = line.len();
    let more = spaced::write(prose, limit, line);
    let note = &line[from..];
    if note.is_empty() {
        return line.truncate(start);
    }
    if more {
        let last = note.chars().next_back().map_or(0, char::len_utf8);
        let kept = note[..note.len() - last].trim_end().len();
        line.truncate(from + kept);
    }
    line.replace_each(from, "\"", "'");
    line.push(if more { "…\" " } else { "\" " });
}

/// One call and its result, as a prune writes them in the result's place.
pub(crate) fn result(
    format: &dyn Format,
    call: &Call<'_>,
    answer: &Answer<'_>,
    config: &Config,
) -> Result<String, Error> {
    let mut line = Buffer::default();
    Writer::new(format, config).write_call(call, Some(answer), CALLS_BYTES, &mut line)?;
    defuse(&mut line, 0);
    line.finish()
}

/// Whether a result is one line of at most so many characters.
pub(crate) fn is_short(text: Text<'_>, chars: usize) -> bool {
    text.chars().nth(chars).is_none() && !text.chars().any(is_break)
}

/// What a one-lined result names: a line of a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spill {
    pub(crate) handle: String,
    /// Counted from 1.
    pub(crate) line: usize,
}

/// What stands before a handle where it names a line of a span.
pub(crate) const SPILL: &str = "(spill:";

impl std::fmt::Display for Spill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, " {SPILL}{}#{})", self.handle, self.line)
    }
}

/// What a one-lined result names, if it names something.
pub(crate) fn spill(text: &str) -> Option<Spill> {
    let (before, inner) = text.strip_suffix(')')?.rsplit_once(SPILL)?;
    before.ends_with(' ').then(|| read_spill(inner))?
}

/// What a shortened argument names: all of them name the same line.
///
/// A model may well write of a spill in a call, to fetch it, say; only a string
/// that a prune has cut has the mark of it before the spill.
pub(crate) fn spill_in_arguments(arguments: Raw<'_>) -> Result<Option<Spill>, Error> {
    let inner = arguments.inner()?;
    let cut = |before: &str| {
        let before = before.strip_suffix(' ');
        before.is_some_and(|before| before.ends_with('…') || before.ends_with("\\u2026"))
    };
    Ok(inner.match_indices(SPILL).find_map(|(at, _)| {
        let (spill, after) = inner[at + SPILL.len()..].split_once(')')?;
        (cut(&inner[..at]) && after.starts_with('"')).then(|| read_spill(spill))?
    }))
}

fn read_spill(text: &str) -> Option<Spill> {
    let (handle, line) = text.rsplit_once('#')?;
    let number = line
        .parse()
        .ok()
        .filter(|number: &usize| number.to_string() == line)?;
    crate::card::is_handle(handle).then(|| Spill {
        handle: handle.to_owned(),
        line: number,
    })
}

/// Writes the name of the tool that is called.
fn write_tool(call: &Call<'_>, line: &mut Buffer) {
    let from = line.len();
    write_name(call.name.as_slice(), line);
    if line.len() == from {
        line.push("?");
    }
}

/// Writes the name of a tool or of an argument.
fn write_name(name: &[Text<'_>], line: &mut Buffer) {
    let from = line.len();
    spaced::write(name, NAME_BYTES + 1, line);
    cut(line, from..line.len(), NAME_BYTES);
}

/// Writes the beginning of a text, fit for one line: more than `bytes` only if
/// the text has more.
fn write_beginning(text: &str, bytes: usize, line: &mut Buffer) {
    for c in Spaced::new(text.chars()).take(bytes + 1) {
        line.push(c.encode_utf8(&mut [0; 4]));
    }
}

/// Writes the most telling argument behind a space: ` path 'src/lib.rs'`, the
/// space not counted in at most `limit` bytes.
fn write_clause(
    arguments: Raw<'_>,
    memory: &mut Vec<u8>,
    limit: usize,
    line: &mut Buffer,
) -> Result<(), Error> {
    let start = line.len();
    line.push(" ");
    let from = line.len();
    match arguments.text().and_then(Arguments::nested) {
        Some(Arguments::Telling(name, Value::Text(text))) => {
            write_telling(name, nested::once(text, memory)?, limit, line);
        }
        Some(arguments) => write_arguments(arguments, "", limit, line),
        None => {
            let text = match arguments.text() {
                Some(text) => text.decoded_in(memory)?,
                None => arguments.as_str(),
            };
            write_arguments(Arguments::of(text)?, text, limit, line);
        }
    }
    if line.len() == from {
        line.truncate(start);
    }
    Ok(())
}

/// Writes what arguments say that stand in `text`.
fn write_arguments(arguments: Arguments<'_>, text: &str, limit: usize, line: &mut Buffer) {
    let from = line.len();
    match arguments {
        Arguments::Other => {
            line.push("input '");
            let value = line.len();
            write_beginning(text, limit, line);
            close_quotes(from, value, limit, line);
        }
        Arguments::Empty => {}
        Arguments::Mute => {
            write_beginning(text, limit, line);
            bound(from, limit, line);
        }
        Arguments::Telling(name, Value::Text(text)) => write_telling(name, text, limit, line),
        Arguments::Telling(name, Value::Other(value)) => {
            write_name(&[name], line);
            line.push(" ");
            write_beginning(value, limit, line);
            bound(from, limit, line);
        }
    }
}

/// Writes the name of an argument and its text.
fn write_telling(name: Text<'_>, text: Text<'_>, limit: usize, line: &mut Buffer) {
    let from = line.len();
    write_name(&[name], line);
    let is_path = arguments::is_path(&line[from..]);
    line.push(" '");
    let value = line.len();
    if is_path {
        // A path says most at its end.
        spaced::write(&[text], usize::MAX, line);
        cut_beginning(value, limit.saturating_sub(value + 1 - from), line);
    } else {
        // Only what can be shown is decoded.
        spaced::write(&[text], limit + 1, line);
    }
    close_quotes(from, value, limit, line);
}

/// Ends a clause from `from` on whose quoted value stands from `value` on;
/// takes it away if there is no room for anything in its quotes.
fn close_quotes(from: usize, value: usize, limit: usize, line: &mut Buffer) {
    // A value must not look like the end of its own clause. Hardly any does.
    if memchr::memchr2(b'>', b'\'', &line.as_bytes()[value..]).is_some() {
        make_harmless(value, line);
        line.replace_each(value, "'", "’");
    }
    let room = limit.saturating_sub(value + 1 - from);
    cut(line, value..line.len(), room);
    let empty = line.len() == value;
    line.push("'");
    if empty || line.len() - from > limit {
        line.truncate(from);
    }
}

/// Ends a clause without quotes.
fn bound(from: usize, limit: usize, line: &mut Buffer) {
    make_harmless(from, line);
    cut(line, from..line.len(), limit);
}

/// Takes away what could pass for the result behind a clause.
fn make_harmless(from: usize, line: &mut Buffer) {
    if line[from..].contains('>') {
        line.replace_each(from, "-> ok,", "→ ok,");
        line.replace_each(from, "-> error,", "→ error,");
    }
}

/// `47 lines`, `1 image`, `1 line: /srv`, `512 bytes of JSON`.
fn write_body(body: &Body<'_>, result_chars: usize, line: &mut Buffer) -> Result<(), Error> {
    if let Some(json) = body.json {
        line.push_number(json.as_str().len() as u64);
        line.push(" bytes of JSON");
    } else if body.text.is_some() || body.others.is_empty() {
        let texts = body.text.iter().chain(&body.more);
        let lines: usize = texts.map(|text| text.lines()).sum();
        line.push_count(lines as u64, "line");
        if let Some(text) = body.text
            && body.more.is_empty()
            && !text.is_empty()
            && is_short(text, result_chars)
        {
            line.push(": ");
            // More of it is cut anyway.
            spaced::write(&[text], CALLS_BYTES, line);
        }
    }
    let mut comma = if line.ends_with(", ") { "" } else { ", " };
    let mut kinds: Vec<(String, usize)> = Vec::new();
    let mut more = 0;
    for other in &body.others {
        let kind = kind(*other)?;
        match kinds.iter().position(|(name, _)| *name == kind) {
            Some(known) => kinds[known].1 += 1,
            None if kinds.len() < KINDS_SHOWN => push(&mut kinds, (kind, 1))?,
            None => more += 1,
        }
    }
    for (kind, count) in kinds {
        line.push(comma);
        line.push_count(count as u64, &kind);
        comma = ", ";
    }
    if more > 0 {
        line.push(", +");
        line.push_number(more as u64);
        line.push(" more");
    }
    Ok(())
}

/// What a part that is no text is called in a card.
fn kind(medium: Medium<'_>) -> Result<String, Error> {
    let mut kind = Buffer::default();
    match medium {
        Medium::Image => kind.push("image"),
        Medium::Document => kind.push("document"),
        Medium::Audio => kind.push("audio part"),
        Medium::Named(name) => {
            write_name(&[name], &mut kind);
            kind.push(" part");
        }
    }
    kind.finish()
}

/// Bytes of a last line that may be about an exit code.
const EXIT_LINE_BYTES: usize = 80;

/// Whether a result's text says by itself that the tool failed.
///
/// Only how it begins counts, and a shell's last line about its exit code: a
/// file that speaks of errors is no error.
fn tells_failure(text: Text<'_>) -> bool {
    const BEGINNINGS: [&str; 12] = [
        "error:",
        "error ",
        "errno",
        "fatal:",
        "traceback (most recent call last)",
        "exception:",
        "uncaught ",
        "command failed",
        "<tool_use_error>",
        "<error>",
        "{\"error\":\"",
        "{\"error\":{",
    ];
    let mut chars = text.chars();
    let first = chars.find(|c| !c.is_whitespace());
    let mut head = first.into_iter().chain(chars);
    if may_tell(head.clone()) {
        let head = lower_case(&mut head.by_ref().take(40));
        if BEGINNINGS.iter().any(|word| head.starts_with(word)) || exit_code(&head) {
            return true;
        }
    }
    // The last line, from the last escaped line feed on.
    let mut raw = text.raw();
    while let Some(shorter) = raw.strip_suffix("\\n") {
        raw = shorter;
    }
    let from = raw.ceil_char_boundary(raw.len().saturating_sub(EXIT_LINE_BYTES + "\\n".len()));
    let tail = &raw[from..];
    // No more than a line's bytes, which are sooner looked at than searched.
    let feed = tail.as_bytes().windows(2).rposition(|pair| pair == b"\\n");
    let tail = match feed {
        Some(feed) => &tail[feed + "\\n".len()..],
        None if from > 0 => return false,
        None => tail,
    };
    if tail.len() > EXIT_LINE_BYTES {
        return false;
    }
    let tail = tail.trim();
    may_tell(tail.chars()) && exit_code(&lower_case(&mut tail.chars()))
}

/// Whether a text has the first letters of one that tells of a failure, or of a
/// line about an exit code. Hardly any output begins so.
fn may_tell(text: impl Iterator<Item = char>) -> bool {
    const FIRST: [[u8; 4]; 14] = [
        *b"erro", *b"errn", *b"fata", *b"trac", *b"exce", *b"unca", *b"comm", *b"<too", *b"<err",
        *b"{\"er", *b"proc", *b"exit", *b"code", *b"stat",
    ];
    let mut first = [0; 4];
    for (byte, c) in first.iter_mut().zip(text) {
        *byte = u8::try_from(c).unwrap_or(0).to_ascii_lowercase();
    }
    FIRST.contains(&first)
}

/// The text in lower case, as far as that is ASCII.
fn lower_case(chars: &mut dyn Iterator<Item = char>) -> String {
    let mut text = String::with_capacity(2 * EXIT_LINE_BYTES);
    for c in chars {
        text.push(match c {
            '\u{212a}' => 'k', // the sign of kelvin
            c => c.to_ascii_lowercase(),
        });
    }
    text
}

/// Whether a line is about an exit code other than 0, and nothing else.
fn exit_code(line: &str) -> bool {
    let line = line
        .strip_prefix("command ")
        .or(line.strip_prefix("process "))
        .unwrap_or(line);
    let line = line.strip_prefix("exited with ").unwrap_or(line);
    let line = line.strip_prefix("exit ").unwrap_or(line);
    ["code ", "code: ", "status ", "status: "]
        .iter()
        .any(|word| {
            line.strip_prefix(word).is_some_and(|number| {
                let digits = number.trim_end().trim_end_matches(['.', ']', ')']);
                let digits = digits.split(char::is_whitespace).next().unwrap_or("");
                !digits.is_empty()
                    && digits.bytes().all(|b| b.is_ascii_digit())
                    && digits.bytes().any(|b| b != b'0')
            })
        })
}

/// Takes away what could pass for a card's frame or for a handle, from a place
/// on.
///
/// Goes over the line until nothing is left to take, because what stands on
/// both sides of something taken away may join to something new.
fn defuse(line: &mut Buffer, from: usize) {
    const FRAMES: [[&str; 2]; 2] = [
        ["[NEWT FOLDED", "(NEWT FOLDED"],
        ["[exact text:", "(exact text:"],
    ];
    let text = &line[from..];
    let suspect = |at: usize| {
        let (before, here) = (&text[..at], &text[..=at]);
        before.ends_with("[NE")
            || [ADDRESS, "spill:", FRAMES[1][0]]
                .iter()
                .any(|m| here.ends_with(m))
    };
    if !memchr::memchr2_iter(b'W', b':', text.as_bytes()).any(suspect) {
        return;
    }
    loop {
        for [frame, harmless] in FRAMES {
            line.replace_each(from, frame, harmless);
        }
        take_each(line, from, ADDRESS, &|_, after| {
            Some((0, handle_len(after), "…"))
        });
        let joined = take_each(line, from, "spill:", &|before, after| {
            let mut len = handle_len(after);
            if len == 0 {
                return None;
            }
            if after[len..].starts_with('#') {
                len += 1;
                len += after[len..].bytes().take_while(u8::is_ascii_digit).count();
            }
            let framed = before.ends_with(" (") && after[len..].starts_with(')');
            Some(if framed {
                (2, len + 1, "")
            } else {
                (0, len, "…")
            })
        });
        if !joined {
            return;
        }
    }
}

/// What goes with a marker, by what is left of the line before it and by all
/// that follows: bytes before and behind it, and what comes in their place.
type Taken = dyn Fn(&str, &str) -> Option<(usize, usize, &'static str)>;

/// Takes away each `marker` behind a place with what goes with it; says whether
/// there was one.
fn take_each(line: &mut Buffer, from: usize, marker: &str, taken: &Taken) -> bool {
    let (mut out, mut at, mut behind) = (Buffer::default(), from, from);
    while let Some(found) = line[behind..].find(marker).map(|found| behind + found) {
        behind = found + marker.len();
        if let Some((before, after, with)) = taken(&line[at..found], &line[behind..]) {
            out.push(&line[at..found - before]);
            out.push(with);
            behind += after;
            at = behind;
        }
    }
    let any = at > from;
    if any {
        out.push(&line[at..]);
        line.truncate(from);
        line.append(&out);
    }
    any
}

/// Bytes at the start of a text that could be a handle.
pub(crate) fn handle_len(text: &str) -> usize {
    text.bytes().take_while(|b| is_handle_byte(*b)).count()
}

/// Whether a byte may stand in a handle.
pub(crate) fn is_handle_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._~:/@=+-".contains(&byte)
}

/// Cuts what stands in a range to `limit` bytes, on a character, and says so.
fn cut(line: &mut Buffer, range: Range<usize>, limit: usize) {
    if range.len() > limit {
        match limit.checked_sub('…'.len_utf8()) {
            Some(room) => {
                let kept = line.floor_char_boundary(range.start + room);
                line.replace(kept..range.end, "…");
            }
            None => line.replace(range, ""),
        }
    }
}

/// Keeps the end of what stands behind `from`, in at most `limit` bytes.
fn cut_beginning(from: usize, limit: usize, line: &mut Buffer) {
    if line.len() - from > limit {
        let room = limit.saturating_sub('…'.len_utf8());
        let kept = line.ceil_char_boundary(line.len() - room);
        line.replace(from..kept, "…");
    }
}

/// Cuts a call's entry, which begins at `from`, to `limit` bytes, in its clause
/// if that is enough: how a call ended is worth more than the end of its
/// argument.
fn cut_before_result(line: &mut Buffer, from: usize, limit: usize) {
    let end = line.len();
    if end - from <= limit {
        return;
    }
    let entry = line.as_bytes();
    let is_result = |at: &usize| {
        let mut marks = [OK, ERROR].iter();
        marks.any(|mark| entry[*at..].starts_with(mark.as_bytes()))
    };
    let result = (from..end).rev().find(is_result);
    let kept = result.map_or(0, |at| end - at);
    if kept > 0 && kept + NAME_BYTES <= limit {
        cut(line, from..end - kept, limit - kept);
    } else {
        cut(line, from..end, limit);
    }
}
