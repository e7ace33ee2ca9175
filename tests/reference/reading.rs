//! A document read into messages, and messages into rounds and cards.

use super::card;
use super::kind::{self, Kind, Said};
use super::one_line;
use newt_fold::{Config, Form, Results, Wire};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::ops::Range;

pub struct Message<'a> {
    /// As it stands.
    pub raw: &'a str,
    /// Where, in bytes of the document.
    pub start: usize,
    pub value: Value,
    pub said: Said,
}

impl Message<'_> {
    pub fn end(&self) -> usize {
        self.start + self.raw.len()
    }
}

/// A stretch of messages that is a round or a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    Round {
        messages: Range<usize>,
        /// Every call is answered exactly once.
        complete: bool,
    },
    Card {
        messages: Range<usize>,
        rounds: usize,
    },
}

impl Block {
    pub fn messages(&self) -> Range<usize> {
        match self {
            Block::Round { messages, .. } | Block::Card { messages, .. } => messages.clone(),
        }
    }
}

pub struct Reading<'a> {
    pub text: &'a str,
    pub wire: Wire,
    pub messages: Vec<Message<'a>>,
    pub blocks: Vec<Block>,
}

/// A value, with lone surrogates as U+FFFD: serde_json takes none.
pub fn value(raw: &str) -> Value {
    serde_json::from_str(&without_halves(raw)).expect("checked JSON")
}

fn without_halves(raw: &str) -> String {
    let unit = |at: usize| {
        let digits = raw.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut out = String::with_capacity(raw.len());
    let mut at = 0;
    while at < raw.len() {
        let rest = &raw[at..];
        let taken = match unit(at) {
            Some(0xd800..0xdc00) if matches!(unit(at + 6), Some(0xdc00..0xe000)) => 12,
            Some(0xd800..0xe000) => {
                out.push_str("\\ufffd");
                at += 6;
                continue;
            }
            Some(_) => 6,
            None if rest.starts_with('\\') => 2,
            None => rest.chars().next().map_or(1, char::len_utf8),
        };
        out.push_str(&rest[..taken]);
        at += taken;
    }
    out
}

impl<'a> Reading<'a> {
    /// Reads a document that is known to be a transcript.
    pub fn of(text: &'a str, format: Option<Wire>) -> Self {
        let root = text.trim_start_matches('\u{feff}').trim();
        let (array, member) = if root.starts_with('[') {
            (root, "")
        } else {
            let body: HashMap<String, &RawValue> = serde_json::from_str(root).expect("a body");
            let member = match format {
                Some(Wire::Chat | Wire::Anthropic | Wire::Bedrock) => "messages",
                Some(Wire::Responses) => "input",
                Some(Wire::Gemini) => "contents",
                None => ["messages", "input", "contents"]
                    .into_iter()
                    .find(|member| body.contains_key(*member))
                    .expect("a member with messages"),
            };
            (body[member].get(), member)
        };
        let elements: Vec<&RawValue> = serde_json::from_str(array).expect("an array");
        let values: Vec<Value> = elements.iter().map(|raw| value(raw.get())).collect();
        let wire = format.unwrap_or_else(|| match member {
            "input" => Wire::Responses,
            "contents" => Wire::Gemini,
            _ => kind::guess(&values),
        });
        let messages = elements
            .iter()
            .zip(values)
            .map(|(raw, value)| Message {
                raw: raw.get(),
                start: raw.get().as_ptr() as usize - text.as_ptr() as usize,
                said: kind::said(&value, wire),
                value,
            })
            .collect();
        let mut reading = Self {
            text,
            wire,
            messages,
            blocks: Vec::new(),
        };
        reading.blocks = reading.find_blocks();
        reading
    }

    fn kind(&self, index: usize) -> &Kind {
        static NONE: Kind = Kind::Other;
        self.messages
            .get(index)
            .map_or(&NONE, |message| &message.said.kind)
    }

    /// The card that begins at a message: how many messages it takes, and what
    /// it says.
    pub fn card_at(&self, index: usize) -> Option<(usize, card::Card)> {
        let value = |index: usize| self.messages.get(index).map(|message| &message.value);
        if let Some(card) = value(index).and_then(|value| card::of_words(value, self.wire)) {
            return Some((1, card));
        }
        card::of_call(value(index)?, value(index + 1)?, self.wire).map(|card| (2, card))
    }

    fn find_blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut at = 0;
        while at < self.messages.len() {
            if let Some((width, card)) = self.card_at(at) {
                blocks.push(Block::Card {
                    messages: at..at + width,
                    rounds: card.rounds,
                });
                at += width;
                continue;
            }
            let Kind::Calls(calls) = self.kind(at) else {
                at += 1;
                continue;
            };
            let mut calls: Vec<_> = calls.iter().collect();
            // What leads to a call belongs to its round, back to the block
            // before.
            let floor = blocks.last().map_or(0, |block| block.messages().end);
            let mut start = at;
            while start > floor && matches!(self.kind(start - 1), Kind::Lead) {
                start -= 1;
            }
            at += 1;
            if self.wire == Wire::Responses {
                // Calls in a row, with what leads to them, are one round.
                loop {
                    let mut next = at;
                    while matches!(self.kind(next), Kind::Lead) && self.card_at(next).is_none() {
                        next += 1;
                    }
                    match self.kind(next) {
                        Kind::Calls(more) if self.card_at(next).is_none() => {
                            calls.extend(more);
                            at = next + 1;
                        }
                        _ => break,
                    }
                }
            }
            let mut results = Vec::new();
            while let Kind::Results(more) = self.kind(at) {
                results.extend(more);
                at += 1;
            }
            let asked: Vec<_> = calls.iter().map(|call| call.id.clone()).collect();
            let given: Vec<_> = results.iter().map(|result| result.id.clone()).collect();
            blocks.push(Block::Round {
                messages: start..at,
                complete: pairs(&asked, &given),
            });
        }
        blocks
    }

    pub fn horizon(&self, config: &Config) -> usize {
        self.messages.len().saturating_sub(config.keep_last)
    }

    /// Whether a block is a round that may fold.
    pub fn is_eligible(&self, block: &Block, config: &Config) -> bool {
        let Block::Round {
            messages,
            complete: true,
        } = block
        else {
            return false;
        };
        let said = |f: fn(&Said) -> bool| messages.clone().any(|at| f(&self.messages[at].said));
        let mut names = Vec::new();
        let mut one_lined = true;
        for at in messages.clone() {
            match self.kind(at) {
                Kind::Calls(calls) => {
                    names.extend(calls.iter().filter_map(|call| call.name.as_deref()))
                }
                Kind::Results(results) => {
                    one_lined &= results.iter().all(|result| {
                        result
                            .single_text
                            .as_deref()
                            .is_some_and(one_line::is_one_line)
                    });
                }
                _ => {}
            }
        }
        let kept = names
            .iter()
            .any(|name| config.keep_tools.iter().any(|kept| kept == name));
        let fetch_tool = Some(config.fetch_tool.as_str()).filter(|name| !name.is_empty());
        let fetched = fetch_tool.is_some_and(|name| names.contains(&name));
        let fresh_from = self
            .messages
            .len()
            .saturating_sub(config.keep_last.saturating_mul(2));
        let open = config.card != Form::User
            && self.open_reasoning().is_some_and(|at| messages.start >= at);
        messages.end <= self.horizon(config)
            && (config.results == Results::Any || one_lined)
            && !kept
            && !said(|said| said.pending)
            && !(fetched && messages.start >= fresh_from)
            && !open
    }

    /// Where the open reasoning loop begins, if there is one: at the last user's
    /// message, when a message after it carries reasoning.
    pub fn open_reasoning(&self) -> Option<usize> {
        let user = self
            .messages
            .iter()
            .rposition(|message| matches!(message.said.kind, Kind::User));
        let from = user.unwrap_or(0);
        self.messages[from..]
            .iter()
            .any(|message| message.said.reasoning)
            .then_some(from)
    }

    /// What one message is in a span: itself, or itself on one line.
    pub fn stands_for(&self, index: usize, line: &str) -> bool {
        let raw = self.messages[index].raw;
        if raw.contains('\n') {
            !line.contains('\n') && value(line) == self.messages[index].value
        } else {
            line == raw
        }
    }
}

/// Whether every call is answered exactly once: by id where all have one, by
/// count where one side has none.
fn pairs(asked: &[Option<String>], given: &[Option<String>]) -> bool {
    let named = |ids: &[Option<String>]| ids.iter().filter(|id| id.is_some()).count();
    if named(asked) == 0 || named(given) == 0 {
        return asked.len() == given.len();
    }
    let mut given = given.to_vec();
    asked.iter().all(|id| {
        id.is_some()
            && given
                .iter()
                .position(|other| other == id)
                .map(|at| given.remove(at))
                .is_some()
    }) && given.is_empty()
}
