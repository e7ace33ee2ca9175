//! What happens in a session, before any provider's format.

use super::json::{Json, Literal};

/// A session: turns in order.
pub type Session = Vec<Turn>;

#[derive(Debug, Clone)]
pub enum Turn {
    System(Literal),
    User(Literal),
    Assistant(Literal),
    Round(Round),
    /// An answer to nothing.
    Orphan(Answer),
    /// A user's message with results and words in it, where the format has such.
    Mixed(Answer, Literal),
    /// An element that no format expects.
    Odd(Json),
}

/// Calls and their answers.
#[derive(Debug, Clone)]
pub struct Round {
    pub prose: Option<Literal>,
    /// The model reasoned first, and its provider wants to see that again.
    pub reasoning: bool,
    pub calls: Vec<Call>,
    /// Answers come in completion order: this many places on.
    pub rotated: usize,
    /// Answers come one a message where they could share one.
    pub split: bool,
    pub fault: Option<Fault>,
    /// Members that nobody knows, by their place in `dialect::UNKNOWN`.
    pub unknown: Option<usize>,
    /// Members come twice; the last one counts.
    pub doubled_members: bool,
}

#[derive(Debug, Clone)]
pub struct Call {
    pub id: Literal,
    pub name: Literal,
    /// The text of an object, more or less.
    pub arguments: String,
    pub answer: Answer,
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub id: Literal,
    pub name: Literal,
    pub body: Body,
    pub failed: bool,
}

#[derive(Debug, Clone)]
pub enum Body {
    Text(Literal),
    /// A list of text parts.
    Parts(Vec<Literal>),
    /// A picture, with words or without.
    Image(Option<Literal>),
    /// A value that is no text and no part.
    Value(Json),
    Missing,
}

/// How a round is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The last answer never came.
    Unanswered,
    /// No answer ever came.
    Abandoned,
    /// The last answer names another call.
    Foreign,
    /// The first answer came twice.
    Doubled,
    /// The user spoke before the last answer.
    Interrupted,
    /// The assistant spoke before the last answer.
    Commented,
}

impl Round {
    /// A sound round of one call.
    pub fn of(id: &str, name: &str, arguments: &str, result: &str) -> Self {
        let (id, name) = (Literal::plain(id), Literal::plain(name));
        Self {
            prose: None,
            reasoning: false,
            calls: vec![Call {
                id: id.clone(),
                name: name.clone(),
                arguments: arguments.to_owned(),
                answer: Answer {
                    id,
                    name,
                    body: Body::Text(Literal::plain(result)),
                    failed: false,
                },
            }],
            rotated: 0,
            split: false,
            fault: None,
            unknown: None,
            doubled_members: false,
        }
    }

    pub fn saying(mut self, prose: &str) -> Self {
        self.prose = Some(Literal::plain(prose));
        self
    }

    pub fn and(mut self, other: Round) -> Self {
        self.calls.extend(other.calls);
        self
    }

    pub fn with(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }

    pub fn reasoned(mut self) -> Self {
        self.reasoning = true;
        self
    }

    /// The answers as they come, faults and all.
    pub fn answers(&self) -> Vec<Answer> {
        let mut answers: Vec<Answer> = self.calls.iter().map(|call| call.answer.clone()).collect();
        let places = answers.len();
        answers.rotate_left(self.rotated % places);
        match self.fault {
            Some(Fault::Unanswered) => drop(answers.pop()),
            Some(Fault::Abandoned) => answers.clear(),
            Some(Fault::Foreign) => answers[places - 1].id = Literal::plain("other_99"),
            Some(Fault::Doubled) => answers.push(answers[0].clone()),
            Some(Fault::Interrupted | Fault::Commented) | None => {}
        }
        answers
    }
}

/// A session of so many rounds, each of about 700 bytes, between one user's
/// message and another.
pub fn long(rounds: usize) -> Session {
    let mut session = vec![Turn::User(Literal::plain("start"))];
    session.extend((0..rounds).map(|n| Turn::Round(numbered(n))));
    session.push(Turn::User(Literal::plain("and now?")));
    session
}

/// One round that differs from its neighbours by its number.
pub fn numbered(n: usize) -> Round {
    Round::of(
        &format!("call_{n}"),
        "bash",
        &format!(r#"{{"command":"make t{n}"}}"#),
        &format!("line of output {n}\n").repeat(20 + n * 7 % 20),
    )
}
