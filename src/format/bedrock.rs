//! Amazon Bedrock's Converse messages: Anthropic's order, other names.
//!
//! A block is an object with one member that says what it is: `text`,
//! `toolUse`, `toolResult`, `image`, `reasoningContent`, …
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html>

use super::{Answer, Body, Call, CardMessage, Facts, Format, Medium, Role};
use crate::buffer::{Buffer, push};
use crate::card;
use crate::config::Form;
use crate::error::Error;
use crate::json::{Raw, Reader, Text};

pub(super) struct Bedrock;

/// What a list of blocks holds.
#[derive(Default)]
struct Blocks<'a> {
    others: usize,
    /// The last block's text, if the block is nothing else.
    text: Option<Text<'a>>,
}

impl Format for Bedrock {
    fn read<'a>(&self, reader: &mut Reader<'a>, facts: &mut Facts<'a>) -> Result<(), Error> {
        let mut role = None;
        let mut blocks = Blocks::default();
        reader.object(|r, key| {
            match key {
                "role" => role = r.skip()?.text(),
                "content" => {
                    facts.calls.clear();
                    facts.results.clear();
                    facts.prose.clear();
                    blocks = Blocks::default();
                    r.array(|r| read_block(r, &mut blocks, facts))?;
                }
                _ => {
                    facts.bare = false;
                    r.skip()?;
                }
            }
            Ok(())
        })?;
        let is = |name: &str| role.is_some_and(|role| role.is(name));
        if is("assistant") && !facts.calls.is_empty() {
            facts.role = Role::Calls;
            facts.bare &= facts.results.is_empty() && blocks.others == 0;
            facts.results.clear();
            return Ok(());
        }
        let only_results =
            !facts.results.is_empty() && facts.calls.is_empty() && blocks.others == 0;
        facts.calls.clear();
        if is("user") && only_results {
            facts.role = Role::Results;
            if let ([answer], true) = (facts.results.as_slice(), facts.bare) {
                let text = answer.content.and_then(|content| self.single_text(content));
                facts.card = text.filter(|text| card::begins(*text));
            }
            return Ok(());
        }
        let mixed = !facts.results.is_empty();
        facts.results.clear();
        if is("user") {
            facts.role = Role::User;
        } else if !is("assistant") {
            return Ok(());
        }
        if facts.bare && blocks.others == 1 && !mixed {
            facts.card = blocks.text.filter(|text| card::begins(*text));
        }
        Ok(())
    }

    fn body<'a>(&self, content: Raw<'a>) -> Result<Body<'a>, Error> {
        let mut body = Body::default();
        each_block(content, |kind, value| match (kind, value.text()) {
            ("text", Some(text)) => body.add(text),
            ("image", _) => push(&mut body.others, Medium::Image),
            ("document", _) => push(&mut body.others, Medium::Document),
            ("json", _) if body.json.is_none() => {
                body.json = Some(value);
                Ok(())
            }
            _ => push(&mut body.others, Medium::Named(Text::within("other"))),
        })?;
        Ok(body)
    }

    fn single_text<'a>(&self, content: Raw<'a>) -> Option<Text<'a>> {
        let (mut count, mut single) = (0, None);
        let read = each_block(content, |kind, value| {
            count += 1;
            single = value.text().filter(|_| kind == "text");
            Ok(())
        });
        read.ok()?;
        single.filter(|_| count == 1)
    }

    fn write_result(&self, _: Raw<'_>, text: &str, out: &mut Buffer) {
        out.push(r#"[{"text":"#);
        out.push_json(text);
        out.push("}]");
    }

    fn write_card(&self, card: &CardMessage<'_>, out: &mut Buffer) -> &'static str {
        let role = match card.form {
            Form::User => "user",
            Form::Assistant => "assistant",
            Form::Tool => {
                out.push_all(&[
                    r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":""#,
                    card.call_id,
                    r#"","name":""#,
                    card.fetch_tool,
                    r#"","input":{"address":"compaction:"#,
                    card.handle,
                    r#""}}}]}"#,
                    card.separator,
                    r#"{"role":"user","content":[{"toolResult":{"toolUseId":""#,
                    card.call_id,
                    r#"","content":[{"text":"#,
                ]);
                return "}]}}]}";
            }
        };
        out.push_all(&[r#"{"role":""#, role, r#"","content":[{"text":"#]);
        "}]}"
    }
}

/// Hands each block of a result's content to `each`: its one member.
fn each_block<'a>(
    content: Raw<'a>,
    mut each: impl FnMut(&str, Raw<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    content.reader().array(|r| {
        r.object(|r, key| {
            let value = r.skip()?;
            each(key, value)
        })?;
        Ok(())
    })?;
    Ok(())
}

/// One block of a message's content.
fn read_block<'a>(
    reader: &mut Reader<'a>,
    blocks: &mut Blocks<'a>,
    facts: &mut Facts<'a>,
) -> Result<(), Error> {
    let (mut known, mut members, mut text) = (false, 0, None);
    reader.object(|r, key| {
        members += 1;
        match key {
            "toolUse" => {
                let (mut id, mut name, mut arguments) = (None, None, None);
                let value = r.object(|r, key| {
                    match key {
                        "toolUseId" => id = r.skip()?.text().filter(|id| !id.is_empty()),
                        "name" => name = r.skip()?.text(),
                        "input" => arguments = Some(r.skip()?),
                        _ => drop(r.skip()?),
                    }
                    Ok(())
                })?;
                known |= !value.is_null();
                if value.is_null() {
                    return Ok(());
                }
                let call = Call {
                    id,
                    name,
                    arguments,
                };
                push(&mut facts.calls, call)
            }
            "toolResult" => {
                let (mut id, mut content, mut failed) = (None, None, false);
                let value = r.object(|r, key| {
                    match key {
                        "toolUseId" => id = r.skip()?.text().filter(|id| !id.is_empty()),
                        "content" => content = Some(r.skip()?),
                        "status" => failed = r.skip()?.text().is_some_and(super::is_failure),
                        _ => drop(r.skip()?),
                    }
                    Ok(())
                })?;
                known |= !value.is_null();
                if value.is_null() {
                    return Ok(());
                }
                let answer = Answer {
                    id,
                    content,
                    failed,
                };
                push(&mut facts.results, answer)
            }
            "text" => {
                text = r.skip()?.text();
                Ok(())
            }
            "reasoningContent" => {
                facts.reasoning = true;
                r.skip().map(drop)
            }
            _ => r.skip().map(drop),
        }
    })?;
    if known {
        facts.bare &= members == 1;
        return Ok(());
    }
    blocks.others += 1;
    blocks.text = text.filter(|_| members == 1);
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        push(&mut facts.prose, text)?;
    }
    Ok(())
}
