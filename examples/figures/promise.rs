//! The numbers that the project promises, measured.

use crate::floor::ROUNDS;
use crate::markdown::{percent, table, thousands};
use crate::mode::{self, Mode};
use crate::recorded::Folded;
use crate::replay::{Bill, tokens};
use crate::transcript::{MARK, Transcript};
use crate::{recording, session};
use newt_fold::{Config, Grouping};

/// A promise, what was measured, and whether it is kept.
struct Promise {
    what: String,
    promised: String,
    measured: String,
    kept: bool,
}

/// Prints each promise beside its measure; returns those that were missed.
pub fn report(bills: &[(&'static str, Bill)], folded: &[Folded]) -> Vec<String> {
    let mut promises = Vec::new();
    of_builds(&mut promises);
    of_recordings(folded, &mut promises);
    of_bills(bills, &mut promises);
    let rows: Vec<_> = promises
        .iter()
        .map(|one| {
            [&one.what, &one.promised, &one.measured]
                .map(String::clone)
                .to_vec()
        })
        .collect();
    table("Promised", &["", "promised", "measured"], &rows);
    let missed = promises.iter().filter(|promise| !promise.kept);
    missed
        .map(|one| format!("{}: {}, not {}", one.what, one.measured, one.promised))
        .collect()
}

fn at_most(what: String, most: usize, measured: usize) -> Promise {
    Promise {
        what,
        promised: format!("≤ {}", thousands(most)),
        measured: thousands(measured),
        kept: measured <= most,
    }
}

fn name(grouping: Grouping) -> &'static str {
    match grouping {
        Grouping::Runs => "RUNS",
        Grouping::All => "ALL",
    }
}

/// 10,000 builds in one unbroken stretch, folded one by one.
fn of_builds(promises: &mut Vec<Promise>) {
    let runs = (mode::any_result(), 16, 12_000);
    let all = (mode::in_one_card(mode::any_result()), 1, 2_500);
    for (config, most_cards, most_tokens) in [runs, all] {
        let what = format!("10,000 builds folded one by one, {}", name(config.grouping));
        let cards = cards_of_builds(config);
        let size = cards.iter().map(|card| tokens(card)).sum();
        promises.push(at_most(format!("{what}: cards"), most_cards, cards.len()));
        promises.push(at_most(
            format!("{what}: tokens of cards"),
            most_tokens,
            size,
        ));
    }
}

fn cards_of_builds(config: Config) -> Vec<String> {
    let mut transcript = Transcript::new(Mode::Fold(config), "[", "]");
    for messages in session::builds().take(ROUNDS + 1) {
        transcript.take(messages);
    }
    let mut messages = recording::messages(&transcript.document).expect("a transcript");
    messages.retain(|message| message.contains(MARK));
    messages
}

/// The recorded coding session, and that nothing of any recording is lost.
fn of_recordings(folded: &[Folded], promises: &mut Vec<Promise>) {
    for folded in folded {
        let grouping = name(folded.grouping);
        if folded.name == "large-session.derived-openai-chat.json" {
            let most = match folded.grouping {
                Grouping::Runs => 38_000,
                Grouping::All => 24_500,
            };
            let what = format!("914 recorded messages, {grouping}: tokens");
            promises.push(at_most(what, most, folded.tokens));
        }
        promises.push(Promise {
            what: format!("{}, {grouping}: expanded again", folded.name),
            promised: "every message".to_owned(),
            measured: if folded.came_back {
                "every message"
            } else {
                "others"
            }
            .to_owned(),
            kept: folded.came_back,
        });
    }
}

/// The profile of a coding agent, in the loop.
fn of_bills(bills: &[(&'static str, Bill)], promises: &mut Vec<Promise>) {
    let of = |wanted: &str| {
        let found = bills.iter().find(|(name, _)| *name == wanted);
        found.expect("a mode that was billed").1
    };
    let (nothing, agent) = (of(mode::NOTHING), of(mode::CODING_AGENT));
    let share = agent.tokens / nothing.tokens;
    promises.push(Promise {
        what: "coding agent, 1,000 rounds: cached".to_owned(),
        promised: "≥ 85 %".to_owned(),
        measured: percent(agent.cached()),
        kept: agent.cached() >= 0.85,
    });
    promises.push(Promise {
        what: "coding agent, 1,000 rounds: billed, of doing nothing".to_owned(),
        promised: "≤ 50 %".to_owned(),
        measured: percent(share),
        kept: share <= 0.5,
    });
}
