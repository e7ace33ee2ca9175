//! Which stretches of messages are complete rounds, which of them are aged, and
//! what keeps the others.

use crate::buffer::{copy, push};
use crate::card::{ADDRESS, CALL_ID_BYTES, Card};
use crate::config::{Config, Form, Results};
use crate::error::{Error, ErrorKind};
use crate::format::{Answer, Call, Facts, Format, Role};
use crate::json::{Raw, Reader, Text};
use crate::one_line::{self, in_order};
use crate::said::{Mark, Said, Words};
use crate::shape::Shapes;
use crate::transcript::{Transcript, Visitor};
use std::cmp::Ordering;
use std::ops::Range;

/// Results, and blocks, whose words are remembered at most; what further rounds
/// say is read again for their lines, so that memory does not grow with it.
const REMEMBERED: usize = 2 * 1024;

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
    /// The ids of calls and results that are as long as a TOOL card's.
    pub(crate) call_ids: Vec<Text<'a>>,
    /// The message with which the tail begins.
    horizon: usize,
    said: Said<'a>,
    /// [`Rounds::marks`].
    marks: Vec<Mark>,
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
        let messages = transcript.messages.len();
        Ok(Self {
            horizon: messages.saturating_sub(rounds.config.keep_last),
            transcript,
            blocks: rounds.blocks,
            reasoning: rounds.reasoning,
            call_ids: rounds.call_ids,
            said: rounds.said,
            marks: rounds.marks,
        })
    }

    /// What a round says that may fold; what is not remembered is read again.
    pub(crate) fn words<'s>(
        &'s self,
        block: usize,
        again: &'s mut Again<'a>,
    ) -> Result<Words<'s, 'a>, Error> {
        let words = match self.marks.get(block..) {
            Some([from, to, ..]) => Some(self.said.between(*from, *to)),
            Some([from]) => Some(self.said.since(*from)),
            _ => None,
        };
        if let Some(words) = words.filter(|words| !words.calls.is_empty()) {
            return Ok(words);
        }
        again.round(&self.transcript, &self.blocks[block].messages)
    }

    /// The rounds that a block stands for, if a card may take its place: a round
    /// that may fold, or an older card wholly before the horizon.
    pub(crate) fn goes(&self, block: &Block) -> Option<u64> {
        match block.kind {
            Kind::Eligible => Some(1),
            Kind::Card(rounds) if block.messages.end <= self.horizon => Some(rounds),
            _ => None,
        }
    }

    /// Forgets where messages stand, once every edit is made.
    pub(crate) fn forget_messages(&mut self) {
        self.blocks = Vec::new();
        self.transcript.messages = Vec::new();
    }

    /// Forgets what rounds say; what is asked for yet is read again.
    pub(crate) fn forget_words(&mut self) {
        self.said = Said::default();
        self.marks = Vec::new();
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
                text = copy(&card.decoded()?)?;
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

/// Reads rounds again whose words are not remembered. What it is for is done from
/// front to back, which costs about what it cost to read them first.
pub(crate) struct Again<'a> {
    reader: Reader<'a>,
    shapes: Shapes<'a>,
    facts: Facts<'a>,
    said: Said<'a>,
}

impl<'a> Again<'a> {
    pub(crate) fn new(transcript: &Transcript<'a>) -> Self {
        Self {
            reader: Reader::new(transcript.text),
            shapes: Shapes::default(),
            facts: Facts::default(),
            said: Said::default(),
        }
    }

    /// What a round says.
    fn round(
        &mut self,
        transcript: &Transcript<'a>,
        messages: &Range<usize>,
    ) -> Result<Words<'_, 'a>, Error> {
        self.said.truncate(Mark::default());
        for message in &transcript.messages[messages.clone()] {
            self.reader.go_on(message.start);
            let (reader, facts) = (&mut self.reader, &mut self.facts);
            let facts = self.shapes.facts(reader, transcript.format, facts)?;
            self.said.add(facts)?;
        }
        Ok(self.said.since(Mark::default()))
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
    /// What rounds say that may fold, and the open one.
    said: Said<'a>,
    /// Of the first blocks, where what each says begins; it ends where that of
    /// the next begins.
    marks: Vec<Mark>,
    /// [`REMEMBERED`].
    remembered: usize,
    /// Where that of the open round begins.
    begun: Mark,
    /// Adjacent blocks at the end whose words are remembered.
    run: usize,
    call_ids: Vec<Text<'a>>,
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
        self.marks.clear();
        self.seen = 0;
        self.open = None;
        self.said.truncate(Mark::default());
        self.begun = Mark::default();
        self.run = 0;
        self.call_ids.clear();
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
                if self.has_results() {
                    self.close()?;
                }
                self.lead.get_or_insert(here);
                self.said.add(facts)
            }
            Role::User | Role::Other => self.break_off(),
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
            said: Said::default(),
            marks: Vec::new(),
            remembered: REMEMBERED,
            begun: Mark::default(),
            run: 0,
            call_ids: Vec::new(),
            lead: None,
            last_user: None,
            open_reasoning: false,
            reasoning: false,
        }
    }

    /// Judges every block, once the transcript's end is known.
    fn finish(&mut self) -> Result<(), Error> {
        self.break_off()?;
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
            && !self.has_results();
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
        self.said.add(facts)?;
        for call in &facts.calls {
            let Some(name) = call.name else { continue };
            let fetch_tool = &self.config.fetch_tool;
            open.fetches |= !fetch_tool.is_empty() && name.is(fetch_tool);
            if self.config.keep_tools.iter().any(|kept| name.is(kept)) {
                open.keeps = Some(Why::KeptTool);
            }
        }
        self.note_ids(facts.calls.iter().map(|call| call.id))
    }

    fn results(&mut self, here: usize, facts: &Facts<'a>) -> Result<(), Error> {
        self.note_ids(facts.results.iter().map(|result| result.id))?;
        if self.lead.is_some() {
            // Something stands between calls and results that is neither.
            self.break_off()?;
        }
        let Some(open) = &mut self.open else {
            return self.push(here..here + 1, Kind::Orphan);
        };
        open.end = here + 1;
        if facts.pending {
            open.keeps = Some(Why::Pending);
        }
        self.said.add(facts)?;
        for result in &facts.results {
            if self.config.results == Results::OneLined && open.keeps.is_none() {
                let text = self
                    .format
                    .zip(result.content)
                    .and_then(|(f, raw)| f.single_text(raw));
                if !text
                    .map(one_line::is_one_line)
                    .transpose()?
                    .unwrap_or(false)
                {
                    open.keeps = Some(Why::NotOneLined);
                }
            }
        }
        Ok(())
    }

    /// Takes the message for a card, if it is one; in TOOL form together with
    /// the call before it.
    fn card(&mut self, here: usize, text: Text<'a>, facts: &Facts<'a>) -> Result<bool, Error> {
        let text = text.decoded()?;
        let Some(card) = Card::parse(&text) else {
            return Ok(false);
        };
        let start = if facts.role == Role::Results {
            let Some(call) = self.open.as_mut().and_then(|open| open.lone.take()) else {
                return Ok(false);
            };
            let asked = self.said.since(self.begun).calls.last().copied();
            let follows = self.lead.is_none() && !self.has_results();
            if !follows
                || pair(asked.as_slice(), &facts.results)?.is_some()
                || !asks_for(call.arguments, card.handle)?
            {
                return Ok(false);
            }
            // Calls before the card's own have gone unanswered.
            self.said.calls.pop();
            if let Some(open) = &mut self.open {
                open.end = call.end_before;
            }
            self.close()?;
            call.message
        } else {
            self.break_off()?;
            here
        };
        self.push(start..here + 1, Kind::Card(card.rounds))?;
        Ok(true)
    }

    /// Whether the open round has results.
    fn has_results(&self) -> bool {
        !self.said.since(self.begun).results.is_empty()
    }

    /// Ends the round that is open; what led up to calls led nowhere.
    fn break_off(&mut self) -> Result<(), Error> {
        self.lead = None;
        self.close()?;
        self.said.truncate(self.begun);
        Ok(())
    }

    /// Ends the round that is open, and judges it.
    fn close(&mut self) -> Result<(), Error> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let words = self.said.since(self.begun);
        if words.calls.is_empty() {
            return Ok(());
        }
        let kind = match pair(words.calls, words.results)?.or(open.keeps) {
            Some(why) => Kind::Stays(why),
            None if open.fetches => Kind::Stays(Why::FreshFetch),
            None => Kind::Eligible,
        };
        self.push(open.start..open.end, kind)
    }

    fn push(&mut self, messages: Range<usize>, kind: Kind) -> Result<(), Error> {
        let said = self.begun;
        let marked = self.blocks.len() < self.remembered;
        if may_fold(kind) && marked && self.said.len() < self.remembered {
            self.run = match self.blocks.last() {
                Some(last) if last.messages.end == messages.start => self.run + 1,
                _ => 1,
            };
        } else {
            self.said.truncate(said);
            self.run = 0;
        }
        self.begun = self.said.end();
        if marked {
            push(&mut self.marks, said)?;
        }
        push(&mut self.blocks, Block { messages, kind })?;
        self.forget_old();
        Ok(())
    }

    /// Forgets what rounds say that no card will show: all but the newest of a
    /// run, behind which so many may stay as the tail holds.
    fn forget_old(&mut self) {
        let shown = self.config.max_card_lines.max(1);
        let kept = shown.saturating_add(self.config.keep_last);
        if self.run < kept.saturating_mul(2) {
            return;
        }
        let run = self.blocks.len() - self.run;
        // What is remembered is marked.
        let (old, new) = self.marks[run..].split_at_mut(self.run - kept);
        let (from, to) = (old[0], new[0]);
        self.said.forget(from, to);
        old.fill(from);
        for mark in new {
            *mark = mark.moved(from, to);
        }
        self.begun = self.begun.moved(from, to);
        self.run = kept;
    }

    /// Notes the ids that a TOOL card's must not be.
    fn note_ids(&mut self, ids: impl Iterator<Item = Option<Text<'a>>>) -> Result<(), Error> {
        if self.config.card == Form::Tool {
            for id in ids.flatten() {
                if id.decoded()?.len() == CALL_ID_BYTES {
                    push(&mut self.call_ids, id)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether a block may turn out to be one that folds.
fn may_fold(kind: Kind) -> bool {
    matches!(kind, Kind::Eligible | Kind::Stays(Why::FreshFetch))
}

/// Whether a call's arguments ask for exactly this handle.
fn asks_for(arguments: Option<Raw<'_>>, handle: &str) -> Result<bool, Error> {
    let Some(arguments) = arguments else {
        return Ok(false);
    };
    let inner = arguments.inner()?;
    let mut asked = false;
    let read = Reader::new(&inner).object(|r, key| {
        let value = r.skip()?;
        if key == "address" {
            let address = value.text().map(Text::decoded).transpose()?;
            asked =
                address.and_then(|a| a.strip_prefix(ADDRESS).map(|a| a == handle)) == Some(true);
        }
        Ok(())
    });
    match read {
        Err(error) if error.kind == ErrorKind::Memory => Err(error),
        read => Ok(read.is_ok() && asked),
    }
}

/// What keeps calls and results from being a complete round: every call is
/// answered exactly once, by id, with multiplicity, where all have one, and by
/// count where one side has none.
fn pair(calls: &[Call<'_>], results: &[Answer<'_>]) -> Result<Option<Why>, Error> {
    if let ([call], [result]) = (calls, results)
        && let (Some(call), Some(result)) = (call.id, result.id)
    {
        return Ok((!call.same(result)).then_some(Why::ForeignId));
    }
    let asked = in_order(calls.len(), calls.iter().map(|call| call.id))?;
    let given = in_order(results.len(), results.iter().map(|result| result.id))?;
    if asked.is_empty() || given.is_empty() {
        return Ok(match results.len().cmp(&calls.len()) {
            Ordering::Equal => None,
            Ordering::Less => Some(Why::Unanswered),
            Ordering::Greater => Some(Why::Doubled),
        });
    }
    let all_named = asked.len() == calls.len() && given.len() == results.len();
    let equal = asked.len() == given.len() && asked.iter().zip(&given).all(|(a, g)| a.0.same(g.0));
    if all_named && equal {
        return Ok(None);
    }
    let lacks = |ids: &[(Text<'_>, usize)], id: &(Text<'_>, usize)| {
        ids.binary_search_by(|i| i.0.order(id.0)).is_err()
    };
    Ok(Some(if given.iter().any(|id| lacks(&asked, id)) {
        Why::ForeignId
    } else if !all_named || asked.iter().any(|id| lacks(&given, id)) || given.len() < asked.len() {
        Why::Unanswered
    } else {
        Why::Doubled
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Wire;

    #[test]
    fn what_rounds_say_is_the_same_when_it_is_read_again() {
        let chat = r#"[{"role":"assistant","content":"two","tool_calls":[
            {"id":"a","function":{"name":"x","arguments":"{}"}},
            {"id":"b","function":{"name":"y","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"b","content":"1"},
            {"role":"tool","tool_call_id":"a","content":"2"},
            {"role":"assistant","tool_calls":[{"id":"c","function":{"name":"z"}}]},
            {"role":"tool","tool_call_id":"c","content":"3"}]"#;
        let responses = r#"[{"type":"reasoning","summary":[]},
            {"type":"message","role":"assistant","content":"one"},
            {"type":"function_call","call_id":"a","name":"x","arguments":"{}"},
            {"type":"function_call","call_id":"b","name":"y","arguments":"{}"},
            {"type":"function_call_output","call_id":"a","output":"1"},
            {"type":"function_call_output","call_id":"b","output":"2"},
            {"type":"message","role":"user","content":"go on"},
            {"type":"function_call","call_id":"c","name":"z","arguments":"{}"},
            {"type":"function_call_output","call_id":"c","output":"3"}]"#;
        for (wire, document) in [(Wire::Chat, chat), (Wire::Responses, responses)] {
            let config = Config {
                keep_last: 0,
                results: Results::Any,
                format: Some(wire),
                ..Config::default()
            };
            let said = |remembered| {
                let mut rounds = Rounds::new(&config);
                rounds.remembered = remembered;
                let transcript = Transcript::read(document.as_bytes(), &config, &mut rounds);
                let reading = Reading::new(transcript.unwrap(), rounds).unwrap();
                let blocks = reading.blocks.iter().enumerate();
                let going = blocks.filter(|(_, block)| block.kind == Kind::Eligible);
                let mut again = Again::new(&reading.transcript);
                let words = going
                    .map(|(index, _)| format!("{:?}", reading.words(index, &mut again).unwrap()));
                words.collect::<Vec<_>>()
            };
            let remembered = said(REMEMBERED);
            assert_eq!(remembered.len(), 2);
            assert_eq!(said(0), remembered);
            assert_eq!(said(1), remembered);
            assert_eq!(said(3), remembered);
        }
    }
}
