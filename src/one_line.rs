//! The one-line grammar: recognise it and write it.
//!
//! `[name] clause -> ok, …` or `[name] clause -> error, …`, and nothing that
//! any reader takes for a line break. A round's line is its calls, each with
//! its result, `|` between them.

use crate::buffer::{Buffer, push};
use crate::card::ADDRESS;
use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::format::{Answer, Body, Call, Format, Medium};
use crate::json::{Raw, Reader, Text};
use crate::said::Words;
use crate::spaced::{self, Spaced, is_break};
use std::borrow::Cow;
use std::fmt::Write;

/// Bytes that the calls of one line take at most.
const CALLS_BYTES: usize = 240;
/// Calls of one round that are shown; the others are counted.
const CALLS_SHOWN: usize = 6;
/// Kinds of parts that are told apart in one result; the others are counted.
const KINDS_SHOWN: usize = 6;
/// Bytes of a tool's name that are shown.
const NAME_BYTES: usize = 48;

/// Arguments that say most about a call, the most telling first.
///
/// The first [`PATHS`] are paths.
const TELLING: [&str; 26] = [
    "path",
    "file_path",
    "filePath",
    "filepath",
    "file",
    "filename",
    "notebook_path",
    "directory",
    "dir",
    "command",
    "cmd",
    "query",
    "q",
    "pattern",
    "regex",
    "url",
    "uri",
    "id",
    "symbol",
    "name",
    "title",
    "description",
    "prompt",
    "code",
    "input",
    "text",
];

const PATHS: usize = 9;

/// What stands between an argument's name and its value, and behind it.
const QUOTES: &str = " ''";

const OK: &str = " -> ok, ";
const ERROR: &str = " -> error, ";

/// Whether a result's text is one line of the grammar already.
pub(crate) fn is_one_line(text: Text<'_>) -> Result<bool, Error> {
    let raw = text.raw();
    if !raw.starts_with(['[', '\\']) || text.chars().next() != Some('[') {
        return Ok(false);
    }
    if raw.is_ascii() && !text.is_escaped() {
        // A string holds no line break that is neither escaped nor beyond ASCII.
        return Ok(is_tagged(raw));
    }
    Ok(!text.chars().any(is_break) && is_tagged(&text.decoded()?))
}

/// Whether a line has a tag, and behind it, or before it, says how a call ended.
fn is_tagged(line: &str) -> bool {
    let ends = |at: usize| {
        let rest = &line[at..];
        line[..at].ends_with(" -") && (rest.starts_with("> ok, ") || rest.starts_with("> error, "))
    };
    let mut marks = memchr::memchr_iter(b'>', line.as_bytes());
    let mut tags = memchr::memchr_iter(b']', line.as_bytes());
    marks.any(ends) && tags.any(|at| line[at + 1..].starts_with(' '))
}

/// Writes what one round did: the assistant's note, its calls, their results.
pub(crate) fn round(
    format: &dyn Format,
    words: Words<'_, '_>,
    config: &Config,
) -> Result<String, Error> {
    let Words {
        calls,
        results,
        prose,
    } = words;
    let mut line = String::with_capacity(2 * CALLS_BYTES);
    write_note(prose, config.note_chars, &mut line)?;
    let shown = calls.len().min(CALLS_SHOWN);
    let more = match calls.len() - shown {
        0 => String::new(),
        more => format!(" | +{more} more"),
    };
    // Most rounds make one call.
    let answers = match calls {
        [_] => Vec::new(),
        _ => pairs(calls, results)?,
    };
    let mut left = CALLS_BYTES - more.len() - " | ".len() * (shown - 1);
    for (i, call) in calls[..shown].iter().enumerate() {
        if i > 0 {
            line.push_str(" | ");
        }
        let place = answers.get(i).copied().unwrap_or(Some(0));
        let answer = place.and_then(|place| results.get(place));
        let from = line.len();
        let limit = left / (shown - i);
        write_call(format, call, answer, limit, config.result_chars, &mut line)?;
        left -= line.len() - from;
    }
    line.push_str(&more);
    defuse(&mut line)?;
    Ok(line)
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
    let mut given = order(results.iter().map(|result| result.id))?
        .into_iter()
        .peekable();
    answers.resize(calls.len(), None);
    for (id, call) in order(calls.iter().map(|call| call.id))? {
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

/// Ids with their places, in the order of what they mean.
fn order<'a>(
    ids: impl ExactSizeIterator<Item = Option<Text<'a>>>,
) -> Result<Vec<(Text<'a>, usize)>, Error> {
    let mut ordered = Vec::new();
    ordered.try_reserve_exact(ids.len())?;
    ordered.extend(ids.enumerate().filter_map(|(place, id)| Some((id?, place))));
    ordered.sort_unstable_by(|one, other| one.0.order(other.0).then(one.1.cmp(&other.1)));
    Ok(ordered)
}

fn write_note(prose: &[Text<'_>], limit: usize, line: &mut String) -> Result<(), Error> {
    let (note, more) = match prose {
        [] => return Ok(()),
        [text] => spaced::first(*text, limit)?,
        texts => {
            let mut chars = Spaced::new(texts.iter().flat_map(|text| text.chars().chain([' '])));
            let note: Buffer = chars.by_ref().take(limit).collect();
            (Cow::Owned(note.finish()?), chars.next().is_some())
        }
    };
    if note.is_empty() {
        return Ok(());
    }
    let mut note = &*note;
    if more {
        let last = note.chars().next_back().map_or(0, char::len_utf8);
        note = note[..note.len() - last].trim_end();
    }
    // Room for the calls as well, so that a long note is never moved for them.
    line.try_reserve(note.len() + "\"…\" ".len() + 2 * CALLS_BYTES)?;
    line.push('"');
    let mut quotes = "";
    for piece in note.split('"') {
        line.push_str(quotes);
        line.push_str(piece);
        quotes = "'";
    }
    line.push_str(if more { "…\" " } else { "\" " });
    Ok(())
}

/// One call and its result, as a prune writes them in the result's place.
pub(crate) fn result(
    format: &dyn Format,
    call: &Call<'_>,
    answer: &Answer<'_>,
    config: &Config,
) -> Result<String, Error> {
    let mut line = String::with_capacity(CALLS_BYTES);
    write_call(
        format,
        call,
        Some(answer),
        CALLS_BYTES,
        config.result_chars,
        &mut line,
    )?;
    defuse(&mut line)?;
    Ok(line)
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

/// Writes one call and its result in at most `limit` bytes.
fn write_call(
    format: &dyn Format,
    call: &Call<'_>,
    answer: Option<&Answer<'_>>,
    limit: usize,
    result_chars: usize,
    line: &mut String,
) -> Result<(), Error> {
    let from = line.len();
    let mut name = match call.name {
        Some(name) => spaced::first(name, NAME_BYTES + 1)?.0,
        None => Cow::Borrowed(""),
    };
    if name.len() > NAME_BYTES {
        cut(name.to_mut(), 0, NAME_BYTES);
    }
    if name.is_empty() {
        name = Cow::Borrowed("?");
    }
    let content = answer.and_then(|answer| answer.content);
    if let Some(said) = content.and_then(|content| format.single_text(content))
        && is_one_line(said)?
    {
        let (said, _) = spaced::first(said, usize::MAX)?;
        let tag = said[1..].strip_prefix(&*name);
        if tag.is_none_or(|rest| !rest.starts_with(']')) {
            line.push_str(&name);
            line.push_str(" → ");
        }
        line.try_reserve(said.len())?;
        line.push_str(&said);
        cut_before_result(line, from, limit);
        return Ok(());
    }
    let body = match content {
        Some(content) => format.body(content)?,
        None => Body::default(),
    };
    let failed = answer.is_some_and(|answer| answer.failed)
        || body.failed
        || body.texts.first().is_some_and(|text| tells_failure(*text));
    let mut result = String::with_capacity(64);
    result.push_str(if failed { ERROR } else { OK });
    write_body(&body, result_chars, &mut result)?;
    line.try_reserve(CALLS_BYTES + result.len())?;

    line.push('[');
    line.push_str(&name);
    line.push(']');
    let room = limit.saturating_sub(line.len() - from + result.len() + 1);
    if let Some(arguments) = call.arguments
        && let Some(clause) = clause(arguments, room)?
    {
        line.push(' ');
        line.push_str(&clause);
    }
    line.push_str(&result);
    cut_before_result(line, from, limit);
    Ok(())
}

/// The beginning of a text, fit for one line: more than `bytes` only if the
/// text has more.
fn begin(chars: impl Iterator<Item = char>, bytes: usize) -> String {
    Spaced::new(chars).take(bytes + 1).collect()
}

/// The end of a text, fit for one line, in at most `bytes`.
fn end(text: Text<'_>, bytes: usize) -> Result<Cow<'_, str>, Error> {
    let (mut text, _) = spaced::first(text, usize::MAX)?;
    if text.len() > bytes {
        let from = text.ceil_char_boundary(text.len() - bytes.saturating_sub('…'.len_utf8()));
        text.to_mut().replace_range(..from, "…");
    }
    Ok(text)
}

/// The most telling argument: `path 'src/lib.rs'`, in at most `limit` bytes.
fn clause(arguments: Raw<'_>, limit: usize) -> Result<Option<String>, Error> {
    let inner = arguments.inner()?;
    let Some(members) = members(&inner)? else {
        let raw = begin(inner.chars(), limit);
        return Ok(quoted("input", &raw, limit));
    };
    let telling = |value: &Raw<'_>| !value.is_null() && value.text().is_none_or(|t| !t.is_empty());
    let ranked = TELLING.iter().find_map(|name| {
        let named = members.iter().rev().find(|(key, _)| key.is(name));
        named.filter(|(_, value)| telling(value))
    });
    let first_text = || {
        members
            .iter()
            .find(|(_, value)| value.text().is_some() && telling(value))
    };
    Ok(match ranked.or_else(first_text) {
        Some((key, value)) => {
            let (mut key, _) = spaced::first(*key, NAME_BYTES + 1)?;
            if key.len() > NAME_BYTES {
                cut(key.to_mut(), 0, NAME_BYTES);
            }
            match value.text() {
                // A path says most at its end.
                Some(text) if TELLING[..PATHS].iter().any(|path| key == *path) => {
                    let room = limit.saturating_sub(key.len() + QUOTES.len());
                    quoted(&key, &end(text, room)?, limit)
                }
                // Only what can be shown is decoded.
                Some(text) => quoted(&key, &spaced::first(text, limit + 1)?.0, limit),
                None => {
                    let plain = begin(value.as_str().chars(), limit);
                    bounded(format!("{key} {plain}"), limit)
                }
            }
        }
        None if members.is_empty() => None,
        None => bounded(begin(inner.chars(), limit), limit),
    })
}

/// The members of a text that is a JSON object, and nothing else.
fn members(text: &str) -> Result<Option<Vec<(Text<'_>, Raw<'_>)>>, Error> {
    let mut reader = Reader::new(text);
    let mut members = Vec::new();
    let read = reader.members(|r, key| {
        let value = r.skip()?;
        push(&mut members, (key, value))
    });
    match read.and_then(|value| reader.end().map(|()| value)) {
        Ok(value) => Ok(value.is_object().then_some(members)),
        Err(error) if error.kind == ErrorKind::Memory => Err(error),
        Err(_) => Ok(None),
    }
}

fn quoted(key: &str, value: &str, limit: usize) -> Option<String> {
    // A value must not look like the end of its own clause.
    let mut value = harmless(value);
    if value.contains('\'') {
        value = Cow::Owned(value.replace('\'', "’"));
    }
    let room = limit.saturating_sub(key.len() + QUOTES.len());
    if value.len() > room {
        cut(value.to_mut(), 0, room);
    }
    let whole = [key, " '", &value, "'"].concat();
    (whole.len() <= limit && !value.is_empty()).then_some(whole)
}

fn bounded(clause: String, limit: usize) -> Option<String> {
    let mut clause = harmless(&clause).into_owned();
    cut(&mut clause, 0, limit);
    (!clause.is_empty()).then_some(clause)
}

/// A clause without what could pass for the result behind it.
fn harmless(clause: &str) -> Cow<'_, str> {
    if memchr::memchr(b'>', clause.as_bytes()).is_none() {
        return Cow::Borrowed(clause);
    }
    Cow::Owned(
        clause
            .replace("-> ok,", "→ ok,")
            .replace("-> error,", "→ error,"),
    )
}

/// `47 lines`, `1 image`, `1 line: /srv`, `512 bytes of JSON`.
fn write_body(body: &Body<'_>, result_chars: usize, line: &mut String) -> Result<(), Error> {
    if let Some(json) = body.json {
        let _ = write!(line, "{} bytes of JSON", json.as_str().len());
    } else if !body.texts.is_empty() || body.others.is_empty() {
        let lines = body.texts.iter().map(|text| text.lines()).sum();
        write_count(lines, "line", line);
        let short = |text: &&Text<'_>| !text.is_empty() && is_short(**text, result_chars);
        if let Some(text) = body
            .texts
            .first()
            .filter(short)
            .filter(|_| body.texts.len() == 1)
        {
            line.push_str(": ");
            // More of it is cut anyway.
            line.push_str(&spaced::first(*text, CALLS_BYTES)?.0);
        }
    }
    let mut comma = if line.ends_with(", ") { "" } else { ", " };
    let mut kinds: Vec<(String, usize)> = Vec::new();
    let mut more = 0;
    for other in &body.others {
        let kind = kind(*other);
        match kinds.iter().position(|(name, _)| *name == kind) {
            Some(known) => kinds[known].1 += 1,
            None if kinds.len() < KINDS_SHOWN => kinds.push((kind, 1)),
            None => more += 1,
        }
    }
    for (kind, count) in kinds {
        line.push_str(comma);
        write_count(count, &kind, line);
        comma = ", ";
    }
    if more > 0 {
        let _ = write!(line, ", +{more} more");
    }
    Ok(())
}

/// What a part that is no text is called in a card.
fn kind(medium: Medium<'_>) -> String {
    match medium {
        Medium::Image => "image".to_owned(),
        Medium::Document => "document".to_owned(),
        Medium::Audio => "audio part".to_owned(),
        Medium::Named(name) => {
            let mut name = begin(name.chars(), NAME_BYTES);
            cut(&mut name, 0, NAME_BYTES);
            name + " part"
        }
    }
}

fn write_count(count: usize, what: &str, line: &mut String) {
    let _ = write!(line, "{count} ");
    line.push_str(what);
    line.push_str(if count == 1 { "" } else { "s" });
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
    let mut chars = text.chars().skip_while(|c| c.is_whitespace()).peekable();
    // Hardly any output begins with a letter that it would take.
    if chars
        .peek()
        .is_some_and(|c| "CEFPSTUceftupsu<{".contains(*c))
    {
        let head = chars.take(40).collect::<String>().to_lowercase();
        if BEGINNINGS.iter().any(|word| head.starts_with(word)) || exit_code(&head) {
            return true;
        }
    }
    // The last line, from the last escaped line feed on.
    let raw = text.raw().trim_end_matches("\\n");
    let from = raw.ceil_char_boundary(raw.len().saturating_sub(EXIT_LINE_BYTES + "\\n".len()));
    let feed = raw.as_bytes()[from..]
        .windows(2)
        .rposition(|pair| pair == b"\\n");
    let tail = match feed {
        Some(feed) => &raw[from + feed + "\\n".len()..],
        None if from > 0 => return false,
        None => raw,
    };
    if tail.len() > EXIT_LINE_BYTES {
        return false;
    }
    let tail = tail.trim();
    tail.starts_with(['C', 'E', 'P', 'S', 'c', 'e', 'p', 's']) && exit_code(&tail.to_lowercase())
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

/// Takes away what could pass for a card's frame or for a handle.
///
/// Goes over the line until nothing is left to take, because what stands on
/// both sides of something taken away may join to something new.
pub(crate) fn defuse(line: &mut String) -> Result<(), Error> {
    const FRAMES: [&str; 2] = ["[NEWT FOLDED", "[exact text:"];
    let mut marks = memchr::memchr2_iter(b'W', b':', line.as_bytes());
    let suspect = |at: usize| {
        let (before, here) = (&line[..at], &line[..=at]);
        before.ends_with("[NE")
            || [ADDRESS, "spill:", FRAMES[1]]
                .iter()
                .any(|m| here.ends_with(m))
    };
    if !marks.any(suspect) {
        return Ok(());
    }
    loop {
        for frame in FRAMES {
            let mut from = 0;
            while let Some(found) = line[from..].find(frame) {
                from += found + 1;
                line.replace_range(from - 1..from, "(");
            }
        }
        replace_each(line, ADDRESS, |_, after| Some((0, handle_len(after), "…")))?;
        let joined = replace_each(line, "spill:", |before, after| {
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
        })?;
        if !joined {
            return Ok(());
        }
    }
}

/// Replaces each `marker` with as many bytes before and behind it as `each`
/// says, going by what is left of the line before it and by all that follows;
/// says whether there was one.
fn replace_each(
    line: &mut String,
    marker: &str,
    each: impl Fn(&str, &str) -> Option<(usize, usize, &'static str)>,
) -> Result<bool, Error> {
    let (mut out, mut at, mut from) = (Buffer::default(), 0, 0);
    while let Some(found) = line[from..].find(marker).map(|found| from + found) {
        let behind = found + marker.len();
        from = behind;
        if let Some((before, after, with)) = each(&line[at..found], &line[behind..]) {
            out.push(&line[at..found - before]);
            out.push(with);
            at = behind + after;
            from = at;
        }
    }
    let any = at > 0;
    if any {
        out.push(&line[at..]);
        *line = out.finish()?;
    }
    Ok(any)
}

/// Bytes at the start of a text that could be a handle.
pub(crate) fn handle_len(text: &str) -> usize {
    text.bytes().take_while(|b| is_handle_byte(*b)).count()
}

/// Whether a byte may stand in a handle.
pub(crate) fn is_handle_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._~:/@=+-".contains(&byte)
}

/// Cuts what stands behind `from` to `limit` bytes, on a character, and says so.
fn cut(text: &mut String, from: usize, limit: usize) {
    if text.len() - from > limit {
        match limit.checked_sub('…'.len_utf8()) {
            Some(room) => {
                text.truncate(text.floor_char_boundary(from + room));
                text.push('…');
            }
            None => text.truncate(from),
        }
    }
}

/// Cuts a call's entry, which begins at `from`, to `limit` bytes, in its clause
/// if that is enough: how a call ended is worth more than the end of its
/// argument.
fn cut_before_result(line: &mut String, from: usize, limit: usize) {
    if line.len() - from <= limit {
        return;
    }
    let entry = &line[from..];
    let result = [OK, ERROR]
        .iter()
        .filter_map(|mark| entry.rfind(mark))
        .max();
    if let Some(at) = result
        && entry.len() - at + NAME_BYTES <= limit
    {
        let result = line.split_off(from + at);
        cut(line, from, limit - result.len());
        line.push_str(&result);
    } else {
        cut(line, from, limit);
    }
}
