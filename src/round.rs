//! Which stretches of messages are complete rounds, which of them are aged, and
//! what keeps the others.

use crate::card::{ADDRESS, Card};
use crate::config::{Config, Form, Results};
use crate::error::Error;
use crate::format::{Facts, Format, Role};
use crate::json::{Raw, Reader, Text};
use crate::one_line;
use crate::transcript::{Transcript, Visitor};
use std::ops::Range;

/// Why a round stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// It stands among the messages that are never touched.
    Tail,
    /// It begins before the horizon and ends behind it.
    Straddles,
    /// A call has no result.
    Unanswered,
    /// A result names no call of its round.
    ForeignId,
    /// Two results name one call.
    Doubled,
    /// A result is more than one line, and only one-lined ones may fold.
    NotOneLined,
    /// It calls a tool that is kept.
    KeptTool,
    /// It holds an answer of the fetch tool that the model still works with.
    FreshFetch,
    /// It waits for somebody, or is not finished.
    Pending,
    /// Its provider wants the reasoning of the open turn back.
    OpenReasoning,
}

/// What a stretch of messages is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A round that may fold.
    Eligible,
    /// A round that stays.
    Stays(Why),
    /// A result that answers nothing.
    Orphan,
    /// A card of the library's own, for so many rounds.
    Card(u64),
}

/// A stretch of messages: a round, an orphan or a card.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) messages: Range<usize>,
    pub(crate) kind: Kind,
}

/// A transcript, read into blocks.
pub(crate) struct Reading<'a> {
    pub(crate) transcript: Transcript<'a>,
    /// In order. What is no round, orphan or card leaves a gap.
    pub(crate) blocks: Vec<Block>,
    /// Whether any message carries reasoning.
    pub(crate) reasoning: bool,
}

impl<'a> Reading<'a> {
    /// Reads a document: an array of messages, or a request body.
    pub(crate) fn of_document(document: &'a [u8], config: &Config) -> Result<Self, Error> {
        let mut rounds = Rounds::new(config);
        let transcript = Transcript::read(document, config, &mut rounds)?;
        Self::new(transcript, rounds)
    }

    /// Reads a span: a message a line.
    pub(crate) fn of_span(
        span: &'a str,
        format: Option<&'static dyn Format>,
        config: &Config,
    ) -> Result<Self, Error> {
        let mut rounds = Rounds::new(config);
        let transcript = Transcript::read_lines(span, format, config, &mut rounds)?;
        Self::new(transcript, rounds)
    }

    fn new(transcript: Transcript<'a>, mut rounds: Rounds<'a, '_>) -> Result<Self, Error> {
        rounds.finish()?;
        Ok(Self {
            transcript,
            blocks: rounds.blocks,
            reasoning: rounds.reasoning,
        })
    }

    /// Reads the messages of a stretch again.
    pub(crate) fn each(
        &self,
        messages: &Range<usize>,
        mut each: impl FnMut(&mut Facts<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut facts = Facts::default();
        for message in messages.clone() {
            facts.clear();
            let mut reader = Reader::new(self.transcript.message(message));
            self.transcript.format.read(&mut reader, &mut facts)?;
            each(&mut facts)?;
        }
        Ok(())
    }

    /// The text of a card.
    pub(crate) fn card_text(&self, card: &Block) -> Result<String, Error> {
        let mut text = String::new();
        self.each(&card.messages, |facts| {
            if let Some(card) = facts.card {
                text = card.decoded().into_owned();
            }
            Ok(())
        })?;
        Ok(text)
    }

    /// How many blocks are of a kind.
    pub(crate) fn count(&self, is: impl Fn(&Kind) -> bool) -> usize {
        self.blocks.iter().filter(|block| is(&block.kind)).count()
    }
}

/// Finds rounds while the messages go by. What belongs to no round leaves no
/// trace but a gap between blocks.
struct Rounds<'a, 'c> {
    config: &'c Config,
    format: Option<&'static dyn Format>,
    blocks: Vec<Block>,
    /// Messages seen.
    seen: usize,
    open: Option<Open<'a>>,
    /// The ids of the open round's calls, and of its results.
    calls: Vec<Option<Text<'a>>>,
    results: Vec<Option<Text<'a>>>,
    /// Where messages begin that belong to calls, should calls follow.
    lead: Option<usize>,
    last_user: Option<usize>,
    /// A message after the last user's carries reasoning.
    open_reasoning: bool,
    /// Any message does.
    reasoning: bool,
}

/// A round whose end has not been seen.
struct Open<'a> {
    start: usize,
    /// The message behind its last one.
    end: usize,
    /// Something about it that keeps it, whatever else may be.
    keeps: Option<Why>,
    /// It calls the fetch tool.
    fetches: bool,
    /// Its last message, if it is one call and nothing else: it may be a card's.
    lone: Option<Lone<'a>>,
}

/// A message that is one call and nothing else.
struct Lone<'a> {
    message: usize,
    arguments: Option<Raw<'a>>,
    /// Where the round would end without it.
    end_before: usize,
}

impl<'a> Visitor<'a> for Rounds<'a, '_> {
    fn begin(&mut self, format: &'static dyn Format) {
        self.format = Some(format);
        self.blocks.clear();
        self.seen = 0;
        self.open = None;
        self.lead = None;
        self.last_user = None;
        self.open_reasoning = false;
        self.reasoning = false;
    }

    fn message(&mut self, facts: &Facts<'a>) -> Result<(), Error> {
        let here = self.seen;
        self.seen += 1;
        if facts.role == Role::User {
            self.last_user = Some(here);
            self.open_reasoning = false;
        }
        self.open_reasoning |= facts.reasoning;
        self.reasoning |= facts.reasoning;
        if let Some(text) = facts.card
            && self.card(here, text, facts)?
        {
            return Ok(());
        }
        match facts.role {
            Role::Calls => self.calls(here, facts),
            Role::Results => self.results(here, facts),
            Role::Lead => {
                if !self.results.is_empty() {
                    self.close()?;
                }
                self.lead.get_or_insert(here);
                Ok(())
            }
            Role::User | Role::Other => {
                self.lead = None;
                self.close()
            }
        }
    }
}

impl<'a, 'c> Rounds<'a, 'c> {
    fn new(config: &'c Config) -> Self {
        Self {
            config,
            format: None,
            blocks: Vec::new(),
            seen: 0,
            open: None,
            calls: Vec::new(),
            results: Vec::new(),
            lead: None,
            last_user: None,
            open_reasoning: false,
            reasoning: false,
        }
    }

    /// Judges every block, once the transcript's end is known.
    fn finish(&mut self) -> Result<(), Error> {
        self.close()?;
        let horizon = self.seen.saturating_sub(self.config.keep_last);
        let fresh_from = self
            .seen
            .saturating_sub(self.config.keep_last.saturating_mul(2));
        let open_from = match (self.config.card, self.open_reasoning) {
            (Form::User, _) | (_, false) => self.seen,
            // Without a user's message, the whole transcript is the open turn.
            (_, true) => self.last_user.unwrap_or(0),
        };
        for block in &mut self.blocks {
            let place = if block.messages.start >= horizon {
                Some(Why::Tail)
            } else if block.messages.end > horizon {
                Some(Why::Straddles)
            } else if block.messages.start >= open_from {
                Some(Why::OpenReasoning)
            } else {
                None
            };
            block.kind = match (block.kind, place) {
                (Kind::Eligible | Kind::Stays(Why::FreshFetch), Some(why)) => Kind::Stays(why),
                (Kind::Stays(Why::FreshFetch), None) if block.messages.start < fresh_from => {
                    Kind::Eligible
                }
                (kind, _) => kind,
            };
        }
        Ok(())
    }

    fn calls(&mut self, here: usize, facts: &Facts<'a>) -> Result<(), Error> {
        let joins = self.format.is_some_and(Format::calls_join)
            && self.open.is_some()
            && self.results.is_empty();
        if !joins {
            self.close()?;
        }
        let lead = self.lead.take();
        let open = self.open.get_or_insert_with(|| Open {
            start: lead.unwrap_or(here),
            end: lead.unwrap_or(here),
            keeps: None,
            fetches: false,
            lone: None,
        });
        open.lone = match facts.calls.as_slice() {
            [call] if facts.bare && facts.prose.is_empty() => Some(Lone {
                message: here,
                arguments: call.arguments,
                end_before: open.end,
            }),
            _ => None,
        };
        open.end = here + 1;
        if facts.pending {
            open.keeps = Some(Why::Pending);
        }
        self.calls.try_reserve(facts.calls.len())?;
        for call in &facts.calls {
            self.calls.push(call.id);
            let Some(name) = call.name else { continue };
            open.fetches |= name.is(&self.config.fetch_tool);
            if self.config.keep_tools.iter().any(|kept| name.is(kept)) {
                open.keeps = Some(Why::KeptTool);
            }
        }
        Ok(())
    }

    fn results(&mut self, here: usize, facts: &Facts<'a>) -> Result<(), Error> {
        if self.lead.take().is_some() {
            // Something stands between calls and results that is neither.
            self.close()?;
        }
        let Some(open) = &mut self.open else {
            return self.push(here..here + 1, Kind::Orphan);
        };
        open.end = here + 1;
        if facts.pending {
            open.keeps = Some(Why::Pending);
        }
        self.results.try_reserve(facts.results.len())?;
        for result in &facts.results {
            self.results.push(result.id);
            if self.config.results == Results::OneLined && open.keeps.is_none() {
                let text = self
                    .format
                    .zip(result.content)
                    .and_then(|(f, raw)| f.single_text(raw));
                if !text.is_some_and(one_line::is_one_line) {
                    open.keeps = Some(Why::NotOneLined);
                }
            }
        }
        Ok(())
    }

    /// Takes the message for a card, if it is one; in TOOL form together with
    /// the call before it.
    fn card(&mut self, here: usize, text: Text<'a>, facts: &Facts<'a>) -> Result<bool, Error> {
        let text = text.decoded();
        let Some(card) = Card::parse(&text) else {
            return Ok(false);
        };
        let start = if facts.role == Role::Results {
            let call = self
                .open
                .as_mut()
                .and_then(|open| open.lone.take())
                .filter(|call| {
                    let id = self.calls.last().copied().flatten();
                    let answers = facts.results.first().and_then(|result| result.id);
                    self.lead.is_none()
                        && self.results.is_empty()
                        && pair(&[id], &[answers]).is_ok()
                        && call.arguments.is_some_and(|raw| asks_for(raw, card.handle))
                });
            let Some(call) = call else {
                return Ok(false);
            };
            // Calls before the card's own have gone unanswered.
            self.calls.pop();
            if let Some(open) = &mut self.open {
                open.end = call.end_before;
            }
            self.close()?;
            call.message
        } else {
            self.lead = None;
            self.close()?;
            here
        };
        self.push(start..here + 1, Kind::Card(card.rounds))?;
        Ok(true)
    }

    /// Ends the round that is open, and judges it.
    fn close(&mut self) -> Result<(), Error> {
        let Some(open) = self.open.take().filter(|_| !self.calls.is_empty()) else {
            return Ok(());
        };
        let kind = match (pair(&self.calls, &self.results), open.keeps) {
            (Err(why), _) | (Ok(()), Some(why)) => Kind::Stays(why),
            (Ok(()), None) if open.fetches => Kind::Stays(Why::FreshFetch),
            (Ok(()), None) => Kind::Eligible,
        };
        self.calls.clear();
        self.results.clear();
        self.push(open.start..open.end, kind)
    }

    fn push(&mut self, messages: Range<usize>, kind: Kind) -> Result<(), Error> {
        self.blocks.try_reserve(1)?;
        self.blocks.push(Block { messages, kind });
        Ok(())
    }
}

/// Whether a call's arguments ask for exactly this handle.
fn asks_for(arguments: Raw<'_>, handle: &str) -> bool {
    let inner = match arguments.text() {
        Some(text) => text.decoded(),
        None => arguments.as_str().into(),
    };
    let mut asked = false;
    let read = Reader::new(&inner).object(|r, key| {
        let value = r.skip()?;
        if key == "address" {
            let address = value.text().map(Text::decoded);
            asked =
                address.and_then(|a| a.strip_prefix(ADDRESS).map(|a| a == handle)) == Some(true);
        }
        Ok(())
    });
    read.is_ok() && asked
}

/// Whether every call is answered exactly once: by id, with multiplicity, where
/// all have one; by count where one side has none.
fn pair(calls: &[Option<Text<'_>>], results: &[Option<Text<'_>>]) -> Result<(), Why> {
    let named = |ids: &[Option<Text<'_>>]| ids.iter().flatten().count();
    let (named_calls, named_results) = (named(calls), named(results));
    if named_calls == 0 || named_results == 0 {
        return match results.len().cmp(&calls.len()) {
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Less => Err(Why::Unanswered),
            std::cmp::Ordering::Greater => Err(Why::Doubled),
        };
    }
    if let ([Some(call)], [Some(result)]) = (calls, results) {
        return if call.same(*result) {
            Ok(())
        } else {
            Err(Why::ForeignId)
        };
    }
    let sorted = |ids: &[Option<Text<'_>>]| {
        let mut ids: Vec<_> = ids
            .iter()
            .flatten()
            .map(|id| id.decoded().into_owned())
            .collect();
        ids.sort_unstable();
        ids
    };
    let (asked, given) = (sorted(calls), sorted(results));
    if asked == given && named_calls == calls.len() && named_results == results.len() {
        return Ok(());
    }
    Err(if given.iter().any(|id| asked.binary_search(id).is_err()) {
        Why::ForeignId
    } else if asked.iter().any(|id| given.binary_search(id).is_err())
        || named_calls < calls.len()
        || named_results < results.len()
    {
        Why::Unanswered
    } else {
        Why::Doubled
    })
}
