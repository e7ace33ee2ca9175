//! The receipt: what went, what stayed and why, as JSON.
//!
//! Its fields are described in `include/newt_fold_receipt.schema.json`.

use crate::buffer::{Buffer, copy, push};
use crate::config::Config;
use crate::draft::Draft;
use crate::error::{Error, ErrorKind};
use crate::format::Call;
use crate::json::Reader;
use crate::known::Known;
use crate::round::{Kind, Reading, Why};
use crate::summary::Verdict;
use crate::tokens::Tokens;
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// The number of the schema; it counts up when a field changes its meaning.
const VERSION: u32 = 1;

/// Arguments that name a file or folder, by the names tools give them.
const PATHS: [&str; 16] = [
    "path",
    "paths",
    "file_path",
    "filePath",
    "filepath",
    "file",
    "files",
    "filename",
    "notebook_path",
    "directory",
    "dir",
    "folder",
    "cwd",
    "target_file",
    "source",
    "destination",
];

/// Writes the receipt of a fold.
pub(crate) fn of_fold(
    reading: &Reading<'_>,
    config: &Config,
    drafts: &[Draft],
    handles: &str,
    verdict: Verdict,
) -> Result<String, Error> {
    let mut gone = Vec::new();
    gone.try_reserve_exact(reading.blocks.len())?;
    gone.resize(reading.blocks.len(), false);
    let mut out = Buffer::default();
    let _ = write!(
        out,
        r#"{{"version":{VERSION},"verdict":"{}","cards":["#,
        name(verdict)
    );
    // Messages by which the output is shorter than the input so far.
    let mut shift = 0;
    for (index, draft) in drafts.iter().enumerate() {
        for block in draft.blocks.clone() {
            gone[block] = reading.goes(&reading.blocks[block]).is_some();
        }
        let (mut first, mut removed) = (None, 0);
        for stretch in draft.stretches(reading, config.grouping) {
            first.get_or_insert(stretch.start);
            removed += stretch.len();
        }
        let place = first.unwrap_or(0) - shift;
        out.push(comma(index));
        write_card(reading, config, draft, handles, place, &mut out)?;
        shift += removed - Draft::messages(config);
    }
    write_stayed(reading, verdict, |index| !gone[index], &mut out);
    out.finish()
}

/// Ends a receipt with the blocks that stayed.
fn write_stayed(
    reading: &Reading<'_>,
    verdict: Verdict,
    stayed: impl Fn(usize) -> bool,
    out: &mut Buffer,
) {
    out.push(r#"],"stayed":["#);
    let blocks = reading.blocks.iter().enumerate();
    let staying =
        blocks.filter(|(index, block)| stayed(*index) && !matches!(block.kind, Kind::Card(_)));
    for (count, (_, block)) in staying.enumerate() {
        let _ = write!(
            out,
            r#"{}{{"messages":[{},{}],"why":"{}"}}"#,
            comma(count),
            block.messages.start,
            block.messages.end,
            why(block.kind, verdict)
        );
    }
    out.push("]}");
}

fn write_handle(handle: Option<&str>, out: &mut Buffer) {
    match handle {
        Some(handle) => out.push_json(handle),
        None => out.push("null"),
    }
}

fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}

fn write_card(
    reading: &Reading<'_>,
    config: &Config,
    draft: &Draft,
    handles: &str,
    place: usize,
    out: &mut Buffer,
) -> Result<(), Error> {
    let tokens = Tokens::new(config.bytes_per_token);
    let mut ids = Vec::new();
    let (mut tools, mut paths) = (Distinct::default(), Distinct::default());
    let covered = draft.covered(reading);
    for block in covered.filter(|block| block.kind == Kind::Eligible) {
        reading.each(&block.messages, |facts| {
            for call in &facts.calls {
                if let Some(id) = call.id {
                    push(&mut ids, copy(&id.decoded()?)?)?;
                }
                if let Some(name) = call.name {
                    tools.add(&name.decoded()?)?;
                }
                for path in paths_of(call)? {
                    paths.add(&path)?;
                }
            }
            Ok(())
        })?;
    }
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for stretch in draft.stretches(reading, config.grouping) {
        match ranges.last_mut() {
            Some(last) if last.end == stretch.start => last.end = stretch.end,
            _ => push(&mut ranges, stretch)?,
        }
    }
    let _ = write!(out, r#"{{"place":{place},"handle":"#);
    let handle = Some(draft.handle(handles));
    write_handle(handle.filter(|handle| !handle.is_empty()), out);
    let count = draft.count(reading);
    let _ = write!(
        out,
        r#","rounds":{},"stands_for":{},"absorbed":{},"messages":["#,
        count.rounds, count.stands_for, count.absorbed
    );
    for (index, range) in ranges.iter().enumerate() {
        let _ = write!(out, "{}[{},{}]", comma(index), range.start, range.end);
    }
    out.push("]");
    for (name, texts) in [
        ("call_ids", &ids),
        ("tools", &tools.list),
        ("paths", &paths.list),
    ] {
        let _ = write!(out, r#","{name}":["#);
        for (index, text) in texts.iter().enumerate() {
            out.push(comma(index));
            out.push_json(text);
        }
        out.push("]");
    }
    let _ = write!(
        out,
        r#","bytes_before":{},"bytes_after":{},"tokens_before":{},"tokens_after":{}}}"#,
        draft.replaced.bytes,
        draft.bytes,
        tokens.of(draft.replaced.weight),
        tokens.of(draft.bytes)
    );
    Ok(())
}

/// The receipt of a prune: each value that gave way, and the same of what
/// stayed.
pub(crate) fn of_prune(
    reading: &Reading<'_>,
    verdict: Verdict,
    handle: Option<&str>,
    replaced: impl Iterator<Item = Replaced>,
) -> Result<String, Error> {
    let messages = &reading.transcript.messages;
    let mut out = Buffer::default();
    let _ = write!(
        out,
        r#"{{"version":{VERSION},"verdict":"{}","handle":"#,
        name(verdict)
    );
    write_handle(handle, &mut out);
    out.push(r#","replaced":["#);
    for (index, place) in replaced.enumerate() {
        let message = messages.partition_point(|slice| slice.end <= place.at);
        let _ = write!(
            out,
            r#"{}{{"message":{message},"line":{},"arguments":{},"bytes_before":{},"bytes_after":{}}}"#,
            comma(index),
            place.line,
            place.arguments,
            place.bytes_before,
            place.bytes_after
        );
    }
    write_stayed(
        reading,
        verdict,
        |index| reading.blocks[index].kind != Kind::Eligible,
        &mut out,
    );
    out.finish()
}

/// A value that a prune replaced.
pub(crate) struct Replaced {
    /// Where it begins in the document.
    pub(crate) at: usize,
    pub(crate) line: usize,
    pub(crate) arguments: bool,
    pub(crate) bytes_before: usize,
    pub(crate) bytes_after: usize,
}

/// Texts in the order in which they came, each once.
#[derive(Default)]
struct Distinct {
    list: Vec<String>,
    known: Known<'static>,
}

impl Distinct {
    fn add(&mut self, item: &str) -> Result<(), Error> {
        if self.known.number(item).is_none() {
            self.known.add(Cow::Owned(copy(item)?), self.list.len())?;
            push(&mut self.list, copy(item)?)?;
        }
        Ok(())
    }
}

/// What a call's arguments name as files or folders.
fn paths_of(call: &Call<'_>) -> Result<Vec<String>, Error> {
    let mut paths = Vec::new();
    let Some(arguments) = call.arguments else {
        return Ok(paths);
    };
    let inner = arguments.inner()?;
    let read = Reader::new(&inner).object(|r, key| {
        let value = r.skip()?;
        if PATHS.contains(&key) {
            for text in value.string_values().filter(|text| !text.is_empty()) {
                push(&mut paths, copy(&text.decoded()?)?)?;
            }
        }
        Ok(())
    });
    match read {
        Err(error) if error.kind == ErrorKind::Memory => Err(error),
        // Arguments that do not parse name nothing.
        Err(_) => Ok(Vec::new()),
        Ok(_) => Ok(paths),
    }
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Folded => "folded",
        Verdict::Nothing => "nothing",
        Verdict::NotSmaller => "not_smaller",
        Verdict::Declined => "declined",
        Verdict::Planned => "planned",
    }
}

/// Why a round stayed.
fn why(kind: Kind, verdict: Verdict) -> &'static str {
    match kind {
        Kind::Eligible => match verdict {
            Verdict::Nothing => "too_few_rounds",
            Verdict::Declined => "declined",
            _ => "not_smaller",
        },
        Kind::Orphan => "orphan",
        Kind::Card(_) => "card",
        Kind::Stays(why) => match why {
            Why::Tail => "tail",
            Why::Straddles => "straddles_horizon",
            Why::Unanswered => "unanswered",
            Why::ForeignId => "foreign_id",
            Why::Doubled => "doubled_result",
            Why::NotOneLined => "not_one_lined",
            Why::KeptTool => "kept_tool",
            Why::FreshFetch => "fresh_fetch",
            Why::Pending => "pending",
            Why::OpenReasoning => "open_reasoning",
        },
    }
}
