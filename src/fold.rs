//! The fold: plan, gate, mint, splice.
//!
//! The mint belongs to the host, so the fold stops for it: [`Fold::plan`] does
//! everything up to the first mint, the caller takes each span and brings its
//! handle, [`Fold::finish`] does the rest. Nothing here ever calls out.

use crate::buffer::{Buffer, copy, push};
use crate::card::{self, Card};
use crate::config::{Config, Form, Grouping};
use crate::draft::{Draft, Size};
use crate::error::{Error, ErrorKind};
use crate::format::{CardMessage, Facts, Role};
use crate::json::{self, Text};
use crate::known::Known;
use crate::one_line::{Writer, in_order};
use crate::receipt;
use crate::round::{Block, Kind, Reading};
use crate::said::Said;
use crate::summary::{Output, Summary, Verdict};
use crate::tokens::Tokens;
use crate::transcript::{Edit, kept_prefix, splice};
use std::borrow::Cow;
use std::ops::Range;

/// The handle's length that the gate reckons with before a mint has spoken.
pub(crate) const GATE_HANDLE_BYTES: usize = 64;

/// A fold under way.
pub struct Fold<'a, 'c> {
    config: &'c Config,
    reading: Reading<'a>,
    drafts: Vec<Draft>,
    verdict: Verdict,
    finished: bool,
    /// The ids that no TOOL card's call may have: the document's, in order, once
    /// a card is minted, and those of other cards.
    taken: Vec<(Text<'a>, usize)>,
    given: Known<'static>,
}

impl<'a, 'c> Fold<'a, 'c> {
    /// Reads the document and decides what goes: everything up to the mint.
    pub fn plan(document: &'a [u8], config: &'c Config) -> Result<Self, Error> {
        config.check()?;
        let mut fold = Self {
            config,
            reading: Reading::of_document(document, config)?,
            drafts: Vec::new(),
            verdict: Verdict::Nothing,
            finished: false,
            taken: Vec::new(),
            given: Known::default(),
        };
        let any_dropped = fold.draft()?;
        fold.reading.forget_words();
        let rounds: usize = fold.drafts.iter().map(|draft| draft.rounds).sum();
        fold.verdict = if rounds < config.min_rounds.max(1) {
            if any_dropped {
                Verdict::NotSmaller
            } else {
                Verdict::Nothing
            }
        } else if !fold.wins_enough() {
            Verdict::NotSmaller
        } else {
            Verdict::Planned
        };
        if fold.verdict != Verdict::Planned {
            fold.drafts.clear();
        }
        Ok(fold)
    }

    /// Spans that want a handle; 0 when nothing goes.
    pub fn spans(&self) -> usize {
        self.drafts.len()
    }

    /// The messages that one card will replace, verbatim, one a line.
    pub fn span(&self, index: usize) -> Result<String, Error> {
        self.check_open()?;
        let draft = &self.drafts[index];
        let transcript = &self.reading.transcript;
        let mut span = Buffer::with_capacity(draft.replaced.bytes)?;
        for blocks in &draft.blocks {
            let blocks = &self.reading.blocks[blocks.clone()];
            let (first, last) = (
                blocks[0].messages.start,
                blocks[blocks.len() - 1].messages.end,
            );
            // Most documents stand on one line; one look tells.
            let broken = transcript.is_broken(first..last);
            for message in blocks.iter().flat_map(|block| block.messages.clone()) {
                if !span.is_empty() {
                    span.push("\n");
                }
                let message = transcript.message(message);
                match broken {
                    true => push_line(message, &mut span),
                    false => span.push(message),
                }
            }
        }
        span.finish()
    }

    /// Takes the handle that the mint gave a span.
    pub fn take(&mut self, index: usize, handle: &[u8]) -> Result<(), Error> {
        self.check_open()?;
        let handle = usable_handle(handle)?;
        if self.drafts[index].head.is_empty() {
            return Err(Error::new(
                ErrorKind::Argument,
                format!("expected a handle for another span; span {index} has been given one"),
            ));
        }
        let call_id = self.free_call_id(handle)?;
        let head = std::mem::take(&mut self.drafts[index].head);
        let message = self.message(&self.drafts[index], head, handle, &call_id)?;
        let draft = &mut self.drafts[index];
        draft.handle = copy(handle)?;
        draft.bytes = message.len();
        draft.message = message;
        Ok(())
    }

    /// The mint declined: nothing goes.
    pub fn decline(&mut self) {
        self.drafts.clear();
        self.verdict = Verdict::Declined;
    }

    /// The document as planned, unchanged, with the counts as if folded.
    pub fn planned(&self) -> Result<Output<'_>, Error> {
        self.check_open()?;
        let mut summary = self.summary()?;
        summary.rounds_folded = 0;
        summary.handle = None;
        summary.prefix_len = self.reading.transcript.text.len();
        Ok(Output {
            pieces: vec![self.reading.transcript.text],
            summary,
        })
    }

    /// The folded document, once every span has its handle. It is the last that
    /// is to be had of this fold.
    pub fn finish(&mut self) -> Result<Output<'_>, Error> {
        self.check_open()?;
        self.finished = true;
        if self.verdict == Verdict::Planned {
            let grows = |draft: &Draft| !self.smaller(draft.bytes, draft.replaced);
            if self.drafts.iter().any(grows) || !self.wins_enough() {
                self.drafts.clear();
                self.verdict = Verdict::NotSmaller;
            } else {
                self.verdict = Verdict::Folded;
            }
        }
        let mut summary = self.summary()?;
        let text = self.reading.transcript.text;
        let edits = edits(&self.reading, &self.drafts)?;
        summary.prefix_len = kept_prefix(text, &edits);
        // The output needs their room.
        self.reading.forget_messages();
        Ok(Output {
            pieces: splice(text, &edits)?,
            summary,
        })
    }

    /// Refuses what is asked of a fold that is finished.
    fn check_open(&self) -> Result<(), Error> {
        match self.finished {
            false => Ok(()),
            true => Err(Error::new(
                ErrorKind::Argument,
                "expected a fold that is not finished; plan it again",
            )),
        }
    }

    /// Drafts every card that is worth it; says whether one was not.
    fn draft(&mut self) -> Result<bool, Error> {
        let groups = match self.config.grouping {
            Grouping::Runs => self.runs()?,
            Grouping::All => self.all()?,
        };
        let mut writer = Writer::new(self.reading.transcript.format, self.config);
        let mut text = Buffer::default();
        let handle = "x".repeat(GATE_HANDLE_BYTES);
        let call_id = card::call_id(&handle, 0);
        let mut any_dropped = false;
        for blocks in groups {
            let mut draft = Draft {
                blocks,
                ..Draft::default()
            };
            let (mut rounds, mut absorbed, mut media, mut stands_for) = (0, 0, 0, 0u64);
            for block in draft.covered(&self.reading.blocks) {
                match block.kind {
                    Kind::Card(before) => {
                        absorbed += 1;
                        stands_for = stands_for.saturating_add(before);
                    }
                    _ => {
                        rounds += 1;
                        stands_for = stands_for.saturating_add(1);
                    }
                }
                media += self.reading.transcript.media_in(&block.messages);
            }
            let bytes = replaced(&self.reading, &draft)?
                .iter()
                .map(Range::len)
                .sum();
            draft.rounds = rounds;
            draft.stands_for = stands_for;
            draft.absorbed = absorbed;
            draft.replaced = Size {
                bytes,
                weight: bytes - media,
            };
            text.truncate(0);
            self.write_head(&draft, &mut writer, &mut text)?;
            text.check()?;
            draft.head = Buffer::with_capacity(text.len() + text.len() / 8)?;
            draft.head.push("\"");
            json::escape(&text, &mut draft.head);
            // Only its length is kept: the real handle makes it anew.
            let no_head = Buffer::with_capacity(4 * GATE_HANDLE_BYTES)?;
            let rest = self.message(&draft, no_head, &handle, &call_id)?;
            draft.bytes = draft.head.len() + rest.len();
            if self.smaller(draft.bytes, draft.replaced) {
                push(&mut self.drafts, draft)?;
            } else {
                any_dropped = true;
            }
        }
        Ok(any_dropped)
    }

    /// RUNS: one card a run, which absorbs the card directly before it while
    /// that one stands for at most twice as many rounds as the new one.
    ///
    /// So n rounds in a row leave O(log n) cards, each round is written again
    /// O(log n) times, and the oldest card, on which most of a provider's
    /// prefix cache depends, changes least.
    fn runs(&self) -> Result<Vec<Vec<Range<usize>>>, Error> {
        /// Adjacent blocks: a card that stands, or what one card will cover.
        struct Group {
            blocks: Range<usize>,
            stands_for: u64,
            new: bool,
        }
        fn merge(stretch: &mut Vec<Group>) {
            while let [.., before, last] = stretch.as_mut_slice()
                && last.new
                && before.stands_for / 2 <= last.stands_for
                && before.stands_for <= last.stands_for.saturating_mul(2)
            {
                before.stands_for = before.stands_for.saturating_add(last.stands_for);
                before.blocks.end = last.blocks.end;
                before.new = true;
                stretch.pop();
            }
        }
        /// Ends a stretch: each of its groups that is new is a run.
        fn end(stretch: &mut Vec<Group>, runs: &mut Vec<Vec<Range<usize>>>) -> Result<(), Error> {
            merge(stretch);
            runs.try_reserve(stretch.len())?;
            let new = stretch.drain(..).filter(|group| group.new);
            runs.extend(new.map(|group| vec![group.blocks]));
            Ok(())
        }
        let mut runs = Vec::new();
        let mut stretch: Vec<Group> = Vec::new();
        let mut in_run = false;
        for (index, block) in self.reading.blocks.iter().enumerate() {
            let adjacent =
                index > 0 && self.reading.blocks[index - 1].messages.end == block.messages.start;
            let stands_for = self.goes(block);
            if !adjacent || stands_for.is_none() {
                end(&mut stretch, &mut runs)?;
                in_run = false;
            }
            let Some(stands_for) = stands_for else {
                continue;
            };
            let new = block.kind == Kind::Eligible;
            match stretch.last_mut() {
                Some(last) if in_run && new => {
                    last.blocks.end = index + 1;
                    last.stands_for += 1;
                }
                _ => {
                    merge(&mut stretch);
                    let blocks = index..index + 1;
                    push(
                        &mut stretch,
                        Group {
                            blocks,
                            stands_for,
                            new,
                        },
                    )?;
                }
            }
            in_run = new;
        }
        end(&mut stretch, &mut runs)?;
        Ok(runs)
    }

    /// ALL: one card for every round that goes, and every card that stands.
    fn all(&self) -> Result<Vec<Vec<Range<usize>>>, Error> {
        if self.reading.count(|kind| *kind == Kind::Eligible) == 0 {
            return Ok(Vec::new());
        }
        let mut going: Vec<Range<usize>> = Vec::new();
        for (index, block) in self.reading.blocks.iter().enumerate() {
            if self.goes(block).is_none() {
                continue;
            }
            match going.last_mut() {
                Some(last) if last.end == index => last.end += 1,
                _ => push(&mut going, index..index + 1)?,
            }
        }
        Ok(vec![going])
    }

    /// The rounds that a block stands for, if a card may take its place: a round
    /// that may fold, or an older card wholly before the horizon.
    fn goes(&self, block: &Block) -> Option<u64> {
        match block.kind {
            Kind::Eligible => Some(1),
            Kind::Card(rounds) if self.aged(block) => Some(rounds),
            _ => None,
        }
    }

    /// Whether a block stands wholly before the horizon.
    fn aged(&self, block: &Block) -> bool {
        let horizon = self
            .reading
            .transcript
            .messages
            .len()
            .saturating_sub(self.config.keep_last);
        block.messages.end <= horizon
    }

    /// Writes a card but for its last line: the newest lines, oldest first, of
    /// cards that it absorbs and of rounds.
    fn write_head(
        &self,
        draft: &Draft,
        writer: &mut Writer<'_>,
        out: &mut Buffer,
    ) -> Result<(), Error> {
        let max = self.config.max_card_lines;
        let covered = || draft.blocks.iter().cloned().flatten();
        // From the newest back, until there are lines enough.
        let (mut blocks, mut lines) = (0, 0);
        for index in covered().rev() {
            if lines >= max {
                break;
            }
            blocks += 1;
            lines += match self.reading.blocks[index].kind {
                Kind::Card(_) => self.told(index)?,
                _ => 1,
            };
        }
        card::write_head(draft.stands_for, lines.min(max) as u64, out);
        let mut again = Said::default();
        // Of the first one that is told of, the oldest lines may be too many.
        let mut skipped = lines.saturating_sub(max);
        for index in covered().skip(covered().count() - blocks) {
            match self.reading.blocks[index].kind {
                Kind::Card(_) => self.absorb(index, skipped, out)?,
                _ => {
                    out.push(card::DASH);
                    let words = self.reading.words(index, &mut again)?;
                    writer.round(words, out)?;
                    out.push("\n");
                }
            }
            skipped = 0;
        }
        Ok(())
    }

    /// How many lines a card has that stands.
    fn told(&self, block: usize) -> Result<usize, Error> {
        let text = self.reading.card_text(&self.reading.blocks[block])?;
        Ok(Card::parse(&text).map_or(0, |card| card.lines().count()))
    }

    /// Writes the lines of a card that stands, without the oldest ones.
    fn absorb(&self, block: usize, skipped: usize, out: &mut Buffer) -> Result<(), Error> {
        let text = self.reading.card_text(&self.reading.blocks[block])?;
        let card = Card::parse(&text);
        for line in card.iter().flat_map(Card::lines).skip(skipped) {
            out.push_all(&[card::DASH, line, "\n"]);
        }
        Ok(())
    }

    /// The message, or the two messages, of a draft with this head under a
    /// handle.
    fn message(
        &self,
        draft: &Draft,
        head: Buffer,
        handle: &str,
        call_id: &str,
    ) -> Result<String, Error> {
        let mut foot = Buffer::with_capacity(handle.len() + 2 * GATE_HANDLE_BYTES)?;
        card::write_foot(handle, &self.config.fetch_tool, &mut foot);
        let mut json = head;
        json::escape(&foot.finish()?, &mut json);
        json.push("\"");
        let json = json.finish()?;

        let Some(round) = draft
            .covered(&self.reading.blocks)
            .find(|block| block.kind == Kind::Eligible)
        else {
            return Ok(json);
        };
        let mut like = Facts::default();
        if self.config.card == Form::Tool {
            self.reading.each(&round.messages, |facts| {
                if facts.role == Role::Calls && like.calls.is_empty() {
                    like.calls = std::mem::take(&mut facts.calls);
                }
                Ok(())
            })?;
        }
        let mut out = Buffer::with_capacity(json.len() + 2 * GATE_HANDLE_BYTES)?;
        self.reading.transcript.format.write_card(
            &CardMessage {
                form: self.config.card,
                json: &json,
                handle,
                fetch_tool: &self.config.fetch_tool,
                call_id,
                signed: self.reading.reasoning,
                separator: self
                    .reading
                    .transcript
                    .separator_before(round.messages.start + 1),
                like: &like,
            },
            &mut out,
        );
        out.finish()
    }

    /// The first id derived from the handle that no call of the document has;
    /// nor will another card's.
    fn free_call_id(&mut self, handle: &str) -> Result<String, Error> {
        if self.config.card != Form::Tool {
            return Ok(String::new());
        }
        if self.taken.is_empty() {
            let ids = std::mem::take(&mut self.reading.call_ids);
            self.taken = in_order(ids.len(), ids.into_iter().map(Some))?;
        }
        let is_taken = |id: &str| {
            let of_a_card = self.given.number(id).is_some();
            let id = Text::within(id);
            of_a_card || self.taken.binary_search_by(|t| t.0.order(id)).is_ok()
        };
        let mut attempt = 0;
        let mut id = card::call_id(handle, attempt);
        while is_taken(&id) {
            attempt += 1;
            id = card::call_id(handle, attempt);
        }
        self.given.add(Cow::Owned(id.clone()), 0)?;
        Ok(id)
    }

    /// Whether a card is smaller than what it replaces.
    fn smaller(&self, bytes: usize, replaced: Size) -> bool {
        let tokens = Tokens::new(self.config.bytes_per_token);
        bytes < replaced.bytes && tokens.of(bytes) < tokens.of(replaced.weight)
    }

    /// Bytes that the estimate counts after the fold.
    fn weight_after(&self) -> usize {
        let won: usize = self
            .drafts
            .iter()
            .map(|draft| draft.replaced.weight - draft.bytes)
            .sum();
        self.reading.transcript.weight() - won
    }

    /// Whether the fold wins as many estimated tokens as are wanted: one at
    /// least, or the document would not have become smaller.
    fn wins_enough(&self) -> bool {
        let tokens = Tokens::new(self.config.bytes_per_token);
        let won = tokens.of(self.reading.transcript.weight()) - tokens.of(self.weight_after());
        won >= self.config.min_reclaim.max(1)
    }

    fn summary(&self) -> Result<Summary, Error> {
        let gone: usize = self
            .drafts
            .iter()
            .flat_map(|draft| draft.covered(&self.reading.blocks))
            .map(|block| block.messages.len())
            .sum();
        let tokens = Tokens::new(self.config.bytes_per_token);
        let absorbed: usize = self.drafts.iter().map(|draft| draft.absorbed).sum();
        let messages = self.reading.transcript.messages.len();
        Ok(Summary {
            verdict: self.verdict,
            handle: self.drafts.last().map(|draft| draft.handle.clone()),
            rounds_eligible: self.reading.count(|kind| *kind == Kind::Eligible),
            rounds_folded: self.drafts.iter().map(|draft| draft.rounds).sum(),
            cards: self.reading.count(|kind| matches!(kind, Kind::Card(_))) - absorbed
                + self.drafts.len(),
            messages_before: messages,
            messages_after: messages - gone + Draft::messages(self.config) * self.drafts.len(),
            tokens_before: tokens.of(self.reading.transcript.weight()),
            tokens_after: tokens.of(self.weight_after()),
            prefix_len: 0,
            receipt: match self.config.receipt {
                true => Some(receipt::of_fold(
                    &self.reading,
                    self.config,
                    &self.drafts,
                    self.verdict,
                )?),
                false => None,
            },
        })
    }
}

/// A mint's answer, if it can stand in a card.
pub(crate) fn usable_handle(handle: &[u8]) -> Result<&str, Error> {
    let text = std::str::from_utf8(handle).ok();
    text.filter(|handle| card::is_handle(handle)).ok_or_else(|| {
        let sentence = format!(
            "the mint returned a handle of {} bytes that cannot stand in a card; expected 1 to 256 bytes of A-Z a-z 0-9 . _ ~ : / @ = + -",
            handle.len()
        );
        Error::new(ErrorKind::Handle, sentence)
    })
}

/// The bytes that a card replaces, in order. The card stands where the first of
/// them stood; what goes elsewhere takes the separator before it along.
fn replaced(reading: &Reading<'_>, draft: &Draft) -> Result<Vec<Range<usize>>, Error> {
    let messages = &reading.transcript.messages;
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut last_end = None;
    for block in draft.covered(&reading.blocks) {
        let (start, end) = (block.messages.start, block.messages.end);
        let bytes = match last_end {
            Some(_) => messages[start - 1].end..messages[end - 1].end,
            None => messages[start].start..messages[end - 1].end,
        };
        match ranges.last_mut() {
            Some(range) if last_end == Some(start) => range.end = bytes.end,
            _ => push(&mut ranges, bytes)?,
        }
        last_end = Some(end);
    }
    Ok(ranges)
}

/// What becomes of the document.
fn edits<'d>(reading: &Reading<'_>, drafts: &'d [Draft]) -> Result<Vec<Edit<'d>>, Error> {
    let mut edits = Vec::new();
    for draft in drafts {
        let mut with = draft.message.as_str();
        for bytes in replaced(reading, draft)? {
            push(&mut edits, Edit { bytes, with })?;
            with = "";
        }
    }
    Ok(edits)
}

/// Writes a message on one line: white space around a line break goes, which
/// can only stand between tokens.
pub(crate) fn push_line(message: &str, span: &mut Buffer) {
    let mut rest = message;
    while let Some(at) = memchr::memchr(b'\n', rest.as_bytes()) {
        span.push(rest[..at].trim_end_matches([' ', '\t', '\r']));
        rest = rest[at + 1..].trim_start_matches([' ', '\t', '\r']);
    }
    span.push(rest);
}

/// Folds a document with a mint that is a closure; `None` declines.
pub fn fold(
    document: &[u8],
    config: &Config,
    mut mint: impl FnMut(&str) -> Option<String>,
) -> Result<(String, Summary), Error> {
    let mut fold = Fold::plan(document, config)?;
    for index in 0..fold.spans() {
        let handle = mint(&fold.span(index)?);
        match handle {
            Some(handle) => fold.take(index, handle.as_bytes())?,
            None => {
                fold.decline();
                break;
            }
        }
    }
    let folded = fold.finish()?;
    Ok((folded.pieces.concat(), folded.summary))
}
