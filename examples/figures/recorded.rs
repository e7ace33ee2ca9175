//! Recorded transcripts: folded as they stand, expanded again, and played
//! request by request.

use crate::billed;
use crate::markdown::{table, thousands};
use crate::mode::{self, Mode, side_by_side};
use crate::recording::{self, Recording};
use crate::replay::{bill, tokens};
use crate::transcript::{Spans, Transcript};
use newt_fold::{Config, Grouping, expand, fold};
use serde_json::Value;
use std::error::Error;

/// What a recording came to, folded once.
pub struct Folded {
    pub name: String,
    pub grouping: Grouping,
    /// Estimated tokens.
    pub tokens: usize,
    /// Whether its expansion had every message again.
    pub came_back: bool,
}

/// Measures every recording; returns what each came to when it was folded.
pub fn measure(recordings: &[Recording]) -> Result<Vec<Folded>, Box<dyn Error>> {
    let (mut rows, mut folded) = (Vec::new(), Vec::new());
    for recording in recordings {
        let runs = fold_once(recording, &mode::any_result())?;
        let all = fold_once(recording, &mode::in_one_card(mode::any_result()))?;
        let mut other = Transcript::new(Mode::OneLineThenFold, &recording.open, &recording.close);
        other.take(recording.messages.clone());
        let name = recording.name.clone();
        let counts = [
            tokens(&recording.document),
            tokens(&other.document),
            runs.tokens,
            all.tokens,
        ];
        rows.push([vec![name], counts.map(thousands).to_vec()].concat());
        folded.extend([runs, all]);
    }
    if !rows.is_empty() {
        let head = [
            "tokens",
            "as recorded",
            mode::ONE_LINE_THEN_FOLD,
            "RUNS",
            "ALL",
        ];
        table("Recorded transcripts, folded once", &head, &rows);
    }
    let modes = mode::all();
    for recording in recordings {
        let groups = recording.groups();
        let heading = format!("{}, {} requests", recording.name, groups.len());
        let play = |mode: &Mode| {
            bill(
                mode,
                &recording.open,
                &recording.close,
                groups.iter().cloned(),
            )
        };
        billed::print(&heading, &side_by_side(&modes, play));
    }
    Ok(folded)
}

/// Folds a recording and expands it again.
fn fold_once(recording: &Recording, config: &Config) -> Result<Folded, Box<dyn Error>> {
    let mut spans = Spans::default();
    let (short, summary) = fold(recording.document.as_bytes(), config, |span| {
        spans.mint(span)
    })?;
    let (long, _) = expand(short.as_bytes(), config, |handle| spans.get(handle))?;
    let mut before = values(&recording.messages)?;
    let mut after = values(&recording::messages(&long)?)?;
    if config.grouping == Grouping::All {
        // All messages come back in the one card's place.
        before.sort();
        after.sort();
    }
    Ok(Folded {
        name: recording.name.clone(),
        grouping: config.grouping,
        tokens: summary.tokens_after,
        came_back: before == after,
    })
}

/// Messages as what they mean: a span has each on one line.
fn values(messages: &[String]) -> Result<Vec<String>, serde_json::Error> {
    let value = |message: &String| Ok(serde_json::from_str::<Value>(message)?.to_string());
    messages.iter().map(value).collect()
}
