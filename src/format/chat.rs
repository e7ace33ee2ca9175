//! OpenAI chat completions, and those who follow it.
//!
//! Mistral writes the same; Ollama gives calls no id and arguments as an
//! object; SWE-agent names a result's calls in `tool_call_ids`, a list, which
//! pairs by position; the legacy form has one `function_call` and a message of
//! `role:"function"`.
//! <https://platform.openai.com/docs/api-reference/chat>

use super::{Answer, Body, Call, CardMessage, Facts, Format, Role, parts};
use crate::buffer::{Buffer, push};
use crate::config::Form;
use crate::error::Error;
use crate::json::{Raw, Reader, Text};

pub(super) struct Chat;

impl Format for Chat {
    fn read<'a>(&self, reader: &mut Reader<'a>, facts: &mut Facts<'a>) -> Result<(), Error> {
        let mut role = None;
        let mut content = None;
        let mut result_id = None;
        let mut all_objects = false;
        let mut legacy = None;
        let mut failed = false;
        // Members that belong to calls, and to results.
        let (mut asks, mut answers) = (false, false);
        reader.object(|r, key| {
            match key {
                "role" => role = r.skip()?.text(),
                "content" => content = Some(r.skip()?),
                "tool_call_id" => {
                    answers = true;
                    result_id = r.skip()?.text().filter(|id| !id.is_empty());
                }
                "tool_calls" => {
                    asks = true;
                    facts.calls.clear();
                    all_objects = true;
                    r.array(|r| {
                        let (call, is_object, signed) = read_call(r)?;
                        push(&mut facts.calls, call)?;
                        all_objects &= is_object;
                        facts.reasoning |= signed;
                        Ok(())
                    })?;
                }
                "function_call" => {
                    let (call, is_object) = read_function(r)?;
                    legacy = is_object.then_some(call);
                    facts.bare = false;
                }
                "reasoning_content" | "reasoning" | "reasoning_details" => {
                    let value = r.skip()?;
                    facts.reasoning |= !value.is_null() && value.as_str() != "\"\"";
                    facts.bare = false;
                }
                "is_error" => {
                    answers = true;
                    failed |= r.skip()?.is_true();
                }
                "status" => {
                    let status = r.skip()?.text();
                    facts.pending |= status.is_some_and(super::is_unfinished);
                    failed |= status.is_some_and(super::is_failure);
                }
                "id" | "type" | "cache_control" => drop(r.skip()?),
                _ => {
                    facts.bare = false;
                    r.skip()?;
                }
            }
            Ok(())
        })?;
        let Some(role) = role else {
            return Ok(());
        };
        if role.is("assistant") {
            if facts.calls.is_empty() {
                if let Some(call) = legacy {
                    push(&mut facts.calls, call)?;
                }
                all_objects = true;
            }
            if facts.calls.is_empty() || !all_objects {
                facts.calls.clear();
            } else {
                facts.role = Role::Calls;
                facts.bare &= !answers;
                if let Some(content) = content {
                    parts::prose(content, &mut facts.prose)?;
                }
                return Ok(());
            }
        } else if role.is("tool") || role.is("function") {
            facts.role = Role::Results;
            facts.bare &= !asks;
            push(
                &mut facts.results,
                Answer {
                    id: result_id,
                    content,
                    failed,
                },
            )?;
        } else if role.is("user") {
            facts.role = Role::User;
        } else {
            return Ok(());
        }
        let bare = facts.bare && (facts.role == Role::Results || !asks && !answers);
        if let Some(content) = content.filter(|_| bare) {
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
                // Ollama's arguments are an object; everybody else's a string.
                let takes_object = card
                    .like
                    .calls
                    .iter()
                    .any(|call| call.arguments.is_some_and(Raw::is_object));
                let [open, close] = if takes_object {
                    [r#"{"address":"compaction:"#, r#""}"#]
                } else {
                    [r#""{\"address\":\"compaction:"#, r#"\"}""#]
                };
                out.push_all(&[
                    r#"{"role":"assistant","content":"","tool_calls":[{"id":""#,
                    card.call_id,
                    r#"","type":"function","function":{"name":""#,
                    card.fetch_tool,
                    r#"","arguments":"#,
                    open,
                    card.handle,
                    close,
                    "}}]}",
                    card.separator,
                    r#"{"role":"tool","tool_call_id":""#,
                    card.call_id,
                    r#"","content":"#,
                ]);
                return "}";
            }
        };
        out.push_all(&[r#"{"role":""#, role, r#"","content":"#]);
        "}"
    }
}

/// One element of `tool_calls`: the call, whether it is an object at all, and
/// whether it carries a thought signature (Gemini behind a chat front end).
fn read_call<'a>(reader: &mut Reader<'a>) -> Result<(Call<'a>, bool, bool), Error> {
    let mut id = None;
    let mut function = Call {
        id: None,
        name: None,
        arguments: None,
    };
    let mut signed = false;
    let value = reader.object(|r, key| {
        match key {
            "id" => id = r.skip()?.text().filter(|id| !id.is_empty()),
            // `custom` is OpenAI's tool with a free-form `input`.
            "function" | "custom" => {
                let (call, is_object) = read_function(r)?;
                if is_object {
                    function = call;
                } else {
                    // Some recorders write the bare name here.
                    function.name = call.name;
                }
            }
            "arguments" if function.arguments.is_none() => {
                function.arguments = Some(r.skip()?);
            }
            "extra_content" => {
                signed = r.skip()?.as_str().contains("\"thought_signature\"");
            }
            _ => drop(r.skip()?),
        }
        Ok(())
    })?;
    function.id = id;
    Ok((function, value.is_object(), signed))
}

/// The function of a call, and whether it is an object.
fn read_function<'a>(reader: &mut Reader<'a>) -> Result<(Call<'a>, bool), Error> {
    let (mut name, mut arguments) = (None, None);
    let value = reader.object(|r, key| {
        match key {
            "name" => name = r.skip()?.text(),
            "arguments" | "input" => arguments = Some(r.skip()?),
            _ => drop(r.skip()?),
        }
        Ok(())
    })?;
    let call = Call {
        id: None,
        name: name.or(value.text()),
        arguments,
    };
    Ok((call, value.is_object()))
}
