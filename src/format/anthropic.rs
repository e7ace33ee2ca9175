//! Anthropic messages: content is a string or a list of blocks.
//!
//! Blocks of tools that run on the server (`server_tool_use` and its result,
//! MCP, code execution) are no calls of the host's: they belong to the message
//! that holds them, as thinking blocks do.
//! <https://docs.anthropic.com/en/api/messages>

use super::{Answer, Body, Call, CardMessage, Facts, Format, Role, parts};
use crate::buffer::{Buffer, push};
use crate::config::Form;
use crate::error::Error;
use crate::json::{Raw, Reader, Text};

pub(super) struct Anthropic;

/// What a list of blocks holds.
#[derive(Default)]
struct Blocks {
    calls: usize,
    results: usize,
    others: usize,
}

impl Format for Anthropic {
    fn read<'a>(&self, reader: &mut Reader<'a>, facts: &mut Facts<'a>) -> Result<(), Error> {
        let mut role = None;
        let mut content = None;
        let mut blocks = Blocks::default();
        reader.object(|r, key| {
            match key {
                "role" => role = r.skip()?.text(),
                "content" => {
                    facts.calls.clear();
                    facts.results.clear();
                    facts.prose.clear();
                    blocks = Blocks::default();
                    content = Some(r.array(|r| read_block(r, &mut blocks, facts))?);
                }
                "id" | "type" | "status" | "cache_control" => drop(r.skip()?),
                _ => {
                    facts.bare = false;
                    r.skip()?;
                }
            }
            Ok(())
        })?;
        let is = |name: &str| role.is_some_and(|role| role.is(name));
        let only_results = blocks.results > 0 && blocks.calls + blocks.others == 0;
        if is("assistant") && blocks.calls > 0 {
            facts.role = Role::Calls;
            facts.bare &= blocks.results + blocks.others == 0;
            facts.results.clear();
            return Ok(());
        }
        facts.calls.clear();
        if is("user") && only_results {
            facts.role = Role::Results;
            if let ([answer], true) = (facts.results.as_slice(), facts.bare)
                && let Some(content) = answer.content
            {
                parts::card(content, facts);
            }
            return Ok(());
        }
        facts.results.clear();
        if is("user") {
            facts.role = Role::User;
        } else if !is("assistant") {
            return Ok(());
        }
        if let Some(content) = content.filter(|_| facts.bare) {
            parts::card(content, facts);
        }
        Ok(())
    }

    fn body<'a>(&self, content: Raw<'a>) -> Result<Body<'a>, Error> {
        parts::body(content)
    }

    fn single_text<'a>(&self, content: Raw<'a>) -> Option<Text<'a>> {
        parts::single_text(content)
    }

    fn write_result(&self, like: Raw<'_>, text: &str, out: &mut Buffer) {
        parts::write_result(like, "text", text, out);
    }

    fn write_card(&self, card: &CardMessage<'_>, out: &mut Buffer) -> &'static str {
        let role = match card.form {
            Form::User => "user",
            Form::Assistant => "assistant",
            Form::Tool => {
                out.push_all(&[
                    r#"{"role":"assistant","content":[{"type":"tool_use","id":""#,
                    card.call_id,
                    r#"","name":""#,
                    card.fetch_tool,
                    r#"","input":{"address":"compaction:"#,
                    card.handle,
                    r#""}}]}"#,
                    card.separator,
                    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":""#,
                    card.call_id,
                    r#"","content":"#,
                ]);
                return "}]}";
            }
        };
        out.push_all(&[r#"{"role":""#, role, r#"","content":"#]);
        "}"
    }
}

/// One block of a message's content.
fn read_block<'a>(
    reader: &mut Reader<'a>,
    blocks: &mut Blocks,
    facts: &mut Facts<'a>,
) -> Result<(), Error> {
    let (mut kind, mut id, mut result_id, mut name) = (None, None, None, None);
    let (mut input, mut content, mut text) = (None, None, None);
    let (mut failed, mut bare) = (false, true);
    reader.object(|r, key| {
        match key {
            "type" => kind = r.skip()?.text(),
            "id" => id = r.skip()?.text().filter(|id| !id.is_empty()),
            "tool_use_id" => result_id = r.skip()?.text().filter(|id| !id.is_empty()),
            "name" => name = r.skip()?.text(),
            "input" => input = Some(r.skip()?),
            "content" => content = Some(r.skip()?),
            "text" => text = r.skip()?.text(),
            "is_error" => failed = r.skip()?.is_true(),
            "cache_control" => drop(r.skip()?),
            _ => {
                bare = false;
                r.skip()?;
            }
        }
        Ok(())
    })?;
    let is = |name: &str| kind.is_some_and(|kind| kind.is(name));
    if is("tool_use") {
        blocks.calls += 1;
        facts.bare &= bare;
        push(
            &mut facts.calls,
            Call {
                id,
                name,
                arguments: input,
            },
        )?;
    } else if is("tool_result") {
        blocks.results += 1;
        facts.bare &= bare;
        push(
            &mut facts.results,
            Answer {
                id: result_id,
                content,
                failed,
            },
        )?;
    } else {
        blocks.others += 1;
        facts.reasoning |= is("thinking") || is("redacted_thinking");
        if let Some(text) = text.filter(|text| is("text") && !text.is_empty()) {
            push(&mut facts.prose, text)?;
        }
    }
    Ok(())
}
