//! A document: messages between separators, in an array or a request body.

use super::dialect::Dialect;
use super::json::{Json, Layout};
use super::session::Turn;
use newt_fold::Wire;

/// What stands around the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Envelope {
    Array,
    /// With a byte-order mark, and white space at both ends.
    MarkedArray,
    /// A whole request.
    Body,
}

/// How a document is laid out.
#[derive(Debug, Clone)]
pub struct Style {
    pub envelope: Envelope,
    /// Taken in turn, message by message.
    pub layouts: Vec<Layout>,
    /// Taken in turn, gap by gap; each holds one comma.
    pub separators: Vec<&'static str>,
}

impl Style {
    pub const COMPACT: Style = Style {
        envelope: Envelope::Array,
        layouts: Vec::new(),
        separators: Vec::new(),
    };
}

pub struct Document {
    pub text: String,
    pub dialect: Dialect,
}

impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}\n{}\n", self.dialect, self.text)
    }
}

impl Document {
    pub fn write(session: &[Turn], dialect: Dialect, style: &Style) -> Self {
        Self {
            text: lay_out(&dialect.write(session), dialect, style),
            dialect,
        }
    }

    /// Compact, an array.
    pub fn plain(session: &[Turn], dialect: Dialect) -> Self {
        Self::write(session, dialect, &Style::COMPACT)
    }
}

pub fn lay_out(messages: &[Json], dialect: Dialect, style: &Style) -> String {
    let mut array = String::from("[");
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            array.push_str(turn(&style.separators, index - 1).unwrap_or(","));
        }
        array.push_str(&message.write(turn(&style.layouts, index).unwrap_or(Layout::Compact)));
    }
    match style.envelope {
        Envelope::Array => array + "]",
        Envelope::MarkedArray => format!("\u{feff}\n {array} \t] \n"),
        Envelope::Body => {
            let system = match dialect.wire() {
                Wire::Chat => r#""seed":12345678901234567890123"#,
                Wire::Anthropic => r#""system":"be brief \/ kind""#,
                Wire::Responses => r#""instructions":"be brief""#,
                Wire::Bedrock => r#""system":[{"text":"be brief"}]"#,
                Wire::Gemini => r#""systemInstruction":{"parts":[{"text":"be brief"}]}"#,
            };
            format!(
                "{{\"model\":\"m\",{system}, \"{}\" : {array}],\n \"tools\":[{{\"name\":\"bash\",\"parameters\":{{\"type\":\"object\"}}}}],\"temperature\":1E-1}}",
                dialect.member()
            )
        }
    }
}

fn turn<T: Copy>(choices: &[T], index: usize) -> Option<T> {
    choices.get(index.checked_rem(choices.len())?).copied()
}
