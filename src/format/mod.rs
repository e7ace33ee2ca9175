//! What a message is in each wire format: one file a format, one trait.

mod anthropic;
mod bedrock;
mod chat;
mod gemini;
mod parts;
mod responses;

use crate::buffer::{Buffer, extend, push};
use crate::config::{Form, Wire};
use crate::error::Error;
use crate::json::{Raw, Reader, Text};

/// What a message is for, as far as rounds go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Role {
    /// It makes calls.
    Calls,
    /// It is nothing but results.
    Results,
    /// It belongs to the calls that follow it, if calls follow (Responses).
    Lead,
    /// A user's words.
    User,
    /// Anything else.
    #[default]
    Other,
}

/// A request to run a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// `None` where the format gives it none, or an empty one.
    pub(crate) id: Option<Text<'a>>,
    pub(crate) name: Option<Text<'a>>,
    /// The arguments: an object, or a string that holds one.
    pub(crate) arguments: Option<Raw<'a>>,
}

/// An answer to a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'a> {
    /// `None` where the format gives it none, or an empty one.
    pub(crate) id: Option<Text<'a>>,
    /// What the tool said, as the format writes it.
    pub(crate) content: Option<Raw<'a>>,
    /// Whether the format's own flag says that the tool failed.
    pub(crate) failed: bool,
}

/// What one message says, in slices of the document.
///
/// One `Facts` is filled again for each message, so that reading a transcript
/// allocates nothing a message.
#[derive(Debug, Default)]
pub(crate) struct Facts<'a> {
    pub(crate) role: Role,
    pub(crate) calls: Vec<Call<'a>>,
    pub(crate) results: Vec<Answer<'a>>,
    /// The assistant's words beside its calls.
    pub(crate) prose: Vec<Text<'a>>,
    /// The message carries reasoning that a provider may want back.
    pub(crate) reasoning: bool,
    /// A call or result says of itself that it is not finished.
    pub(crate) pending: bool,
    /// Nothing stands beside the calls, or the results, but what a card has.
    pub(crate) bare: bool,
    /// The text, if the message has the shape of a card and begins like one.
    pub(crate) card: Option<Text<'a>>,
}

impl<'a> Facts<'a> {
    /// Adds what another message says.
    pub(crate) fn add(&mut self, other: &Facts<'a>) -> Result<(), Error> {
        extend(&mut self.calls, &other.calls)?;
        extend(&mut self.results, &other.results)?;
        extend(&mut self.prose, &other.prose)
    }

    pub(crate) fn clear(&mut self) {
        self.role = Role::Other;
        self.calls.clear();
        self.results.clear();
        self.prose.clear();
        self.reasoning = false;
        self.pending = false;
        self.bare = true;
        self.card = None;
    }
}

/// What a part is that is no text.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Medium<'a> {
    Image,
    Document,
    Audio,
    /// Another, by the name that its format gives it.
    Named(Text<'a>),
}

/// What a result holds.
#[derive(Debug, Default)]
pub(crate) struct Body<'a> {
    /// Its first text; most results have one.
    pub(crate) text: Option<Text<'a>>,
    /// The texts behind it.
    pub(crate) more: Vec<Text<'a>>,
    /// What is no text.
    pub(crate) others: Vec<Medium<'a>>,
    /// A value that is neither text nor parts.
    pub(crate) json: Option<Raw<'a>>,
    /// The body itself says that the tool failed.
    pub(crate) failed: bool,
}

impl<'a> Body<'a> {
    /// A text and nothing else.
    pub(crate) fn of(text: Option<Text<'a>>) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// Adds a text.
    pub(crate) fn add(&mut self, text: Text<'a>) -> Result<(), Error> {
        match self.text {
            Some(_) => push(&mut self.more, text),
            None => {
                self.text = Some(text);
                Ok(())
            }
        }
    }
}

/// What is needed to write a card as a message.
pub(crate) struct CardMessage<'a> {
    pub(crate) form: Form,
    pub(crate) handle: &'a str,
    pub(crate) fetch_tool: &'a str,
    /// The id of the call that a TOOL card makes.
    pub(crate) call_id: &'a str,
    /// Whether the document carries reasoning that its provider signs.
    pub(crate) signed: bool,
    /// What stands between two messages of the document.
    pub(crate) separator: &'a str,
    /// A round's calls that the card replaces: the document's own habits.
    pub(crate) like: &'a Facts<'a>,
}

/// One provider's messages.
pub(crate) trait Format: Sync {
    /// Reads one message and says what it is.
    ///
    /// An element that is no object is a message of no kind.
    fn read<'a>(&self, reader: &mut Reader<'a>, facts: &mut Facts<'a>) -> Result<(), Error>;

    /// What a result holds.
    fn body<'a>(&self, content: Raw<'a>) -> Result<Body<'a>, Error>;

    /// The result's text, where it is one text and nothing else: its body has only
    /// that then.
    fn single_text<'a>(&self, content: Raw<'a>) -> Option<Text<'a>>;

    /// The value of a result that says what the tool said, as it stands in the
    /// document; a prune puts another in its place.
    fn result_value<'a>(&self, answer: &Answer<'a>) -> Option<Raw<'a>> {
        answer.content
    }

    /// The list of pictures and documents beside that value, where the format
    /// puts them there; a prune empties it.
    fn result_media<'a>(&self, _: &Answer<'a>) -> Option<Raw<'a>> {
        None
    }

    /// Writes one text in the shape of a result's value: a string for a string,
    /// a list for a list.
    fn write_result(&self, like: Raw<'_>, text: &str, out: &mut Buffer);

    /// Whether calls of several messages in a row make one round.
    fn calls_join(&self) -> bool {
        false
    }

    /// The member of a request body that holds the messages.
    fn member(&self) -> &'static str {
        "messages"
    }

    /// Writes a card's message, or a call and its result, up to its text, a JSON
    /// string; returns what stands behind that.
    fn write_card(&self, card: &CardMessage<'_>, out: &mut Buffer) -> &'static str;
}

/// Whether a status says that a call or result is still being made, or waits
/// for somebody's approval.
fn is_unfinished(status: Text<'_>) -> bool {
    const WORDS: [&str; 7] = [
        "in_progress",
        "incomplete",
        "pending",
        "queued",
        "requires_action",
        "requires_approval",
        "awaiting_approval",
    ];
    WORDS.iter().any(|word| status.is(word))
}

/// Whether a status says that the tool failed.
fn is_failure(status: Text<'_>) -> bool {
    status.is("error") || status.is("failed")
}

/// The messages of a wire format.
pub(crate) fn of(wire: Wire) -> &'static dyn Format {
    match wire {
        Wire::Chat => &chat::Chat,
        Wire::Anthropic => &anthropic::Anthropic,
        Wire::Responses => &responses::Responses,
        Wire::Gemini => &gemini::Gemini,
        Wire::Bedrock => &bedrock::Bedrock,
    }
}

/// The format that the first tell-tale in a message shows, if it holds one.
pub(crate) fn tell_tale(reader: &mut Reader<'_>) -> Result<Option<Wire>, Error> {
    let (mut parts, mut item, mut blocks, mut chat) = (false, false, false, false);
    let mut converse = false;
    reader.object(|r, key| {
        match key {
            "parts" => {
                parts = true;
                r.skip()?;
            }
            "type" => {
                item = r.skip()?.text().is_some_and(|t| {
                    t.is("function_call")
                        || t.is("custom_tool_call")
                        || t.is("reasoning")
                        || t.is("function_call_output")
                        || t.is("custom_tool_call_output")
                });
            }
            "content" => {
                blocks = false;
                converse = false;
                r.array(|r| {
                    r.object(|r, key| {
                        let value = r.skip()?;
                        if key == "type" {
                            blocks |= value
                                .text()
                                .is_some_and(|t| t.is("tool_use") || t.is("tool_result"));
                        }
                        converse |= matches!(key, "toolUse" | "toolResult") && value.is_object();
                        Ok(())
                    })?;
                    Ok(())
                })?;
            }
            "tool_calls" => {
                let value = r.skip()?;
                chat |= value.is_filled_array();
            }
            "role" => chat |= r.skip()?.text().is_some_and(|t| t.is("tool")),
            _ => {
                r.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(if parts {
        Some(Wire::Gemini)
    } else if item {
        Some(Wire::Responses)
    } else if blocks {
        Some(Wire::Anthropic)
    } else if chat {
        Some(Wire::Chat)
    } else if converse {
        Some(Wire::Bedrock)
    } else {
        None
    })
}
