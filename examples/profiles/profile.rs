//! Configurations to begin with, chosen from the figures in docs/figures.md.

use newt_fold::{Config, Form, Grouping, Results};

/// An agent that works by itself for hours: few words of the user, hundreds of
/// rounds, a provider that caches by prefix.
///
/// Each run of rounds gets its card where it stood, so that what the provider
/// has cached stays as it is. A fold waits until it wins 4,000 tokens: sooner,
/// the tail is sent again too often; later, too much is carried along. The card
/// is a user's message, because reasoning models want no assistant's turn
/// without reasoning in the loop that is under way.
///
/// Each of the user's messages ends a run, so cards add up with them. When
/// `pressure` says that half of the window is full, fold in ALL grouping.
pub fn coding_agent() -> Config {
    Config {
        results: Results::Any,
        min_reclaim: 4_000,
        ..Config::default()
    }
}

/// A conversation with a few tool calls between two messages of the user.
///
/// Runs are short there, and a card each would cost half of what it saves: one
/// card takes them all. Each fold rewrites it, so a fold waits until it wins
/// 8,000 tokens. The card is a call of the fetch tool and its result, so that
/// what tools said is never taken for the user's words.
pub fn chat_with_tools() -> Config {
    Config {
        results: Results::Any,
        grouping: Grouping::All,
        card: Form::Tool,
        min_reclaim: 8_000,
        ..Config::default()
    }
}

/// A model on one's own machine with a window of some 8,000 tokens.
///
/// Room is what is short: a small tail, a short card, a fold after every five
/// rounds. Templates of small models insist on user and assistant in turn,
/// which the card as a call and its result keeps. Three bytes a token, because
/// their vocabularies are smaller and an overfull window is cut off unseen.
pub fn small_local_model() -> Config {
    Config {
        keep_last: 6,
        min_rounds: 5,
        results: Results::Any,
        grouping: Grouping::All,
        card: Form::Tool,
        max_card_lines: 24,
        note_chars: 60,
        bytes_per_token: 3,
        ..Config::default()
    }
}
