//! Content as OpenAI and Anthropic write it: a string, or a list of typed parts.

use super::{Body, Facts, Medium};
use crate::buffer::{Buffer, push};
use crate::card;
use crate::error::Error;
use crate::json::{Raw, Text};

/// Whether a part's type is one of text.
fn is_text(kind: Text<'_>) -> bool {
    kind.is("text") || kind.is("input_text") || kind.is("output_text")
}

/// What a part of a type that is not text is.
fn medium(kind: Text<'_>) -> Medium<'_> {
    let any = |types: &[&str]| types.iter().any(|name| kind.is(name));
    if any(&["image", "image_url", "input_image"]) {
        Medium::Image
    } else if any(&["document", "file", "input_file"]) {
        Medium::Document
    } else if any(&["audio", "input_audio"]) {
        Medium::Audio
    } else {
        Medium::Named(kind)
    }
}

/// One part of a list: its type and its text.
#[derive(Default, Clone, Copy)]
struct Part<'a> {
    kind: Option<Text<'a>>,
    text: Option<Text<'a>>,
    /// Something stands in it beside type, text and cache_control.
    more: bool,
}

impl<'a> Part<'a> {
    /// The text of a part that is text.
    fn words(self) -> Option<Text<'a>> {
        self.text.filter(|_| self.kind.is_some_and(is_text))
    }

    /// The same, if nothing stands beside it that a card has not.
    fn words_alone(self) -> Option<Text<'a>> {
        self.words().filter(|_| !self.more)
    }
}

/// Hands each part of a list to `each`.
fn each<'a>(
    list: Raw<'a>,
    mut each: impl FnMut(Part<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    list.reader().array(|r| {
        let mut part = Part::default();
        let value = r.object(|r, key| {
            match key {
                "type" => part.kind = r.skip()?.text(),
                "text" => part.text = r.skip()?.text(),
                "cache_control" => drop(r.skip()?),
                "annotations" | "logprobs" => part.more |= r.skip()?.is_filled_array(),
                _ => {
                    part.more = true;
                    r.skip()?;
                }
            }
            Ok(())
        })?;
        // A bare string in a list of parts is a text to those who write it.
        if let Some(text) = value.text() {
            part.text = Some(text);
        }
        each(part)
    })?;
    Ok(())
}

/// Adds the texts of a message's content to its prose.
pub(super) fn prose<'a>(content: Raw<'a>, into: &mut Vec<Text<'a>>) -> Result<(), Error> {
    let mut add = |text: Option<Text<'a>>| match text.filter(|text| !text.is_empty()) {
        Some(text) => push(into, text),
        None => Ok(()),
    };
    if content.is_array() {
        each(content, |part| add(part.words()))
    } else {
        add(content.text())
    }
}

/// The one part of a list that has no other.
fn lone_part(content: Raw<'_>) -> Option<Part<'_>> {
    if !content.is_array() {
        return None;
    }
    let (mut count, mut lone) = (0, Part::default());
    let read = each(content, |part| {
        count += 1;
        lone = part;
        Ok(())
    });
    (read.is_ok() && count == 1).then_some(lone)
}

/// The content's text, where it is one text and nothing else.
pub(super) fn single_text(content: Raw<'_>) -> Option<Text<'_>> {
    content.text().or_else(|| lone_part(content)?.words())
}

/// What a result's content holds.
pub(super) fn body(content: Raw<'_>) -> Result<Body<'_>, Error> {
    let mut body = Body::default();
    if let Some(text) = content.text() {
        body.add(text)?;
    } else if content.is_array() {
        each(content, |part| match (part.words(), part.kind, part.text) {
            (Some(text), _, _) | (None, None, Some(text)) => body.add(text),
            (None, Some(kind), _) => push(&mut body.others, medium(kind)),
            (None, None, None) => Ok(()),
        })?;
    } else if !content.is_null() {
        body.json = Some(content);
    }
    Ok(body)
}

/// Notes the text of a message that may be a card: exactly one text that
/// begins as one.
pub(super) fn card<'a>(content: Raw<'a>, facts: &mut Facts<'a>) {
    let text = content.text().or_else(|| {
        let part = Some(content).filter(|content| card::is_marked(content.as_str()));
        lone_part(part?)?.words_alone()
    });
    facts.card = text.filter(|text| card::begins(*text));
}

/// Writes a text in the shape of a content: a list of one part for a list.
pub(super) fn write_result(like: Raw<'_>, kind: &str, text: &str, out: &mut Buffer) {
    if !like.is_array() {
        return out.push_json(text);
    }
    out.push_all(&[r#"[{"type":""#, kind, r#"","text":"#]);
    out.push_json(text);
    out.push("}]");
}
