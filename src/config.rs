//! What a caller may ask for. Every field has a default.

use crate::error::{Error, ErrorKind};

/// A provider's wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// OpenAI chat completions, and what follows it: Mistral, Ollama, SWE-agent.
    Chat,
    /// Anthropic messages.
    Anthropic,
    /// OpenAI responses.
    Responses,
    /// Gemini contents.
    Gemini,
    /// Amazon Bedrock's Converse messages.
    Bedrock,
}

/// Which results may fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// Only those that stand as one line of the grammar already.
    OneLined,
    /// Any; the card says in one line what they were.
    Any,
}

/// How many cards are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// One for each run, where the run stood.
    Runs,
    /// One for everything.
    All,
}

/// Who seems to say a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A user's message.
    User,
    /// An assistant's message.
    Assistant,
    /// A call of the fetch tool and its result.
    Tool,
}

/// The configuration of a fold, a prune or an expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Messages at the end that are never touched.
    pub keep_last: usize,
    /// Nothing changes unless at least this many rounds would go; 0 means 1.
    pub min_rounds: usize,
    /// The wire format; `None` finds it out.
    pub format: Option<Wire>,
    /// Which results may fold.
    pub results: Results,
    /// How many cards are written.
    pub grouping: Grouping,
    /// Who seems to say a card.
    pub card: Form,
    /// Lines of rounds that a card shows; older ones become a tally. At least 1.
    pub max_card_lines: usize,
    /// Characters of an assistant's prose beside its calls that a card keeps.
    pub note_chars: usize,
    /// A one-line result of at most this many characters is shown whole.
    pub result_chars: usize,
    /// Estimated tokens that a fold must win.
    pub min_reclaim: usize,
    /// Bytes that make a token in the estimate. At least 1.
    pub bytes_per_token: usize,
    /// Whether a receipt is wanted.
    pub receipt: bool,
    /// Whether a prune also shortens long strings inside calls' arguments.
    pub shorten_arguments: bool,
    /// The tool that a card tells the model to call; empty if none is declared.
    pub fetch_tool: String,
    /// Rounds that call one of these tools never fold.
    pub keep_tools: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            keep_last: 12,
            min_rounds: 2,
            format: None,
            results: Results::OneLined,
            grouping: Grouping::Runs,
            card: Form::User,
            max_card_lines: 64,
            note_chars: 120,
            result_chars: 0,
            min_reclaim: 0,
            bytes_per_token: 4,
            receipt: false,
            shorten_arguments: false,
            fetch_tool: "memory_fetch".to_owned(),
            keep_tools: Vec::new(),
        }
    }
}

impl Config {
    /// Refuses what no operation can work with.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |sentence: &'static str| Err(Error::new(ErrorKind::Argument, sentence));
        if self.bytes_per_token == 0 {
            return refuse("bytes_per_token is 0; expected at least 1 (4 is the default)");
        }
        if self.max_card_lines == 0 {
            return refuse("max_card_lines is 0; expected at least 1 (64 is the default)");
        }
        let named = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'-';
        if self.fetch_tool.len() > 64 || !self.fetch_tool.bytes().all(named) {
            return refuse(
                "fetch_tool is no tool's name; expected 1 to 64 of A-Z a-z 0-9 _ -, or an empty string for none",
            );
        }
        if self.fetch_tool.is_empty() && self.card == Form::Tool {
            return refuse(
                "a TOOL card calls the fetch tool, but fetch_tool is empty; name one or take another card form",
            );
        }
        Ok(())
    }
}
