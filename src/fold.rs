//! The fold: plan, gate, mint, write.
//!
//! The mint belongs to the host, so the fold stops for it: [`Fold::plan`] does
//! everything up to the first mint, the caller takes each span and brings its
//! handle, [`Fold::finish`] does the rest. Nothing here ever calls out.

use crate::buffer::{Buffer, push};
use crate::card::{self, Card};
use crate::config::{Config, Form, Grouping};
use crate::draft::{Draft, Size};
use crate::error::{Error, ErrorKind};
use crate::format::{CardMessage, Facts, Role};
use crate::json::{self, Text};
use crate::known::Known;
use crate::one_line::{Writer, in_order};
use crate::receipt;
use crate::round::{Again, Block, Kind, Reading};
use crate::summary::{self, Output, Summary, Verdict};
use crate::tokens::Tokens;
use crate::transcript::{Slice, common_prefix};
use std::borrow::Cow;
use std::ops::Range;

/// The handle's length that the gate reckons with before a mint has spoken.
pub(crate) const GATE_HANDLE_BYTES: usize = 64;
/// Bytes of cards' heads that are remembered in any case.
const REMEMBERED: usize = 64 * 1024;
/// Bytes of a head's lines that are handed over together.
const LINES_BYTES: usize = 8 * 1024;
/// Bytes that a message may cost beside the document, its output and the
/// largest span.
const MESSAGE_BYTES: usize = 64;
/// Bytes that a card costs whose pieces are listed, beside its head.
const PIECES_BYTES: usize = size_of::<Draft>() + 3 * GATE_HANDLE_BYTES;

/// A fold under way.
pub struct Fold<'a, 'c> {
    config: &'c Config,
    reading: Reading<'a>,
    drafts: Vec<Draft>,
    /// Rounds that go.
    rounds: usize,
    /// Cards that are absorbed.
    absorbed: usize,
    /// The heads that are remembered: cards but for their last lines, inside
    /// JSON strings, one behind another.
    heads: Buffer,
    /// The handles, one behind another.
    handles: Buffer,
    /// What stands around heads, where all are remembered.
    frames: Buffer,
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
            rounds: 0,
            absorbed: 0,
            heads: Buffer::default(),
            handles: Buffer::default(),
            frames: Buffer::default(),
            verdict: Verdict::Nothing,
            finished: false,
            taken: Vec::new(),
            given: Known::default(),
        };
        let any_dropped = fold.draft()?;
        fold.reading.forget_words();
        let verdict = if fold.rounds < config.min_rounds.max(1) {
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
        match verdict {
            Verdict::Planned => fold.verdict = verdict,
            _ => fold.leave(verdict),
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
        for stretch in draft.stretches(&self.reading, self.config.grouping) {
            // Most documents stand on one line; one look tells.
            let broken = transcript.is_broken(stretch.clone());
            for message in stretch {
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
        if self.drafts[index].handle_len > 0 {
            return Err(Error::new(
                ErrorKind::Argument,
                format!("expected a handle for another span; span {index} has been given one"),
            ));
        }
        let attempt = self.free_call_id(handle)?;
        if self.handles.is_empty() {
            // Most mints give handles of one length.
            self.handles = Buffer::with_capacity(handle.len() * self.drafts.len())?;
        }
        let at = self.handles.len();
        self.handles.push(handle);
        self.handles.check()?;
        let draft = &mut self.drafts[index];
        draft.handle_at = at;
        // At most 256.
        draft.handle_len = handle.len() as u16;
        draft.attempt = attempt;
        // Each of its messages names the handle once; ids are all of one length.
        draft.bytes -= Draft::messages(self.config) * GATE_HANDLE_BYTES;
        draft.bytes += Draft::messages(self.config) * handle.len();
        Ok(())
    }

    /// The mint declined: nothing goes.
    pub fn decline(&mut self) {
        self.leave(Verdict::Declined);
    }

    /// Leaves the document as it is.
    fn leave(&mut self, verdict: Verdict) {
        self.drafts.clear();
        (self.rounds, self.absorbed) = (0, 0);
        self.verdict = verdict;
    }

    /// The document as planned, unchanged, with the counts as if folded.
    pub fn planned(&self) -> Result<Output<'_>, Error> {
        self.check_open()?;
        let mut summary = self.summary()?;
        summary.rounds_folded = 0;
        summary.handle = None;
        summary.prefix_len = self.reading.transcript.text.len();
        let text = self.reading.transcript.text;
        Ok(Output::of_pieces(vec![text], summary))
    }

    /// The folded document, once every span has its handle. It is the last that
    /// is to be had of this fold.
    pub fn finish(&mut self) -> Result<Output<'_>, Error> {
        self.check_open()?;
        if self.verdict == Verdict::Planned {
            if self.drafts.iter().any(|draft| draft.handle_len == 0) {
                return Err(Error::new(
                    ErrorKind::Argument,
                    "expected a handle for every span before the fold is finished",
                ));
            }
            let grows = |draft: &Draft| !self.smaller(draft.bytes, draft.replaced);
            if self.drafts.iter().any(grows) || !self.wins_enough() {
                self.leave(Verdict::NotSmaller);
            } else {
                self.verdict = Verdict::Folded;
            }
        }
        self.finished = true;
        // The output needs the room of what served to give handles.
        self.taken = Vec::new();
        self.given = Known::default();
        let mut summary = self.summary()?;
        summary.prefix_len = self.kept_prefix()?;
        if !self.lists_pieces() {
            let drafts = self.drafts.iter();
            let won: usize = drafts.map(|draft| draft.replaced.bytes - draft.bytes).sum();
            let len = self.reading.transcript.text.len() - won;
            return Ok(Output::of_writer(self, len, summary));
        }
        let pieces = self.pieces()?;
        Ok(Output::of_pieces(pieces, summary))
    }

    /// Whether all heads are remembered, and the pieces of all cards take no more
    /// room than messages may.
    fn lists_pieces(&self) -> bool {
        let end = self.drafts.last().map_or(0, |draft| draft.head.end);
        let room = MESSAGE_BYTES * self.reading.transcript.messages.len();
        end <= self.heads.len()
            && self.heads.len() + PIECES_BYTES * self.drafts.len() <= room + REMEMBERED
    }

    /// The folded document, all of whose heads are remembered: what stands around
    /// them is written first, so that it has the room of what is forgotten then.
    fn pieces(&mut self) -> Result<Vec<&str>, Error> {
        let text = self.reading.transcript.text;
        let mut frames = Buffer::default();
        let mut edits = Vec::new();
        for draft in &self.drafts {
            let (start, handle) = (frames.len(), draft.handle(&self.handles));
            let head = self.write_frame(draft, handle, draft.attempt, &mut frames)?;
            let mut with = (start, head, draft.head.clone(), frames.len());
            for bytes in draft.replaced(&self.reading, self.config.grouping) {
                push(&mut edits, (bytes, with))?;
                with = (0, 0, 0..0, 0);
            }
        }
        self.frames = frames;
        self.reading.forget_messages();
        let mut pieces = Vec::new();
        pieces.try_reserve_exact(4 * edits.len() + 1)?;
        let mut at = 0;
        for (bytes, (open, head, range, close)) in edits {
            pieces.extend([
                &text[at..bytes.start],
                &self.frames[open..head],
                &self.heads[range],
                &self.frames[head..close],
            ]);
            at = bytes.end;
        }
        pieces.push(&text[at..]);
        Ok(pieces)
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
        self.drafts.try_reserve_exact(groups.len())?;
        let mut lines = self.lines();
        let (mut heads, mut frame) = (Buffer::default(), Buffer::default());
        let handle = "x".repeat(GATE_HANDLE_BYTES);
        let mut remembered = self.room(groups.len()).max(REMEMBERED);
        let mut any_dropped = false;
        for blocks in groups {
            let mut draft = Draft {
                blocks,
                ..Draft::default()
            };
            let replaced = draft.replaced(&self.reading, self.config.grouping);
            let bytes = replaced.map(|range| range.len()).sum();
            let stretches = draft.stretches(&self.reading, self.config.grouping);
            let media: usize = stretches
                .map(|stretch| self.reading.transcript.media_in(&stretch))
                .sum();
            draft.replaced = Size {
                bytes,
                weight: bytes - media,
            };
            // The span is freed before the document is written.
            remembered = remembered.max(bytes);
            let start = self.drafts.last().map_or(0, |draft| draft.head.end);
            let mut end = start;
            let count = draft.count(&self.reading);
            self.write_head(&draft, count.stands_for, &mut lines, &mut |text| {
                if heads.len() == end && end + text.len() <= remembered {
                    heads.push(text);
                }
                end += text.len();
            })?;
            heads.check()?;
            draft.head = start..end;
            // Only those of TOOL cards are not all alike.
            if frame.is_empty() || self.config.card == Form::Tool {
                frame.truncate(0);
                self.write_frame(&draft, &handle, 0, &mut frame)?;
            }
            draft.bytes = draft.head.len() + frame.len();
            let smaller = self.smaller(draft.bytes, draft.replaced);
            if !smaller || heads.len() < end {
                heads.truncate(start);
            }
            if smaller {
                self.rounds += count.rounds;
                self.absorbed += count.absorbed;
                self.drafts.push(draft);
            } else {
                any_dropped = true;
            }
        }
        self.heads = heads;
        Ok(any_dropped)
    }

    /// Bytes that the messages may cost and do not, with so many cards.
    fn room(&self, cards: usize) -> usize {
        let messages = self.reading.transcript.messages.len();
        (messages * (MESSAGE_BYTES - size_of::<Slice>()))
            .saturating_sub(self.reading.blocks.len() * size_of::<Block>())
            .saturating_sub(cards * (size_of::<Draft>() + GATE_HANDLE_BYTES))
    }

    /// RUNS: one card a run, which absorbs the card directly before it while
    /// that one stands for at most twice as many rounds as the new one.
    ///
    /// So n rounds in a row leave O(log n) cards, each round is written again
    /// O(log n) times, and the oldest card, on which most of a provider's
    /// prefix cache depends, changes least.
    fn runs(&self) -> Result<Vec<Range<usize>>, Error> {
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
        fn end(stretch: &mut Vec<Group>, runs: &mut Vec<Range<usize>>) -> Result<(), Error> {
            merge(stretch);
            runs.try_reserve(stretch.len())?;
            let new = stretch.drain(..).filter(|group| group.new);
            runs.extend(new.map(|group| group.blocks));
            Ok(())
        }
        let mut runs = Vec::new();
        let mut stretch: Vec<Group> = Vec::new();
        let mut in_run = false;
        for (index, block) in self.reading.blocks.iter().enumerate() {
            let adjacent =
                index > 0 && self.reading.blocks[index - 1].messages.end == block.messages.start;
            let stands_for = self.reading.goes(block);
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
    fn all(&self) -> Result<Vec<Range<usize>>, Error> {
        if self.reading.count(|kind| *kind == Kind::Eligible) == 0 {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        push(&mut all, 0..self.reading.blocks.len())?;
        Ok(all)
    }

    /// Memory for lines.
    fn lines(&self) -> Lines<'a, 'c> {
        Lines {
            again: Again::new(&self.reading.transcript),
            writer: Writer::new(self.reading.transcript.format, self.config),
            text: Buffer::default(),
            json: Buffer::default(),
        }
    }

    /// Writes a card but for its last line, inside a JSON string, line by line:
    /// the newest lines, oldest first, of cards that it absorbs and of rounds.
    fn write_head(
        &self,
        draft: &Draft,
        stands_for: u64,
        lines: &mut Lines<'a, '_>,
        put: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        let max = self.config.max_card_lines;
        // From the newest back, until there are lines enough.
        let (mut first, mut told) = (draft.blocks.end, 0);
        let goes = |index: &usize| self.reading.goes(&self.reading.blocks[*index]).is_some();
        for index in draft.blocks.clone().rev().filter(goes) {
            if told >= max {
                break;
            }
            first = index;
            told += match self.reading.blocks[index].kind {
                Kind::Card(_) => self.told(index)?,
                _ => 1,
            };
        }
        card::write_head(stands_for, told.min(max) as u64, &mut lines.text);
        // Of the first one that is told of, the oldest lines may be too many.
        let mut skipped = told.saturating_sub(max);
        for index in (first..draft.blocks.end).filter(goes) {
            match self.reading.blocks[index].kind {
                Kind::Card(_) => self.absorb(index, skipped, lines, put)?,
                _ => {
                    lines.text.push(card::DASH);
                    let words = self.reading.words(index, &mut lines.again)?;
                    lines.writer.round(words, &mut lines.text)?;
                    lines.text.push("\n");
                    if lines.text.len() > LINES_BYTES {
                        lines.put(put)?;
                    }
                }
            }
            skipped = 0;
        }
        lines.put(put)
    }

    /// How many lines a card has that stands.
    fn told(&self, block: usize) -> Result<usize, Error> {
        let text = self.reading.card_text(&self.reading.blocks[block])?;
        Ok(Card::parse(&text).map_or(0, |card| card.lines().count()))
    }

    /// Writes the lines of a card that stands, without the oldest ones.
    fn absorb(
        &self,
        block: usize,
        skipped: usize,
        lines: &mut Lines<'a, '_>,
        put: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        let text = self.reading.card_text(&self.reading.blocks[block])?;
        let card = Card::parse(&text);
        for line in card.iter().flat_map(Card::lines).skip(skipped) {
            lines.text.push_all(&[card::DASH, line, "\n"]);
            if lines.text.len() > LINES_BYTES {
                lines.put(put)?;
            }
        }
        Ok(())
    }

    /// Writes what stands around the head of a draft in its message, or its two
    /// messages, under a handle; returns where the head stands.
    fn write_frame(
        &self,
        draft: &Draft,
        handle: &str,
        attempt: u32,
        out: &mut Buffer,
    ) -> Result<usize, Error> {
        let mut covered = draft.covered(&self.reading);
        let round = covered.find(|block| block.kind == Kind::Eligible);
        let (mut like, mut separator) = (Facts::default(), "");
        if let Some(round) = round.filter(|_| self.config.card == Form::Tool) {
            separator = self
                .reading
                .transcript
                .separator_before(round.messages.start + 1);
            self.reading.each(&round.messages, |facts| {
                if facts.role == Role::Calls && like.calls.is_empty() {
                    like.calls = std::mem::take(&mut facts.calls);
                }
                Ok(())
            })?;
        }
        let close = self.reading.transcript.format.write_card(
            &CardMessage {
                form: self.config.card,
                handle,
                fetch_tool: &self.config.fetch_tool,
                call_id: &self.call_id(handle, attempt),
                signed: self.reading.reasoning,
                separator,
                like: &like,
            },
            out,
        );
        out.push("\"");
        let head = out.len();
        card::write_foot(handle, &self.config.fetch_tool, out);
        out.push_all(&["\"", close]);
        out.check()?;
        Ok(head)
    }

    /// Writes the message, or the two messages, of a draft that has its handle.
    fn write_card(
        &self,
        draft: &Draft,
        lines: &mut Lines<'a, '_>,
        put: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        let (mut frame, handle) = (Buffer::default(), draft.handle(&self.handles));
        let head = self.write_frame(draft, handle, draft.attempt, &mut frame)?;
        let (open, close) = frame.split_at(head);
        put(open);
        match self.heads.get(draft.head.clone()) {
            Some(head) => put(head),
            None => {
                let stands_for = draft.count(&self.reading).stands_for;
                self.write_head(draft, stands_for, lines, put)?;
            }
        }
        put(close);
        Ok(())
    }

    /// Bytes at the start of the document that stay as they are.
    fn kept_prefix(&self) -> Result<usize, Error> {
        let text = self.reading.transcript.text;
        let Some(draft) = self.drafts.first() else {
            return Ok(text.len());
        };
        let replaced = draft.replaced(&self.reading, self.config.grouping).next();
        let mut kept = replaced.map_or(0, |range| range.start);
        let mut same = true;
        self.write_card(draft, &mut self.lines(), &mut |piece| {
            if same {
                let shared = common_prefix(piece, &text[kept..]);
                kept += shared;
                same = shared == piece.len();
            }
        })?;
        Ok(kept)
    }

    /// The id of a TOOL card's call; other cards make none.
    fn call_id(&self, handle: &str, attempt: u32) -> String {
        match self.config.card {
            Form::Tool => card::call_id(handle, attempt),
            _ => String::new(),
        }
    }

    /// Which id derived from the handle is the first that no call of the
    /// document has; nor will another card's.
    fn free_call_id(&mut self, handle: &str) -> Result<u32, Error> {
        if self.config.card != Form::Tool {
            return Ok(0);
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
        self.given.add(Cow::Owned(id), 0)?;
        Ok(attempt)
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
        let drafts = self.drafts.iter();
        let gone: usize = drafts
            .flat_map(|draft| draft.stretches(&self.reading, self.config.grouping))
            .map(|stretch| stretch.len())
            .sum();
        let last = self.drafts.last();
        let tokens = Tokens::new(self.config.bytes_per_token);
        let messages = self.reading.transcript.messages.len();
        Ok(Summary {
            verdict: self.verdict,
            handle: last.map(|draft| draft.handle(&self.handles).to_owned()),
            rounds_eligible: self.reading.count(|kind| *kind == Kind::Eligible),
            rounds_folded: self.rounds,
            cards: self.reading.count(|kind| matches!(kind, Kind::Card(_))) - self.absorbed
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
                    &self.handles,
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

impl summary::Write for Fold<'_, '_> {
    fn write(&self, put: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let text = self.reading.transcript.text;
        let mut lines = self.lines();
        let mut at = 0;
        for draft in &self.drafts {
            for (nth, bytes) in draft
                .replaced(&self.reading, self.config.grouping)
                .enumerate()
            {
                put(&text[at..bytes.start]);
                if nth == 0 {
                    self.write_card(draft, &mut lines, put)?;
                }
                at = bytes.end;
            }
        }
        put(&text[at..]);
        Ok(())
    }
}

/// Writes the lines of heads, one after another, in the same memory.
struct Lines<'a, 'c> {
    /// What the rounds say whose words are not remembered.
    again: Again<'a>,
    writer: Writer<'c>,
    /// Those that were not handed over yet.
    text: Buffer,
    /// The same inside a JSON string.
    json: Buffer,
}

impl Lines<'_, '_> {
    /// Hands over what was written.
    fn put(&mut self, put: &mut dyn FnMut(&str)) -> Result<(), Error> {
        self.text.check()?;
        self.json.truncate(0);
        json::escape(&self.text, &mut self.json);
        self.json.check()?;
        self.text.truncate(0);
        put(&self.json);
        Ok(())
    }
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
    Ok((folded.text()?, folded.summary))
}
