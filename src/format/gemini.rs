//! Gemini contents: a role and a list of parts, in camelCase as the API writes
//! them or in snake_case as its Python library does.
//!
//! Calls need no ids; those without pair by position. A part's thought
//! signature stays with its part. <https://ai.google.dev/api/caching#Content>

use super::{Answer, Body, Call, CardMessage, Facts, Format, Medium, Role};
use crate::buffer::{Buffer, push};
use crate::card;
use crate::config::Form;
use crate::error::Error;
use crate::json::{Raw, Reader, Text};

pub(super) struct Gemini;

/// What Google documents for calls that no model made, where signatures are
/// checked. <https://ai.google.dev/gemini-api/docs/thought-signatures>
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// What a list of parts holds.
#[derive(Default)]
struct Parts<'a> {
    calls: usize,
    results: usize,
    others: usize,
    /// The last part's text, if the part is nothing else.
    text: Option<Text<'a>>,
}

impl Format for Gemini {
    fn read<'a>(&self, reader: &mut Reader<'a>, facts: &mut Facts<'a>) -> Result<(), Error> {
        let mut role = None;
        let mut parts = Parts::default();
        let value = reader.object(|r, key| {
            match key {
                "role" => role = Some(r.skip()?),
                "parts" => {
                    facts.calls.clear();
                    facts.results.clear();
                    facts.prose.clear();
                    parts = Parts::default();
                    r.array(|r| read_part(r, &mut parts, facts))?;
                }
                "id" | "type" | "status" | "cache_control" => drop(r.skip()?),
                _ => {
                    facts.bare = false;
                    r.skip()?;
                }
            }
            Ok(())
        })?;
        if !value.is_object() {
            return Ok(());
        }
        let is = |name: &str| role.and_then(Raw::text).is_some_and(|role| role.is(name));
        let is_model = is("model");
        if is_model && parts.calls > 0 {
            facts.role = Role::Calls;
            facts.bare &= parts.results + parts.others == 0;
            facts.results.clear();
            return Ok(());
        }
        facts.calls.clear();
        if !is_model && parts.results > 0 && parts.others + parts.calls == 0 {
            facts.role = Role::Results;
            if let ([answer], true) = (facts.results.as_slice(), facts.bare) {
                let text = answer.content.and_then(|content| self.single_text(content));
                facts.card = text.filter(|text| card::begins(*text));
            }
            return Ok(());
        }
        facts.results.clear();
        // The API takes a missing role for a user's.
        if role.is_none_or(Raw::is_null) || is("user") {
            facts.role = Role::User;
        } else if !is_model {
            return Ok(());
        }
        if facts.bare && parts.others == 1 && parts.calls + parts.results == 0 {
            facts.card = parts.text.filter(|text| card::begins(*text));
        }
        Ok(())
    }

    fn body<'a>(&self, content: Raw<'a>) -> Result<Body<'a>, Error> {
        let response = read_response(content)?;
        let mut body = Body {
            failed: response.error,
            others: response.media,
            ..Body::default()
        };
        match response.only.map(|(key, value)| (key, value, value.text())) {
            Some((_, _, Some(text))) => body.add(text)?,
            Some((Key::Output | Key::Error, value, None)) => body.json = Some(value),
            _ => body.json = response.whole,
        }
        Ok(body)
    }

    fn single_text<'a>(&self, content: Raw<'a>) -> Option<Text<'a>> {
        let response = read_response(content).ok()?;
        let (key, value) = response.only.filter(|_| response.media.is_empty())?;
        value.text().filter(|_| key == Key::Output)
    }

    /// The `response` alone: name, id and parts stay.
    fn result_value<'a>(&self, answer: &Answer<'a>) -> Option<Raw<'a>> {
        read_response(answer.content?).ok()?.whole
    }

    fn result_media<'a>(&self, answer: &Answer<'a>) -> Option<Raw<'a>> {
        read_response(answer.content?).ok()?.parts
    }

    /// Under `output`, also for what stood under `error`: the text says that
    /// the tool failed, and a one-lined result is looked for there.
    fn write_result(&self, _: Raw<'_>, text: &str, out: &mut Buffer) {
        out.push(r#"{"output":"#);
        out.push_json(text);
        out.push("}");
    }

    fn member(&self) -> &'static str {
        "contents"
    }

    fn write_card(&self, card: &CardMessage<'_>, out: &mut Buffer) -> &'static str {
        let role = match card.form {
            Form::User => "user",
            Form::Assistant => "model",
            Form::Tool => {
                // Ids only where the document's own calls have them.
                let id = match card.like.calls.iter().any(|call| call.id.is_some()) {
                    true => [r#""id":""#, card.call_id, r#"","#],
                    false => [""; 3],
                };
                let signature = match card.signed {
                    true => [r#","thoughtSignature":""#, NO_SIGNATURE, r#"""#],
                    false => [""; 3],
                };
                let name = [r#""name":""#, card.fetch_tool];
                for pieces in [
                    &[r#"{"role":"model","parts":[{"functionCall":{"#][..],
                    &id,
                    &name,
                    &[r#"","args":{"address":"compaction:"#, card.handle, r#""}}"#],
                    &signature,
                    &["}]}", card.separator],
                    &[r#"{"role":"user","parts":[{"functionResponse":{"#],
                    &id,
                    &name,
                    &[r#"","response":{"output":"#],
                ] {
                    out.push_all(pieces);
                }
                return "}}}]}";
            }
        };
        out.push_all(&[r#"{"role":""#, role, r#"","parts":[{"text":"#]);
        "}]}"
    }
}

/// One part of a content.
fn read_part<'a>(
    reader: &mut Reader<'a>,
    parts: &mut Parts<'a>,
    facts: &mut Facts<'a>,
) -> Result<(), Error> {
    let (mut call, mut response, mut text) = (None, None, None);
    let (mut thought, mut signed, mut more) = (false, false, false);
    reader.object(|r, key| {
        match key {
            "text" => text = r.skip()?.text(),
            "functionCall" | "function_call" => call = read_call(r)?,
            "functionResponse" | "function_response" => response = read_answer(r)?,
            "thought" => thought = r.skip()?.is_true(),
            "thoughtSignature" | "thought_signature" => signed = !r.skip()?.is_null(),
            _ => {
                more = true;
                r.skip()?;
            }
        }
        Ok(())
    })?;
    facts.reasoning |= thought || signed;
    if let Some(call) = call {
        parts.calls += 1;
        facts.bare &= text.is_none() && !more;
        push(&mut facts.calls, call)?;
    } else if let Some(answer) = response {
        parts.results += 1;
        facts.bare &= text.is_none() && !more;
        push(&mut facts.results, answer)?;
    } else {
        parts.others += 1;
        parts.text = text.filter(|_| !thought && !signed && !more);
        if let Some(text) = text.filter(|text| !thought && !text.is_empty()) {
            push(&mut facts.prose, text)?;
        }
    }
    Ok(())
}

fn read_call<'a>(reader: &mut Reader<'a>) -> Result<Option<Call<'a>>, Error> {
    let (mut id, mut name, mut arguments) = (None, None, None);
    let value = reader.object(|r, key| {
        match key {
            "id" => id = r.skip()?.text().filter(|id| !id.is_empty()),
            "name" => name = r.skip()?.text(),
            "args" => arguments = Some(r.skip()?),
            _ => drop(r.skip()?),
        }
        Ok(())
    })?;
    Ok(is_filled(value).then_some(Call {
        id,
        name,
        arguments,
    }))
}

fn read_answer<'a>(reader: &mut Reader<'a>) -> Result<Option<Answer<'a>>, Error> {
    let mut id = None;
    let value = reader.object(|r, key| {
        let value = r.skip()?;
        if key == "id" {
            id = value.text().filter(|id| !id.is_empty());
        }
        Ok(())
    })?;
    Ok(is_filled(value).then_some(Answer {
        id,
        content: Some(value),
        failed: false,
    }))
}

/// Whether a value is an object with something in it.
fn is_filled(value: Raw<'_>) -> bool {
    value.is_object() && !value.as_str()[1..].trim_ascii_start().starts_with('}')
}

/// What data of a MIME type is.
fn medium_of(mime: Text<'_>) -> Medium<'_> {
    match mime.raw().split_once('/') {
        Some(("image", _)) => Medium::Image,
        Some(("audio", _)) => Medium::Audio,
        Some(("application", "pdf")) => Medium::Document,
        _ => Medium::Named(mime),
    }
}

/// What a response's only member is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    /// `output` or `result`, where the API looks for what a function returned.
    Output,
    /// `error`, where it looks for what went wrong.
    Error,
    Other,
}

/// What a `functionResponse` says.
#[derive(Default)]
struct Response<'a> {
    whole: Option<Raw<'a>>,
    /// The member of `response`, if there is exactly one.
    only: Option<(Key, Raw<'a>)>,
    error: bool,
    /// The list of what came with it, and the pictures and documents in it.
    parts: Option<Raw<'a>>,
    media: Vec<Medium<'a>>,
}

/// Reads a `functionResponse`.
fn read_response(function_response: Raw<'_>) -> Result<Response<'_>, Error> {
    let mut said = Response::default();
    function_response.reader().object(|r, key| {
        match key {
            "response" => {
                let (mut members, mut only) = (0, None);
                said.error = false;
                let value = r.object(|r, key| {
                    let key = match key {
                        "output" | "result" => Key::Output,
                        "error" => Key::Error,
                        _ => Key::Other,
                    };
                    let value = r.skip()?;
                    said.error |= key == Key::Error && !value.is_null();
                    only = Some((key, value));
                    members += 1;
                    Ok(())
                })?;
                said.whole = Some(value);
                said.only = only.filter(|_| members == 1);
            }
            "parts" => {
                said.media.clear();
                let parts = r.array(|r| {
                    r.object(|r, key| match key {
                        "inlineData" | "inline_data" | "fileData" | "file_data" => {
                            read_medium(r, &mut said.media)
                        }
                        _ => r.skip().map(drop),
                    })
                    .map(drop)
                })?;
                said.parts = Some(parts).filter(|parts| parts.is_array());
            }
            _ => drop(r.skip()?),
        }
        Ok(())
    })?;
    Ok(said)
}

/// The data of one part.
fn read_medium<'a>(reader: &mut Reader<'a>, media: &mut Vec<Medium<'a>>) -> Result<(), Error> {
    let data = reader.object(|r, key| {
        let value = r.skip()?;
        match value.text() {
            Some(mime) if matches!(key, "mimeType" | "mime_type") => push(media, medium_of(mime)),
            _ => Ok(()),
        }
    });
    data.map(drop)
}
