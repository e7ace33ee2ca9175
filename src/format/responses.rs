//! OpenAI responses: a list of items, of which calls, their outputs, reasoning
//! and messages are one each.
//!
//! Reasoning and an assistant's message directly before a call belong to it:
//! the API refuses a reasoning item without the item that it led to, and the
//! reverse. <https://platform.openai.com/docs/api-reference/responses>

use super::{Answer, Body, Call, CardMessage, Facts, Format, Role, parts};
use crate::buffer::{Buffer, push};
use crate::config::Form;
use crate::error::Error;
use crate::json::{Raw, Reader, Text};

pub(super) struct Responses;

impl Format for Responses {
    fn read<'a>(&self, reader: &mut Reader<'a>, facts: &mut Facts<'a>) -> Result<(), Error> {
        let (mut kind, mut role, mut call_id, mut name) = (None, None, None, None);
        let (mut arguments, mut output, mut content) = (None, None, None);
        let mut failed = false;
        // Members that belong to calls, to results, to messages, to the first two.
        let (mut asks, mut answers, mut says, mut pairs) = (false, false, false, false);
        let value = reader.object(|r, key| {
            asks |= matches!(key, "name" | "arguments" | "input");
            answers |= key == "output";
            says |= matches!(key, "role" | "content");
            pairs |= key == "call_id";
            match key {
                "type" => kind = Some(r.skip()?),
                "role" => role = r.skip()?.text(),
                "call_id" => call_id = r.skip()?.text().filter(|id| !id.is_empty()),
                "name" => name = r.skip()?.text(),
                "arguments" | "input" => arguments = Some(r.skip()?),
                "output" => output = Some(r.skip()?),
                "content" => content = Some(r.skip()?),
                "status" => {
                    let status = r.skip()?.text();
                    facts.pending |= status.is_some_and(super::is_unfinished);
                    failed |= status.is_some_and(super::is_failure);
                }
                "id" | "cache_control" => drop(r.skip()?),
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
        let is = |name: &str| kind.and_then(Raw::text).is_some_and(|kind| kind.is(name));
        let speaks = |name: &str| role.is_some_and(|role| role.is(name));
        if is("function_call") || is("custom_tool_call") {
            facts.role = Role::Calls;
            facts.bare &= !answers && !says;
            push(
                &mut facts.calls,
                Call {
                    id: call_id,
                    name,
                    arguments,
                },
            )?;
        } else if is("function_call_output") || is("custom_tool_call_output") {
            facts.role = Role::Results;
            facts.bare &= !asks && !says;
            push(
                &mut facts.results,
                Answer {
                    id: call_id,
                    content: output,
                    failed,
                },
            )?;
            if let Some(output) = output.filter(|_| facts.bare) {
                parts::card(output, facts);
            }
        } else if is("reasoning") {
            facts.role = Role::Lead;
            facts.reasoning = true;
        } else if kind.is_none_or(Raw::is_null) || is("message") {
            facts.role = if speaks("assistant") {
                Role::Lead
            } else if speaks("user") {
                Role::User
            } else {
                return Ok(());
            };
            if let Some(content) = content {
                if facts.bare && !asks && !answers && !pairs {
                    parts::card(content, facts);
                }
                if facts.role == Role::Lead {
                    parts::prose(content, &mut facts.prose)?;
                }
            }
        }
        Ok(())
    }

    fn body<'a>(&self, content: Raw<'a>) -> Result<Body<'a>, Error> {
        parts::body(content)
    }

    fn single_text<'a>(&self, content: Raw<'a>) -> Option<Text<'a>> {
        parts::single_text(content)
    }

    fn calls_join(&self) -> bool {
        true
    }

    fn member(&self) -> &'static str {
        "input"
    }

    fn write_result(&self, like: Raw<'_>, text: &str, out: &mut Buffer) {
        parts::write_result(like, "input_text", text, out);
    }

    fn write_card(&self, card: &CardMessage<'_>, out: &mut Buffer) -> &'static str {
        let role = match card.form {
            Form::User => "user",
            Form::Assistant => "assistant",
            Form::Tool => {
                out.push_all(&[
                    r#"{"type":"function_call","call_id":""#,
                    card.call_id,
                    r#"","name":""#,
                    card.fetch_tool,
                    r#"","arguments":"{\"address\":\"compaction:"#,
                    card.handle,
                    r#"\"}"}"#,
                    card.separator,
                    r#"{"type":"function_call_output","call_id":""#,
                    card.call_id,
                    r#"","output":"#,
                ]);
                return "}";
            }
        };
        out.push_all(&[r#"{"type":"message","role":""#, role, r#"","content":"#]);
        "}"
    }
}
