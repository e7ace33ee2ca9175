//! The ways to keep a transcript short that are compared.

use crate::profile;
use newt_fold::{Config, Grouping, Results};
use std::thread;

/// A way to keep a transcript short.
#[derive(Debug, Clone)]
pub enum Mode {
    /// Everything stays.
    Nothing,
    /// All results but those of so many last rounds give way to a placeholder.
    Clear { keep: usize },
    /// The pipeline that this library descends from: aged results become one
    /// line where they stand, long arguments are shortened, then one card takes
    /// all rounds that are one-lined, if they are two or more. It has a line
    /// for every round, and no later fold reads it again.
    OneLineThenFold,
    /// This library.
    Fold(Config),
    /// This library in RUNS grouping while less than half of a window is full,
    /// and in ALL grouping from there on.
    RunsThenAll { config: Config, window: usize },
}

/// The window whose half decides between the groupings, where both are used.
const WINDOW: usize = 64_000;

pub const NOTHING: &str = "nothing";
pub const ONE_LINE_THEN_FOLD: &str = "one-line, then fold";
pub const CODING_AGENT: &str = "RUNS, coding agent";

/// The library's defaults, but that any result folds.
pub fn any_result() -> Config {
    Config {
        results: Results::Any,
        ..Config::default()
    }
}

/// The same in ALL grouping.
pub fn in_one_card(config: Config) -> Config {
    Config {
        grouping: Grouping::All,
        ..config
    }
}

/// RUNS grouping, and ALL when half of the window is full.
pub fn runs_then_all(config: Config) -> Mode {
    Mode::RunsThenAll {
        config,
        window: WINDOW,
    }
}

/// The ways that are not this library's.
pub fn others() -> Vec<(&'static str, Mode)> {
    vec![
        (NOTHING, Mode::Nothing),
        ("clear results, keep 3", Mode::Clear { keep: 3 }),
        (ONE_LINE_THEN_FOLD, Mode::OneLineThenFold),
    ]
}

/// Those, and the profiles.
pub fn all() -> Vec<(&'static str, Mode)> {
    let mut modes = others();
    modes.extend([
        (CODING_AGENT, Mode::Fold(profile::coding_agent())),
        (
            "ALL, chat with tools",
            Mode::Fold(profile::chat_with_tools()),
        ),
        (
            "RUNS, ALL at half of 64k",
            runs_then_all(profile::coding_agent()),
        ),
        (
            "ALL, small local model",
            Mode::Fold(profile::small_local_model()),
        ),
    ]);
    modes
}

/// What comes of each mode, worked out at the same time.
pub fn side_by_side<T: Send>(
    modes: &[(&'static str, Mode)],
    play: impl Fn(&Mode) -> T + Sync,
) -> Vec<(&'static str, T)> {
    let play = &play;
    thread::scope(|scope| {
        let plays: Vec<_> = modes
            .iter()
            .map(|(name, mode)| (*name, scope.spawn(move || play(mode))))
            .collect();
        plays
            .into_iter()
            .map(|(name, play)| (name, play.join().expect("a mode that does not panic")))
            .collect()
    })
}
