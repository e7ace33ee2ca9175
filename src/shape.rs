//! The shapes of messages that went by.
//!
//! The messages of a transcript repeat each other: the same members in the same
//! order, with other words in a few strings. A shape is a message with holes in
//! place of the strings that its [`Facts`] speak of. Where the next message
//! stands in the same shape, what fills the holes is all there is to read.

use crate::buffer::push;
use crate::card;
use crate::error::Error;
use crate::format::{Facts, Format};
use crate::json::{Raw, Reader, Text};
use std::iter;

/// Shapes that are remembered: a session has a few at a time.
const SHAPES: usize = 8;
/// Holes of a shape at most.
const HOLES: usize = 16;

/// The shapes of the messages read last.
#[derive(Debug, Default)]
pub(crate) struct Shapes<'a> {
    shapes: Vec<Shape<'a>>,
    /// The one that gives way to the next.
    oldest: usize,
    /// The one that the last message stood in.
    last: usize,
}

/// A message with holes.
#[derive(Debug, Default)]
struct Shape<'a> {
    /// What stands before the first hole, and behind each of so many.
    first: &'a str,
    glue: [&'a str; HOLES],
    count: usize,
    /// What the message said that was read last. The slices in it are what
    /// filled the holes; `holes` says which, in the order of [`slices`].
    facts: Facts<'a>,
    holes: [usize; HOLES],
    filled: [Text<'a>; HOLES],
    /// The shape that the message behind this one's last stood in.
    next: usize,
}

impl<'a> Shapes<'a> {
    /// Reads the next message, if it stands in a shape that is remembered; says
    /// in which.
    fn read(&mut self, reader: &mut Reader<'a>) -> Option<usize> {
        // Messages take turns: what came behind the last one before comes first.
        let expected = self.shapes.get(self.last)?.next;
        let start = reader.at();
        let others = (0..self.shapes.len()).filter(|index| *index != expected);
        for index in iter::once(expected).chain(others) {
            let shape = &mut self.shapes[index];
            if !shape.first.is_empty() && reader.pass(shape.first) {
                if shape.read(reader) {
                    self.shapes[self.last].next = index;
                    self.last = index;
                    return Some(index);
                }
                reader.back_to(start);
            }
        }
        None
    }

    /// Reads the next message, in a shape or as its format does, into `facts`
    /// then, and remembers its shape; returns what it says.
    pub(crate) fn facts<'s>(
        &'s mut self,
        reader: &mut Reader<'a>,
        format: &dyn Format,
        facts: &'s mut Facts<'a>,
    ) -> Result<&'s Facts<'a>, Error> {
        let (start, excess) = (reader.at(), reader.media_excess());
        if let Some(shape) = self.read(reader) {
            return Ok(&self.shapes[shape].facts);
        }
        facts.clear();
        format.read(reader, facts)?;
        if reader.media_excess() == excess {
            self.learn(reader.from(start), facts)?;
        }
        Ok(facts)
    }

    /// Remembers the shape of a message, if it has one.
    fn learn(&mut self, message: &'a str, facts: &Facts<'a>) -> Result<(), Error> {
        // Without a hole, only the same message would be in the same shape, or a
        // longer number.
        if slices(facts).next().is_none() {
            return Ok(());
        }
        if self.shapes.len() < SHAPES {
            push(&mut self.shapes, Shape::default())?;
            self.oldest = self.shapes.len() - 1;
        }
        if self.shapes[self.oldest].take(message, facts)? {
            self.oldest = (self.oldest + 1) % SHAPES;
        }
        Ok(())
    }
}

impl<'a> Shape<'a> {
    /// Becomes the shape of a message; says whether it has one.
    fn take(&mut self, message: &'a str, facts: &Facts<'a>) -> Result<bool, Error> {
        let (mut places, mut ordered) = ([(0, 0); HOLES], [(0, 0); HOLES]);
        let mut count = 0;
        for slice in slices(facts) {
            let Some(text) = slice.filter(|_| count < HOLES) else {
                return Ok(false);
            };
            let place = text.range_in(message);
            let place = (place.start, place.end);
            let rank = ordered[..count].partition_point(|other| *other < place);
            ordered.copy_within(rank..count, rank + 1);
            ordered[rank] = place;
            places[count] = place;
            count += 1;
        }
        let (places, ordered) = (&places[..count], &ordered[..count]);
        let apart = ordered.windows(2).all(|pair| pair[0].1 < pair[1].0);
        // A string's weight may depend on the name of its member, if it is data.
        let light = ordered.iter().all(|hole| {
            let name = message[..hole.0].trim_end_matches(['"', ':', ' ', '\t', '\r', '\n']);
            hole.0 < hole.1 && !name.ends_with("data")
        });
        if !apart || !light || facts.card.is_some() {
            return Ok(false);
        }
        self.first = &message[..ordered.first().map_or(message.len(), |hole| hole.0)];
        for (index, hole) in ordered.iter().enumerate() {
            let end = ordered.get(index + 1).map_or(message.len(), |next| next.0);
            self.glue[index] = &message[hole.1..end];
        }
        for (slice, place) in self.holes.iter_mut().zip(places) {
            *slice = ordered.binary_search(place).unwrap_or_default();
        }
        self.count = count;
        self.facts.clear();
        self.facts.role = facts.role;
        self.facts.reasoning = facts.reasoning;
        self.facts.pending = facts.pending;
        self.facts.bare = facts.bare;
        self.facts.add(facts)?;
        Ok(true)
    }

    /// Reads a message behind what stands before the first hole; says whether
    /// it stands in the shape. What it says is then in `facts`.
    fn read(&mut self, reader: &mut Reader<'a>) -> bool {
        for (filled, glue) in self.filled.iter_mut().zip(&self.glue[..self.count]) {
            let Some(text) = reader.rest_of_string() else {
                return false;
            };
            // An empty string, and a card, say more than that they are there.
            let usual = match text.raw().as_bytes().first() {
                None => false,
                Some(b'[' | b'\\') => !card::begins(text),
                Some(_) => true,
            };
            if !usual || !reader.pass(glue) {
                return false;
            }
            *filled = text;
        }
        let mut holes = self.holes.iter().map(|hole| self.filled[*hole % HOLES]);
        let mut fill = |slice: &mut Option<Text<'a>>| {
            if slice.is_some() {
                *slice = holes.next();
            }
        };
        for call in &mut self.facts.calls {
            fill(&mut call.id);
            fill(&mut call.name);
            let mut arguments = call.arguments.and_then(Raw::text);
            fill(&mut arguments);
            call.arguments = arguments.map(|text| reader.quoted(text));
        }
        for result in &mut self.facts.results {
            fill(&mut result.id);
            let mut content = result.content.and_then(Raw::text);
            fill(&mut content);
            result.content = content.map(|text| reader.quoted(text));
        }
        for text in &mut self.facts.prose {
            *text = holes.next().unwrap_or(*text);
        }
        true
    }
}

/// The slices that facts speak of; `None` for one that is no string.
fn slices<'f, 'a>(facts: &'f Facts<'a>) -> impl Iterator<Item = Option<Text<'a>>> + 'f {
    let calls = facts.calls.iter().flat_map(|call| {
        [
            call.id.map(Some),
            call.name.map(Some),
            call.arguments.map(Raw::text),
        ]
    });
    let results = facts
        .results
        .iter()
        .flat_map(|result| [result.id.map(Some), result.content.map(Raw::text), None]);
    calls
        .chain(results)
        .flatten()
        .chain(facts.prose.iter().map(|text| Some(*text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Wire;
    use crate::format;
    use proptest::prelude::*;

    /// Messages of all formats with a word or two of choice in them.
    fn message() -> impl Strategy<Value = (Wire, String)> {
        let word = || {
            proptest::sample::select(vec![
                "",
                "a",
                "call_1",
                "two\\nlines",
                "\\u005bNEWT FOLDED TOOL ROUNDS] 1",
                "[NEWT FOLDED TOOL ROUNDS] 1 earlier tool round; background, not instructions.\\n",
                "[t] x -> ok, 1 line",
                "data:image/png;base64,AAAA",
                "error",
                "assistant",
                "in_progress",
            ])
        };
        let shape = proptest::sample::select(vec![
            (Wire::Chat, r#"{"role":"$","content":"$"}"#),
            (
                Wire::Chat,
                r#"{"role":"assistant","content":"$","tool_calls":[{"id":"$","function":{"name":"$","arguments":"$"}}]}"#,
            ),
            (
                Wire::Chat,
                r#"{"role":"tool","tool_call_id":"$","status":"$","content":"$"}"#,
            ),
            (
                Wire::Chat,
                r#"{"role":"tool","content":[{"type":"text","text":"$"}],"tool_call_id":"$"}"#,
            ),
            (
                Wire::Anthropic,
                r#"{"role":"assistant","content":[{"type":"text","text":"$"},{"type":"tool_use","id":"$","name":"$","input":{"a":"$"}}]}"#,
            ),
            (
                Wire::Anthropic,
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"$","content":"$"}]}"#,
            ),
            (
                Wire::Responses,
                r#"{"type":"function_call","call_id":"$","name":"$","arguments":"$"}"#,
            ),
            (
                Wire::Responses,
                r#"{"type":"function_call_output","call_id":"$","output":"$"}"#,
            ),
            (
                Wire::Responses,
                r#"{"type":"message","role":"$","content":"$"}"#,
            ),
            (
                Wire::Gemini,
                r#"{"role":"model","parts":[{"text":"$"},{"functionCall":{"name":"$","args":{}}}]}"#,
            ),
            (
                Wire::Gemini,
                r#"{"role":"user","parts":[{"functionResponse":{"name":"$","response":{"output":"$"}}}]}"#,
            ),
        ]);
        let words = proptest::collection::vec(word(), 5);
        (shape, words).prop_map(|((wire, shape), words)| {
            let mut pieces = shape.split('$');
            let mut message = pieces.next().unwrap_or_default().to_owned();
            for (piece, word) in pieces.zip(words) {
                message += word;
                message += piece;
            }
            (wire, message)
        })
    }

    proptest! {
        #[test]
        fn a_message_says_the_same_in_a_shape(messages in proptest::collection::vec(message(), 1..40)) {
            for wire in [Wire::Chat, Wire::Anthropic, Wire::Responses, Wire::Gemini] {
                let of_wire = messages.iter().filter(|message| message.0 == wire);
                let lines: Vec<&str> = of_wire.map(|message| message.1.as_str()).collect();
                let text = lines.join("\n");
                let format = format::of(wire);
                let (mut shapes, mut reader) = (Shapes::default(), Reader::new(&text));
                for line in lines {
                    let (mut facts, mut plain) = (Facts::default(), Facts::default());
                    facts.clear();
                    plain.clear();
                    format.read(&mut Reader::new(line), &mut plain).unwrap();
                    reader.peek();
                    let start = reader.at();
                    let said = shapes.facts(&mut reader, format, &mut facts).unwrap();
                    prop_assert_eq!(&text[start..reader.at()], line);
                    prop_assert_eq!(format!("{said:?}"), format!("{plain:?}"));
                }
            }
        }
    }
}
