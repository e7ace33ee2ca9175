//! Known ways to get a fold wrong, each with its right outcome.
//!
//! Every shape here broke some host's own compaction in public. Each fold is
//! judged by all laws besides what its test asserts.

#[path = "../reference/mod.rs"]
mod reference;
#[path = "../transcripts/mod.rs"]
mod transcripts;

mod ancestor;
mod cards;
mod configuration;
mod contents;
mod documents;
mod real;
mod rounds;
mod words;

use newt_fold::{Config, ErrorKind, Form, Grouping, Results, Verdict, Wire, fold};
use reference::{Mint, Reading, Verdicts, judge};
use transcripts::json::Json;
use transcripts::session::Body;
use transcripts::{Dialect, Document, Fault, Literal, Round, Turn, shared};

fn user(text: &str) -> Turn {
    Turn::User(Literal::plain(text))
}

fn assistant(text: &str) -> Turn {
    Turn::Assistant(Literal::plain(text))
}

/// A round whose result is one line already, and long enough to be worth a card.
fn done(id: &str, name: &str) -> Round {
    let path = "deep/".repeat(20);
    Round::of(
        id,
        name,
        &format!(r#"{{"path":"{path}{id}"}}"#),
        &format!("[{name}] ran '{path}{id}' -> ok, 12 lines output"),
    )
}

fn turns(rounds: impl IntoIterator<Item = Round>) -> impl Iterator<Item = Turn> {
    rounds.into_iter().map(Turn::Round)
}

/// What comes after the rounds: two messages, which a `keep_last` of 2 keeps.
fn tail() -> [Turn; 2] {
    [user("what is left?"), assistant("Two files.")]
}

fn config() -> Config {
    Config {
        keep_last: 2,
        ..Config::default()
    }
}

fn any() -> Config {
    Config {
        results: Results::Any,
        ..config()
    }
}

fn run(dialect: Dialect, session: &[Turn], config: &Config) -> (String, Verdicts, Mint) {
    let document = Document::plain(session, dialect).text;
    let mut mint = Mint::new();
    let verdicts = judge(&document, config, &mut mint);
    (document, verdicts, mint)
}

/// A session of two rounds that fold and one that must not, then the tail.
fn beside(stays: Vec<Turn>) -> Vec<Turn> {
    let mut session = vec![user("go")];
    session.extend(turns([done("y0", "ls"), done("y1", "ls")]));
    session.extend(stays);
    session.extend(tail());
    session
}

/// The two rounds fold, and what must not is as it was.
fn stays_beside(dialect: Dialect, stays: Vec<Turn>, config: &Config) {
    let kept: Vec<String> = dialect
        .write(&stays)
        .iter()
        .map(|m| m.write(transcripts::Layout::Compact))
        .collect();
    let (_, folded, mint) = run(dialect, &beside(stays), config);
    assert_eq!(folded.summary.rounds_folded, 2, "{dialect:?}");
    assert!(
        folded.document.contains(&kept.join(",")),
        "{}",
        folded.document
    );
    assert_eq!(mint.spans.len(), 1);
}

const CHAT_LIKE: [Dialect; 3] = [Dialect::Chat, Dialect::Ollama, Dialect::SweAgent];
