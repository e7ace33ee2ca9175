//! The tool with which a model reads what a card stands for: its definition,
//! the addresses it takes, and its answers.
//!
//! Everything here is text in, text out; the spans come from whoever calls.
//! Answers speak to the model: a bad call is answered by what a good one looks
//! like, never by advice to run another tool again.

use crate::buffer::{Buffer, copy};
use crate::config::Wire;
use crate::error::{Error, ErrorKind};
use crate::json;
use serde_json::{Map, Value, json};

/// What is said of every address that finds nothing: unknown, malformed or
/// another session's. They must not be told apart.
pub fn not_found() -> Error {
    Error::new(
        ErrorKind::NotFound,
        "nothing is held under this address in this session; expected a handle as a card of the \
         session names it, or a content id, either of them bare or after `compaction:`",
    )
}

/// What may stand before a handle to tell where it came from.
const SCHEMES: [&str; 2] = ["compaction:", "spill:"];

/// The longest address taken, as long as the longest handle of the C ABI.
const LONGEST_ADDRESS: usize = 256;
/// The longest `grep`: the note that names the next call repeats it.
const LONGEST_GREP: usize = 256;
/// The longest arguments read at all. A good call has a hundred bytes.
const LONGEST_ARGUMENTS: usize = 64 * 1024;

/// Bytes of an answer, its note included: a tool result that no context
/// window minds, a range in which the notes fit, and a bound on what a model
/// can do to its own window.
const LIMIT: usize = 16 * 1024;
const LIMITS: std::ops::RangeInclusive<usize> = 4 * 1024..=64 * 1024;

/// Bytes shown before the end of a match, and after it.
const BEFORE: usize = 160;
const AFTER: usize = 240;

/// An address without its scheme.
pub fn bare(address: &str) -> &str {
    SCHEMES
        .iter()
        .find_map(|scheme| address.strip_prefix(scheme))
        .unwrap_or(address)
}

/// The definition of the tool `name`, ready to stand in a request's tools.
pub fn tool_json(format: Wire, name: &str) -> Result<String, Error> {
    // Gemini's schemas are the OpenAPI subset, whose types are an enum in
    // capitals; the others take JSON Schema. No keyword here is beyond both.
    let [object, string, integer] = match format {
        Wire::Gemini => ["OBJECT", "STRING", "INTEGER"],
        _ => ["object", "string", "integer"],
    };
    let mut letters = Buffer::default();
    json::escape(name, &mut letters);
    let name = letters.finish()?;
    // This API takes a tool for strict unless told otherwise, and a strict
    // tool may have no optional parameter.
    let [open, schema, close] = match format {
        Wire::Chat => [r#"{"type":"function","function":{"#, "parameters", "}}"],
        Wire::Anthropic => ["{", "input_schema", "}"],
        Wire::Responses => [r#"{"type":"function","strict":false,"#, "parameters", "}"],
        Wire::Gemini => ["{", "parameters", "}"],
        Wire::Bedrock => [r#"{"toolSpec":{"#, r#"inputSchema":{"json"#, "}}}"],
    };
    // What is written here stands in JSON strings as it is.
    let property = |name: &str, kind: &str, meaning: &str| {
        format!(r#""{name}":{{"type":"{kind}","description":"{meaning}"}}"#)
    };
    let (least, most) = LIMITS.into_inner();
    let properties = [
        property(
            "address",
            string,
            "What stands between the quotation marks in the card's last line, for example \
             compaction:h7q2kx3m, or in the brackets at the end of a shortened result, for \
             example spill:h7q2kx3m#3",
        ),
        property(
            "grep",
            string,
            "Show only the places that hold this text, each after its byte offset. Plain text, \
             no pattern; case and backslashes do not count.",
        ),
        property(
            "offset",
            integer,
            "The byte of the text to begin at; 0 if left out.",
        ),
        property(
            "limit",
            integer,
            &format!("The most bytes to return, from {least} to {most}; {LIMIT} if left out."),
        ),
    ];
    let description = format!(
        "Returns the exact text of earlier tool rounds that a card stands for, as JSON, one \
         message a line. A card's last line names its address: [exact text: \
         {name}(\\\"compaction:…\\\")]. Use it when a detail is needed that the card does not show. \
         It runs no other tool. A long text comes in parts; the note at the end of each names \
         the call for the next."
    );
    Ok(format!(
        r#"{open}"name":"{name}","description":"{description}","{schema}":{{"type":"{object}","properties":{{{}}},"required":["address"]}}{close}"#,
        properties.join(",")
    ))
}

/// The tool's result for a call with these arguments, to be sent back as it is.
///
/// `load` gives the text under an address, every card in it replaced by what
/// it stands for. Its failures are told to the model; only running out of
/// memory is the caller's to handle.
pub fn answer(
    arguments: &str,
    load: impl FnOnce(&str) -> Result<String, Error>,
) -> Result<String, Error> {
    let call = match Call::parse(arguments) {
        Ok(call) => call,
        Err(advice) => return Ok(advice),
    };
    let (address, line) = call.place();
    let found = load(address).and_then(|text| match line {
        Some(line) => one_value(&text, line),
        None => Ok(text),
    });
    match found {
        Ok(text) if call.grep.is_empty() => call.page(&text),
        Ok(text) => call.matches(&text),
        Err(error) if error.kind == ErrorKind::Memory => Err(error),
        Err(error) if error.kind == ErrorKind::NotFound => Ok(format!(
            "Nothing is held under {:?}. Copy the address letter by letter from the last line of \
             a card: [exact text: …(\"compaction:…\")]. What no card stands for was never \
             removed: look for it in the conversation itself.",
            call.address
        )),
        Err(_) => Ok(format!(
            "The text under {:?} cannot be read at the moment; the host is told why. The card \
             itself still holds: go on with what it says.",
            call.address
        )),
    }
}

/// What a model asks for.
#[derive(Debug, PartialEq)]
struct Call {
    address: String,
    /// Empty for all of the text.
    grep: String,
    offset: usize,
    limit: usize,
}

impl Call {
    /// Reads the arguments as kindly as it can be done without guessing. The
    /// error is the answer for the model.
    fn parse(arguments: &str) -> Result<Self, String> {
        const USAGE: &str = "The call needs the address that stands in a card's last line, \
             between the quotation marks, for example {\"address\":\"compaction:h7q2kx3m\"}; \
             grep, offset and limit may stand beside it.";
        if arguments.len() > LONGEST_ARGUMENTS {
            return Err(format!(
                "The arguments have {} bytes, which no call needs. {USAGE}",
                arguments.len()
            ));
        }
        let value = match serde_json::from_str(arguments) {
            // Encoded twice, as some models and some hosts do.
            Ok(Value::String(inner)) if inner.trim_start().starts_with('{') => {
                serde_json::from_str(&inner)
            }
            value => value,
        };
        let only = |address: &str| Map::from_iter([("address".to_owned(), address.into())]);
        let fields = match value {
            Ok(Value::Object(fields)) => fields,
            Ok(Value::String(address)) => only(&address),
            // Broken JSON, or a line of a card: its scheme gives an address away.
            _ => with_scheme(arguments).map(only).ok_or(USAGE)?,
        };
        let address = match fields.get("address") {
            Some(value) => value.as_str(),
            // Under a name of the model's own making.
            None => fields
                .values()
                .filter_map(Value::as_str)
                .find(|text| with_scheme(text).is_some()),
        };
        let address = address.and_then(address_in).ok_or(USAGE)?;
        let mut grep = match fields.get("grep") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        if normal(&grep).next().is_none() {
            grep.clear();
        }
        if grep.len() > LONGEST_GREP {
            return Err(format!(
                "grep has {} bytes; it takes up to {LONGEST_GREP}. A few words of what is looked \
                 for are enough.",
                grep.len()
            ));
        }
        Ok(Self {
            address: address.to_owned(),
            grep,
            offset: number(&fields, "offset")?.unwrap_or(0),
            limit: number(&fields, "limit")?
                .unwrap_or(LIMIT)
                .clamp(*LIMITS.start(), *LIMITS.end()),
        })
    }

    /// The address without a line's number, and that number, as a one-lined
    /// result names it: `spill:h7q2kx3m#3`.
    fn place(&self) -> (&str, Option<usize>) {
        let numbered = self.address.rsplit_once('#');
        let place = numbered.and_then(|(address, line)| Some((address, Some(line.parse().ok()?))));
        place.unwrap_or((&self.address, None))
    }

    /// The text from `offset`, as much as fits.
    fn page(&self, text: &str) -> Result<String, Error> {
        let start = text.floor_char_boundary(self.offset);
        if start == text.len() && !text.is_empty() {
            return Ok(self.past_end(text));
        }
        if text.len() - start <= self.limit {
            return copy(&text[start..]);
        }
        let note = |end| {
            format!(
                "\n[bytes {start} to {end} of {}; the next part: {}]",
                text.len(),
                self.next(end)
            )
        };
        // As long as the note can get, since no offset has more digits. The
        // longest address and grep leave half of the smallest limit.
        let room = self.limit - note(text.len()).len();
        let end = text.floor_char_boundary(start + room);
        let mut answer = copy(&text[start..end])?;
        answer.push_str(&note(end));
        Ok(answer)
    }

    /// The places from `offset` on that hold `grep`, as many as fit, each
    /// after the byte it begins at.
    fn matches(&self, text: &str) -> Result<String, Error> {
        let start = text.floor_char_boundary(self.offset);
        if start == text.len() && !text.is_empty() {
            return Ok(self.past_end(text));
        }
        let note = |end| format!("[more from byte {end} on: {}]", self.next(end));
        let room = self.limit - note(text.len()).len();
        let mut answer = String::new();
        // The end of what is shown, and of the last match in it.
        let (mut shown, mut matched) = (start, start);
        for found in Occurrences::new(&self.grep, text, start) {
            if found.end <= shown {
                matched = found.end;
                continue;
            }
            let from = text.ceil_char_boundary(found.end.saturating_sub(BEFORE));
            let from = from.max(found.line).max(shown);
            let window = &text[..text.floor_char_boundary(found.end + AFTER)];
            let to = line_end(window, found.end);
            let place = format!("{from}: ");
            if answer.len() + place.len() + (to - from) + 1 > room {
                answer.push_str(&note(matched));
                return Ok(answer);
            }
            answer.push_str(&place);
            answer.push_str(&text[from..to]);
            answer.push('\n');
            (shown, matched) = (to, found.end);
        }
        if !answer.is_empty() {
            return Ok(answer);
        }
        Ok(format!(
            "No place from byte {start} on, of {}, holds {:?} (case and backslashes do not \
             count). To read the text itself: {}",
            text.len(),
            self.grep,
            json!({ "address": self.address })
        ))
    }

    /// The arguments of the call that goes on at `offset`.
    fn next(&self, offset: usize) -> Value {
        let mut arguments = json!({ "address": self.address, "offset": offset });
        if !self.grep.is_empty() {
            arguments["grep"] = self.grep.as_str().into();
        }
        if self.limit != LIMIT {
            arguments["limit"] = self.limit.into();
        }
        arguments
    }

    fn past_end(&self, text: &str) -> String {
        format!(
            "The text has {} bytes, so nothing follows byte {}. It begins with: {}",
            text.len(),
            self.offset,
            self.next(0)
        )
    }
}

/// A whole number, even one that came as a string or with a fraction.
fn number(fields: &Map<String, Value>, name: &str) -> Result<Option<usize>, String> {
    let parsed = match fields.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    match parsed.filter(|number: &f64| number.is_finite()) {
        // `as` takes a negative number for 0 and a huge one for the largest.
        Some(number) => Ok(Some(number as usize)),
        None => Err(format!(
            "{name} is a number of bytes, for example {{\"address\":\"compaction:h7q2kx3m\",\
             \"{name}\":{LIMIT}}}, and was {}.",
            shortened(&fields[name].to_string())
        )),
    }
}

/// The address in what a model took for one: quoted, in angle brackets, or the
/// card's whole last line.
fn address_in(text: &str) -> Option<&str> {
    let address = with_scheme(text).or_else(|| words(text).next_back())?;
    (address.len() <= LONGEST_ADDRESS).then_some(address)
}

/// The first address in `text` that has its scheme.
fn with_scheme(text: &str) -> Option<&str> {
    words(text).find_map(|word| {
        let at = SCHEMES.iter().find_map(|scheme| word.find(scheme))?;
        Some(&word[at..]).filter(|address| !bare(address).is_empty())
    })
}

/// The stretches of characters that a handle may have, less the full stop of
/// a sentence that one ends.
fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !"._~:/@=+-#".contains(c))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| !word.is_empty())
}

/// The value in one line of what a prune kept, counted from 1: the text that a
/// JSON string means, anything else as it stands.
fn one_value(span: &str, line: usize) -> Result<String, Error> {
    let index = line.checked_sub(1).ok_or_else(not_found)?;
    let line = span.split('\n').nth(index).ok_or_else(not_found)?;
    match serde_json::from_str::<String>(line) {
        Ok(text) => Ok(text),
        Err(_) => copy(line),
    }
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(80)]
}

/// Where the line around byte `from` ends: at a line break, or at one that a
/// JSON string writes as an escape.
fn line_end(text: &str, from: usize) -> usize {
    Plain { text, at: from }
        .find(|letter| letter.char == '\n')
        .map_or(text.len(), |letter| letter.start)
}

/// One place that holds what is looked for.
#[derive(Debug, PartialEq)]
struct Occurrence {
    /// Where its line begins, if the search saw that.
    line: usize,
    end: usize,
}

/// The places where `needle` occurs, overlapping ones too.
///
/// Both sides are compared as [`Plain`] letters. Knuth, Morris and Pratt's
/// search, because it needs no copy of the text and never steps back in it.
struct Occurrences<'a> {
    needle: Vec<char>,
    /// For each length of a matched prefix, the longest shorter prefix that
    /// also ends there.
    fallback: Vec<usize>,
    matched: usize,
    line: usize,
    text: Plain<'a>,
}

impl<'a> Occurrences<'a> {
    fn new(needle: &str, text: &'a str, from: usize) -> Self {
        let needle: Vec<char> = normal(needle).collect();
        let mut fallback = vec![0; needle.len() + 1];
        let mut matched = 0;
        for i in 1..needle.len() {
            while matched > 0 && needle[matched] != needle[i] {
                matched = fallback[matched];
            }
            matched += usize::from(needle[matched] == needle[i]);
            fallback[i + 1] = matched;
        }
        Self {
            needle,
            fallback,
            matched: 0,
            line: from,
            text: Plain { text, at: from },
        }
    }
}

impl Iterator for Occurrences<'_> {
    type Item = Occurrence;

    fn next(&mut self) -> Option<Occurrence> {
        for letter in self.text.by_ref() {
            if letter.char == '\n' {
                self.line = letter.end;
            }
            while self.matched > 0 && self.needle[self.matched] != letter.char {
                self.matched = self.fallback[self.matched];
            }
            self.matched += usize::from(self.needle[self.matched] == letter.char);
            if self.matched == self.needle.len() {
                self.matched = self.fallback[self.matched];
                return Some(Occurrence {
                    line: self.line,
                    end: letter.end,
                });
            }
        }
        None
    }
}

/// JSON text as the letters a reader means by it: escapes undone, in lower
/// case, without the backslashes that strings within strings pile up.
struct Plain<'a> {
    text: &'a str,
    at: usize,
}

/// A letter, and the bytes it stands for.
struct Letter {
    char: char,
    start: usize,
    end: usize,
}

impl Iterator for Plain<'_> {
    type Item = Letter;

    fn next(&mut self) -> Option<Letter> {
        loop {
            let (start, rest) = (self.at, &self.text[self.at..]);
            let (char, len) = match rest.as_bytes() {
                [b'\\', b'n' | b'r', ..] => ('\n', 2),
                [b'\\', b't', ..] => ('\t', 2),
                [b'\\', b'\\', ..] => {
                    self.at += 2;
                    continue;
                }
                [b'\\', ..] => match escaped(rest) {
                    Some((char, len)) => (lower(char), len),
                    None => {
                        self.at += 1;
                        continue;
                    }
                },
                _ => {
                    let char = rest.chars().next()?;
                    (lower(char), char.len_utf8())
                }
            };
            self.at += len;
            return Some(Letter {
                char,
                start,
                end: self.at,
            });
        }
    }
}

/// The character that `text` begins with as a `\u` escape, or as a pair of
/// them, and its length in bytes.
fn escaped(text: &str) -> Option<(char, usize)> {
    let unit =
        |at: usize| u16::from_str_radix(text.get(at..)?.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let units = [unit(0)?].into_iter().chain(unit(6));
    match char::decode_utf16(units).next()? {
        Ok(char) => Some((char, 6 * char.len_utf16())),
        Err(_) => Some((char::REPLACEMENT_CHARACTER, 6)),
    }
}

/// What is looked for, in the letters of [`Plain`].
fn normal(needle: &str) -> impl Iterator<Item = char> {
    needle.chars().filter(|&char| char != '\\').map(lower)
}

/// One letter for one: what lower case makes of two (`İ`) loses its second.
fn lower(char: char) -> char {
    char.to_lowercase().next().unwrap_or(char)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn call(address: &str) -> Call {
        Call {
            address: address.into(),
            grep: String::new(),
            offset: 0,
            limit: LIMIT,
        }
    }

    fn answered(arguments: &str, text: &str) -> String {
        answer(arguments, |_| Ok(text.to_owned())).unwrap()
    }

    /// The arguments of the next call, as a model would copy them.
    fn next_call(answer: &str) -> Option<String> {
        let note = answer.strip_suffix(']')?.rsplit_once('[')?.1;
        Some(note[note.find('{')?..].to_owned())
    }

    #[test]
    fn a_line_of_what_a_prune_kept_is_found() {
        let kept = "\"one\\nline\"\n[{\"type\":\"text\"}]";
        let answered = |address: &str| {
            let load = |bare: &str| {
                assert_eq!(bare, "spill:h7q2kx3m");
                Ok(kept.to_owned())
            };
            answer(&json!({ "address": address }).to_string(), load).unwrap()
        };
        assert_eq!(answered("spill:h7q2kx3m#1"), "one\nline");
        assert_eq!(answered("(spill:h7q2kx3m#2)"), "[{\"type\":\"text\"}]");
        assert_eq!(answered("spill:h7q2kx3m"), kept);
        assert!(answered("spill:h7q2kx3m#3").starts_with("Nothing is held under"));
        assert!(answered("spill:h7q2kx3m#0").starts_with("Nothing is held under"));
    }

    #[test]
    fn an_address_is_found_in_whatever_a_model_sends() {
        for arguments in [
            r#"{"address":"compaction:h7q2kx3m"}"#,
            r#" {"address" : "\"compaction:h7q2kx3m\""}"#,
            r#"{"address":"memory_fetch(\"compaction:h7q2kx3m\")"}"#,
            r#"{"address":"[exact text: memory_fetch(\"compaction:h7q2kx3m\")]"}"#,
            r#"{"address":"<compaction:h7q2kx3m>."}"#,
            r#"{"address":"the address is compaction:h7q2kx3m."}"#,
            r#"{"address":"address=compaction:h7q2kx3m"}"#,
            r#"{"handle":"compaction:h7q2kx3m"}"#,
            r#""{\"address\":\"compaction:h7q2kx3m\"}""#,
            r#""compaction:h7q2kx3m""#,
            r#"memory_fetch("compaction:h7q2kx3m")"#,
            r#"{"address":"compaction:h7q2kx3m""#,
            "compaction:h7q2kx3m",
        ] {
            assert_eq!(
                Call::parse(arguments),
                Ok(call("compaction:h7q2kx3m")),
                "{arguments}"
            );
        }
        for arguments in [
            r#"{"address":"h7q2kx3m"}"#,
            r#"{"address":" 'h7q2kx3m' "}"#,
            r#"{"address":"memory_fetch(\"h7q2kx3m\")"}"#,
            r#"{"address":"compaction: h7q2kx3m"}"#,
            r#""h7q2kx3m""#,
        ] {
            assert_eq!(Call::parse(arguments), Ok(call("h7q2kx3m")), "{arguments}");
        }
    }

    #[test]
    fn numbers_are_taken_as_they_come() {
        let parsed = Call::parse(
            r#"{"address":"spill:h7q2kx3m","grep":404,"offset":" 12 ","limit":5000.7}"#,
        );
        let expected = Call {
            grep: "404".into(),
            offset: 12,
            limit: 5000,
            ..call("spill:h7q2kx3m")
        };
        assert_eq!(parsed, Ok(expected));
        let parsed = Call::parse(r#"{"address":"h7q2kx3m","grep":null,"offset":-3,"limit":1e400}"#);
        assert!(
            parsed
                .unwrap_err()
                .starts_with("limit is a number of bytes")
        );
        let parsed = Call::parse(r#"{"address":"h7q2kx3m","grep":"\\","offset":-3,"limit":1}"#);
        let expected = Call {
            limit: *LIMITS.start(),
            ..call("h7q2kx3m")
        };
        assert_eq!(parsed, Ok(expected));
        let parsed = Call::parse(r#"{"address":"h7q2kx3m","limit":99999999}"#);
        assert_eq!(parsed.unwrap().limit, *LIMITS.end());
    }

    #[test]
    fn bad_arguments_are_answered_with_a_good_call() {
        let load = |_: &str| -> Result<String, Error> { panic!("there is no address to load") };
        let long = format!(r#"{{"address":"h7q2kx3m","grep":"{}"}}"#, "x".repeat(257));
        let huge = " ".repeat(LONGEST_ARGUMENTS + 1);
        for (arguments, expected) in [
            ("", "needs the address"),
            ("{}", "needs the address"),
            ("[1]", "needs the address"),
            (r#"{"address":7}"#, "needs the address"),
            (r#"{"address":"\"\""}"#, "needs the address"),
            (
                r#"{"address":"h7q2kx3m","offset":"start"}"#,
                r#"was "start""#,
            ),
            (r#"{"address":"h7q2kx3m","offset":[1]}"#, "was [1]"),
            (&long, "takes up to 256"),
            (&huge, "which no call needs"),
        ] {
            let text = answer(arguments, load).unwrap();
            assert!(text.contains(expected), "{arguments} -> {text}");
        }
    }

    #[test]
    fn an_unknown_address_is_answered_without_sending_the_model_away() {
        let text = answer(r#"{"address":"nosuch"}"#, |_| Err(not_found())).unwrap();
        assert!(
            text.contains("\"nosuch\"") && text.contains("last line of a card"),
            "{text}"
        );
        let failed = Error::new(ErrorKind::Store, "disk");
        let text = answer(r#"{"address":"nosuch"}"#, |_| Err(failed)).unwrap();
        assert!(text.contains("cannot be read at the moment"), "{text}");
        let memory = answer(r#"{"address":"nosuch"}"#, |_| Err(Error::memory()));
        assert_eq!(memory.unwrap_err().kind, ErrorKind::Memory);
    }

    #[test]
    fn a_short_text_comes_whole_and_alone() {
        assert_eq!(answered(r#"{"address":"a"}"#, "{\"é\":1}\n"), "{\"é\":1}\n");
        let fits = "x".repeat(LIMIT);
        assert_eq!(answered(r#"{"address":"a"}"#, &fits), fits);
        assert_eq!(answered(r#"{"address":"a","offset":2}"#, "aéb"), "éb");
    }

    #[test]
    fn past_the_end_the_length_is_told() {
        let text = answered(r#"{"address":"a","offset":9}"#, "12345678");
        assert!(
            text.contains("has 8 bytes") && text.contains(r#""offset":0"#),
            "{text}"
        );
        let text = answered(r#"{"address":"a","offset":8,"grep":"x"}"#, "12345678");
        assert!(text.contains("has 8 bytes"), "{text}");
    }

    #[test]
    fn grep_shows_each_place_with_its_offset() {
        let text = "{\"content\":\"first\\nThe Port is \\\"8443\\\"\\nlast\"}\n{\"path\":\"C:\\\\Users\\\\Zo\\u00eb\"}\n";
        let found =
            |needle: &str| answered(&json!({ "address": "a", "grep": needle }).to_string(), text);
        assert_eq!(found("port is"), "19: The Port is \\\"8443\\\"\n");
        assert_eq!(found("IS \"8443\""), "19: The Port is \\\"8443\\\"\n");
        assert_eq!(
            found("c:\\users\\zoë"),
            "48: {\"path\":\"C:\\\\Users\\\\Zo\\u00eb\"}\n"
        );
        assert_eq!(found("first\nthe"), "19: The Port is \\\"8443\\\"\n");
        assert!(found("nowhere").contains("No place from byte 0 on"));
    }

    #[test]
    fn escapes_mean_their_characters() {
        let letters = |text| {
            Plain { text, at: 0 }
                .map(|letter| letter.char)
                .collect::<String>()
        };
        assert_eq!(letters(r"A\tB\nC\/D\\\\E"), "a\tb\nc/de");
        assert_eq!(
            letters(r"\ud83d\ude00 \ud83d \u00C9 \u12"),
            "😀 \u{fffd} é u12"
        );
        assert_eq!(letters("\\"), "");
    }

    #[test]
    fn the_longest_notes_leave_room_for_a_match() {
        let address = "a".repeat(LONGEST_ADDRESS);
        let grep = "\u{1}".repeat(LONGEST_GREP);
        let text = format!("{}{grep}", "x".repeat(400)).repeat(100);
        let arguments = json!({ "address": address, "grep": grep, "limit": 1 }).to_string();
        let first = answered(&arguments, &text);
        assert!(first.len() <= *LIMITS.start(), "{}", first.len());
        assert!(next_call(&first).unwrap().contains("\"offset\":"));
    }

    #[test]
    fn definitions_stand_as_each_provider_wants_them() {
        let parse = |format| -> Value {
            serde_json::from_str(&tool_json(format, "recall").unwrap()).unwrap()
        };
        let keys = |value: &Value| {
            value
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };

        let chat = parse(Wire::Chat);
        assert_eq!(keys(&chat), ["function", "type"]);
        assert_eq!(
            keys(&chat["function"]),
            ["description", "name", "parameters"]
        );
        let anthropic = parse(Wire::Anthropic);
        assert_eq!(keys(&anthropic), ["description", "input_schema", "name"]);
        let responses = parse(Wire::Responses);
        assert_eq!(
            keys(&responses),
            ["description", "name", "parameters", "strict", "type"]
        );
        assert_eq!(responses["strict"], false);
        let gemini = parse(Wire::Gemini);
        assert_eq!(keys(&gemini), ["description", "name", "parameters"]);

        for (format, definition, parameters) in [
            (Wire::Chat, &chat["function"], "parameters"),
            (Wire::Anthropic, &anthropic, "input_schema"),
            (Wire::Responses, &responses, "parameters"),
            (Wire::Gemini, &gemini, "parameters"),
        ] {
            assert_eq!(definition["name"], "recall");
            assert!(
                definition["description"]
                    .as_str()
                    .unwrap()
                    .contains("recall(\"compaction:")
            );
            let schema = &definition[parameters];
            let types = match format {
                Wire::Gemini => ["OBJECT", "STRING", "INTEGER"],
                _ => ["object", "string", "integer"],
            };
            assert_eq!(schema["type"], types[0]);
            assert_eq!(schema["required"], json!(["address"]));
            for (name, kind) in [("address", 1), ("grep", 1), ("offset", 2), ("limit", 2)] {
                let property = &schema["properties"][name];
                assert_eq!(property["type"], types[kind]);
                assert_eq!(keys(property), ["description", "type"]);
            }
            assert_eq!(keys(&schema["properties"]).len(), 4);
        }
    }

    /// The plain way: each line by itself, lower-cased.
    fn lines_with(text: &str, needle: &str) -> usize {
        let needle = needle.to_lowercase();
        text.lines()
            .filter(|line| line.to_lowercase().contains(&needle))
            .count()
    }

    proptest! {
        #[test]
        fn parts_put_together_are_the_text(
            piece in "[a-zé😀\n\"]{1,40}", times in 1usize..2000, limit in 0usize..9000,
        ) {
            let text = piece.repeat(times);
            let mut arguments = json!({ "address": "compaction:h", "limit": limit }).to_string();
            let mut joined = String::new();
            loop {
                let answer = answered(&arguments, &text);
                prop_assert!(answer.len() <= limit.clamp(*LIMITS.start(), *LIMITS.end()));
                match next_call(&answer) {
                    Some(next) => {
                        joined.push_str(answer.rsplit_once("\n[bytes ").unwrap().0);
                        arguments = next;
                    }
                    None => {
                        joined.push_str(&answer);
                        break;
                    }
                }
            }
            prop_assert_eq!(joined, text);
        }

        #[test]
        fn grep_finds_what_a_plain_search_finds(
            lines in proptest::collection::vec("[abAé ]{0,12}", 0..400), needle in "[abAé]{1,3}",
        ) {
            let text = lines.join("\n");
            prop_assume!(!text.is_empty());
            let mut arguments =
                json!({ "address": "h", "grep": needle, "limit": 1 }).to_string();
            let mut seen = std::collections::BTreeSet::new();
            loop {
                let answer = answered(&arguments, &text);
                for line in answer.lines().filter(|line| !line.starts_with('[')) {
                    let Some((offset, shown)) = line.split_once(": ") else { continue };
                    let Ok(offset) = offset.parse::<usize>() else { continue };
                    prop_assert!(text[offset..].starts_with(shown));
                    seen.insert(text[..offset].matches('\n').count());
                }
                match next_call(&answer) {
                    Some(next) => arguments = next,
                    None => break,
                }
            }
            prop_assert_eq!(seen.len(), lines_with(&text, &needle));
        }
    }
}
