//! The one-line grammar: recognise it and write it.
//!
//! `[name] clause -> ok, …` or `[name] clause -> error, …`, and nothing that
//! any reader takes for a line break. A round's line is its calls, each with
//! its result, `|` between them.

use crate::config::Config;
use crate::format::{Answer, Body, Call, Format, Medium};
use crate::json::{Raw, Reader, Text};
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::fmt::Write;

/// Bytes that the calls of one line take at most.
const CALLS_BYTES: usize = 240;
/// Calls of one round that are shown; the others are counted.
const CALLS_SHOWN: usize = 6;
/// Bytes of a tool's name that are shown.
const NAME_BYTES: usize = 48;

/// Arguments that say most about a call, the most telling first.
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

const OK: &str = " -> ok, ";
const ERROR: &str = " -> error, ";

/// Whether some reader takes the character for a line break.
pub(crate) fn is_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Whether a result's text is one line of the grammar already.
pub(crate) fn is_one_line(text: Text<'_>) -> bool {
    if text.chars().next() != Some('[') || text.chars().any(is_break) {
        return false;
    }
    let text = text.decoded();
    text.contains("] ") && (text.contains(OK) || text.contains(ERROR))
}

/// Writes what one round did: the assistant's note, its calls, their results.
pub(crate) fn round(
    format: &dyn Format,
    calls: &[Call<'_>],
    results: &[Answer<'_>],
    prose: &[Text<'_>],
    config: &Config,
) -> String {
    let mut line = String::new();
    write_note(prose, config.note_chars, &mut line);

    let shown = calls.len().min(CALLS_SHOWN);
    let more = match calls.len() - shown {
        0 => String::new(),
        more => format!(" | +{more} more"),
    };
    let answers = pairs(calls, results);
    let mut left = CALLS_BYTES - more.len() - " | ".len() * (shown - 1);
    for (i, (call, answer)) in calls[..shown].iter().zip(answers).enumerate() {
        let entry = one_call(
            format,
            call,
            answer.and_then(|k| results.get(k)),
            left / (shown - i),
            config.result_chars,
        );
        left -= entry.len();
        if i > 0 {
            line.push_str(" | ");
        }
        line.push_str(&entry);
    }
    line.push_str(&more);
    defuse(&mut line);
    line
}

/// For each call, the place of its result: by id where all have one, else by
/// position.
pub(crate) fn pairs(calls: &[Call<'_>], results: &[Answer<'_>]) -> Vec<Option<usize>> {
    let by_id = calls.iter().all(|call| call.id.is_some())
        && results.iter().all(|result| result.id.is_some());
    if !by_id || calls.len() == 1 {
        return (0..calls.len()).map(Some).collect();
    }
    let mut places: HashMap<Cow<'_, str>, VecDeque<usize>> = HashMap::new();
    for (place, result) in results.iter().enumerate() {
        if let Some(id) = result.id {
            places.entry(id.decoded()).or_default().push_back(place);
        }
    }
    let mut answers = Vec::with_capacity(calls.len());
    for call in calls {
        let id = call.id.map(Text::decoded).unwrap_or_default();
        answers.push(places.get_mut(&id).and_then(VecDeque::pop_front));
    }
    answers
}

fn write_note(prose: &[Text<'_>], limit: usize, line: &mut String) {
    let mut chars = Spaced::new(prose.iter().flat_map(|text| text.chars().chain([' '])));
    let mut note: String = chars.by_ref().take(limit).collect();
    if note.is_empty() {
        return;
    }
    if chars.next().is_some() {
        note.pop();
        note.truncate(note.trim_end().len());
        note.push('…');
    }
    let _ = write!(line, "\"{}\" ", note.replace('"', "'"));
}

/// One call and its result, as a prune writes them in the result's place.
pub(crate) fn result(
    format: &dyn Format,
    call: &Call<'_>,
    answer: &Answer<'_>,
    config: &Config,
) -> String {
    let mut line = one_call(format, call, Some(answer), CALLS_BYTES, config.result_chars);
    defuse(&mut line);
    line
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
pub(crate) fn spill_in_arguments(arguments: Raw<'_>) -> Option<Spill> {
    let inner = match arguments.text() {
        Some(text) => text.decoded(),
        None => Cow::Borrowed(arguments.as_str()),
    };
    inner.split(SPILL).skip(1).find_map(|rest| {
        let (spill, after) = rest.split_once(')')?;
        after.starts_with('"').then(|| read_spill(spill))?
    })
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

/// One call and its result in at most `limit` bytes.
fn one_call(
    format: &dyn Format,
    call: &Call<'_>,
    answer: Option<&Answer<'_>>,
    limit: usize,
    result_chars: usize,
) -> String {
    let mut name = match call.name {
        Some(name) => Spaced::new(name.chars()).collect(),
        None => String::new(),
    };
    cut(&mut name, NAME_BYTES);
    if name.is_empty() {
        name.push('?');
    }
    let content = answer.and_then(|answer| answer.content);
    let said = content.and_then(|content| format.single_text(content));
    if let Some(said) = said.filter(|said| is_one_line(*said)) {
        let said: String = Spaced::new(said.chars()).collect();
        let tagged = said[1..].starts_with(&name) && said[1 + name.len()..].starts_with(']');
        let line = if tagged {
            said
        } else {
            format!("{name} → {said}")
        };
        return cut_before_result(line, limit);
    }
    let body = content
        .map(|content| format.body(content))
        .unwrap_or_default();
    let failed = answer.is_some_and(|answer| answer.failed)
        || body.failed
        || body.texts.first().is_some_and(|text| tells_failure(*text));
    let mut result = String::from(if failed { ERROR } else { OK });
    write_body(&body, result_chars, &mut result);

    let mut line = format!("[{name}]");
    let room = limit.saturating_sub(line.len() + result.len() + 1);
    if let Some(clause) = call.arguments.and_then(|raw| clause(raw, room)) {
        line.push(' ');
        line.push_str(&clause);
    }
    line.push_str(&result);
    cut_before_result(line, limit)
}

/// The most telling argument: `path 'src/lib.rs'`, in at most `limit` bytes.
fn clause(arguments: Raw<'_>, limit: usize) -> Option<String> {
    let inner = match arguments.text() {
        Some(text) => text.decoded(),
        None => Cow::Borrowed(arguments.as_str()),
    };
    let Some(members) = members(&inner) else {
        let raw: String = Spaced::new(inner.chars()).collect();
        return quoted("input", &raw, limit).filter(|_| !raw.is_empty());
    };
    let telling = |value: &Raw<'_>| !value.is_null() && value.text().is_none_or(|t| !t.is_empty());
    let found = TELLING
        .iter()
        .find_map(|name| {
            members
                .iter()
                .rev()
                .find(|(key, value)| key == name && telling(value))
        })
        .or_else(|| {
            members
                .iter()
                .find(|(_, value)| value.text().is_some() && telling(value))
        });
    match found {
        Some((key, value)) => {
            let mut key: String = Spaced::new(key.chars()).collect();
            cut(&mut key, NAME_BYTES);
            match value.text() {
                // Only what can be shown is decoded.
                Some(text) => {
                    let text: String = Spaced::new(text.chars()).take(limit + 1).collect();
                    quoted(&key, &text, limit)
                }
                None => {
                    let mut plain = format!("{key} ");
                    plain.extend(Spaced::new(value.as_str().chars()).take(limit + 1));
                    bounded(plain, limit)
                }
            }
        }
        None if members.is_empty() => None,
        None => bounded(Spaced::new(inner.chars()).take(limit + 1).collect(), limit),
    }
}

/// The members of a text that is a JSON object, and nothing else.
fn members(text: &str) -> Option<Vec<(String, Raw<'_>)>> {
    let mut reader = Reader::new(text);
    let mut members = Vec::new();
    let value = reader.object(|r, key| {
        members.push((key.to_owned(), r.skip()?));
        Ok(())
    });
    (value.ok()?.is_object() && reader.end().is_ok()).then_some(members)
}

fn quoted(key: &str, value: &str, limit: usize) -> Option<String> {
    // A value must not look like the end of its own clause.
    let mut value = value
        .replace('\'', "’")
        .replace("-> ok,", "→ ok,")
        .replace("-> error,", "→ error,");
    cut(&mut value, limit.saturating_sub(key.len() + " ''".len()));
    let whole = format!("{key} '{value}'");
    (whole.len() <= limit && !value.is_empty()).then_some(whole)
}

fn bounded(mut clause: String, limit: usize) -> Option<String> {
    clause = clause
        .replace("-> ok,", "→ ok,")
        .replace("-> error,", "→ error,");
    cut(&mut clause, limit);
    (!clause.is_empty()).then_some(clause)
}

/// `47 lines`, `1 image`, `1 line: /srv`, `512 bytes of JSON`.
fn write_body(body: &Body<'_>, result_chars: usize, line: &mut String) {
    let mut comma = "";
    let mut item = |text: std::fmt::Arguments<'_>| {
        let _ = write!(line, "{comma}{text}");
        comma = ", ";
    };
    if let Some(json) = body.json {
        item(format_args!("{} bytes of JSON", json.as_str().len()));
    } else if !body.texts.is_empty() || body.others.is_empty() {
        let lines = body.texts.iter().map(|text| text.lines()).sum();
        item(format_args!("{}", Count(lines, "line")));
        let short = |text: &&Text<'_>| {
            !text.is_empty()
                && !text.chars().any(is_break)
                && text.chars().nth(result_chars).is_none()
        };
        if let Some(text) = body
            .texts
            .first()
            .filter(short)
            .filter(|_| body.texts.len() == 1)
        {
            let _ = write!(line, ": {}", Spaced::new(text.chars()).collect::<String>());
        }
    }
    let mut comma = if line.ends_with(", ") { "" } else { ", " };
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for other in &body.others {
        let kind = kind(*other);
        match kinds.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    for (kind, count) in kinds {
        let _ = write!(line, "{comma}{}", Count(count, &kind));
        comma = ", ";
    }
}

/// What a part that is no text is called in a card.
fn kind(medium: Medium<'_>) -> String {
    match medium {
        Medium::Image => "image".to_owned(),
        Medium::Document => "document".to_owned(),
        Medium::Audio => "audio part".to_owned(),
        Medium::Named(name) => {
            let mut name: String = Spaced::new(name.chars()).collect();
            cut(&mut name, NAME_BYTES);
            name + " part"
        }
    }
}

struct Count<'a>(usize, &'a str);

impl std::fmt::Display for Count<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let s = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} {}{s}", self.0, self.1)
    }
}

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
    let head: String = text
        .chars()
        .skip_while(|c| c.is_whitespace())
        .take(40)
        .collect::<String>()
        .to_lowercase();
    if BEGINNINGS
        .iter()
        .any(|beginning| head.starts_with(beginning))
    {
        return true;
    }
    exit_code(&head) || {
        // The last line, decoded from the last escaped line feed on.
        let raw = text.raw();
        let tail = raw
            .trim_end_matches("\\n")
            .rsplit("\\n")
            .next()
            .unwrap_or("");
        tail.len() <= 80 && exit_code(&tail.trim().to_lowercase())
    }
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
/// Goes on until nothing is left to take, because what stands on both sides of
/// something taken away may join to something new.
pub(crate) fn defuse(line: &mut String) {
    const FRAMES: [&str; 2] = ["[NEWT FOLDED", "[exact text:"];
    for frame in FRAMES {
        while let Some(at) = line.find(frame) {
            line.replace_range(at..=at, "(");
        }
    }
    while let Some(at) = line.find("compaction:") {
        let end = at + "compaction:".len() + handle_len(&line[at + "compaction:".len()..]);
        line.replace_range(at..end, "…");
    }
    let mut from = 0;
    while let Some(at) = line[from..].find("spill:").map(|at| from + at) {
        let mut end = at + "spill:".len() + handle_len(&line[at + "spill:".len()..]);
        from = at + 1;
        if end == at + "spill:".len() {
            continue;
        }
        if line[end..].starts_with('#') {
            end += 1;
            end += line[end..].bytes().take_while(u8::is_ascii_digit).count();
        }
        let (mut start, mut with) = (at, "…");
        if line[..at].ends_with(" (") && line[end..].starts_with(')') {
            start -= 2;
            end += 1;
            with = "";
        }
        line.replace_range(start..end, with);
        // What now joins may be a marker of any kind.
        return defuse(line);
    }
}

/// Bytes at the start of a text that could be a handle.
pub(crate) fn handle_len(text: &str) -> usize {
    text.bytes().take_while(|b| is_handle_byte(*b)).count()
}

/// Whether a byte may stand in a handle.
pub(crate) fn is_handle_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._~:/@=+-".contains(&byte)
}

/// Cuts a text to `limit` bytes, on a character, and says so.
fn cut(text: &mut String, limit: usize) {
    if text.len() > limit {
        match limit.checked_sub('…'.len_utf8()) {
            Some(room) => {
                text.truncate(text.floor_char_boundary(room));
                text.push('…');
            }
            None => text.clear(),
        }
    }
}

/// Cuts a line to `limit` bytes, in its clause if that is enough: how a call
/// ended is worth more than the end of its argument.
fn cut_before_result(mut line: String, limit: usize) -> String {
    if line.len() <= limit {
        return line;
    }
    let result = [OK, ERROR].iter().filter_map(|mark| line.rfind(mark)).max();
    if let Some(result) = result.map(|at| line.split_off(at)) {
        if result.len() + NAME_BYTES <= limit {
            cut(&mut line, limit - result.len());
            return line + &result;
        }
        line.push_str(&result);
    }
    cut(&mut line, limit);
    line
}

/// Text made fit for one line: line breaks and control characters are spaces,
/// spaces are single, none stands at either end.
struct Spaced<I> {
    chars: I,
    /// A character that waits behind a space.
    next: Option<char>,
    begun: bool,
}

impl<I: Iterator<Item = char>> Spaced<I> {
    fn new(chars: I) -> Self {
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
        let blank = |c: char| c == ' ' || c.is_control() || is_break(c);
        let c = self.chars.next()?;
        if !blank(c) {
            self.begun = true;
            return Some(c);
        }
        let c = self.chars.find(|c| !blank(*c))?;
        if !self.begun {
            self.begun = true;
            return Some(c);
        }
        self.next = Some(c);
        Some(' ')
    }
}
