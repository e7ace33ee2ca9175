//! Content as OpenAI and Anthropic write it: a string, or a list of typed parts.

use super::{Body, Facts, Medium};
use crate::buffer::Buffer;
use crate::card;
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
pub(super) struct Part<'a> {
    pub(super) kind: Option<Text<'a>>,
    pub(super) text: Option<Text<'a>>,
    /// Something stands in it beside type, text and cache_control.
    pub(super) more: bool,
}

impl<'a> Part<'a> {
    /// The text of a part that is text.
    pub(super) fn words(self) -> Option<Text<'a>> {
        self.text.filter(|_| self.kind.is_some_and(is_text))
    }
}

/// Hands each part of a checked list to `each`.
pub(super) fn each<'a>(list: Raw<'a>, mut each: impl FnMut(Part<'a>)) {
    // The list was checked when it was first read, so nothing can fail here.
    let _ = list.reader().array(|r| {
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
        each(part);
        Ok(())
    });
}

/// Adds the texts of a message's content to its prose.
pub(super) fn prose<'a>(content: Raw<'a>, into: &mut Vec<Text<'a>>) {
    match content.text() {
        Some(text) => into.push(text),
        None => each(content, |part| into.extend(part.words())),
    }
    into.retain(|text| !text.is_empty());
}

/// The content's text, where it is one text and nothing else.
pub(super) fn single_text(content: Raw<'_>) -> Option<Text<'_>> {
    if content.text().is_some() {
        return content.text();
    }
    let (mut count, mut single) = (0, None);
    if content.is_array() {
        each(content, |part| {
            count += 1;
            single = part.words();
        });
    }
    single.filter(|_| count == 1)
}

/// What a result's content holds.
pub(super) fn body(content: Raw<'_>) -> Body<'_> {
    let mut body = Body::default();
    if let Some(text) = content.text() {
        body.texts.push(text);
    } else if content.is_array() {
        each(content, |part| match (part.words(), part.kind) {
            (Some(text), _) => body.texts.push(text),
            (None, Some(kind)) => body.others.push(medium(kind)),
            (None, None) => body.texts.extend(part.text),
        });
    } else if !content.is_null() {
        body.json = Some(content);
    }
    body
}

/// Notes the text of a message that may be a card: exactly one text that
/// begins as one.
pub(super) fn card<'a>(content: Raw<'a>, facts: &mut Facts<'a>) {
    let text = if content.text().is_some() {
        content.text()
    } else if content.is_array() && card::is_marked(content.as_str()) {
        let (mut count, mut single) = (0, None);
        each(content, |part| {
            count += 1;
            single = part.words().filter(|_| !part.more);
        });
        single.filter(|_| count == 1)
    } else {
        None
    };
    facts.card = text.filter(|text| card::begins(*text));
}

/// Writes a text in the shape of a content: a list of one part for a list.
pub(super) fn write_result(like: Raw<'_>, kind: &str, text: &str, out: &mut Buffer) {
    if !like.is_array() {
        return out.push_json(text);
    }
    out.push(r#"[{"type":""#);
    out.push(kind);
    out.push(r#"","text":"#);
    out.push_json(text);
    out.push("}]");
}
