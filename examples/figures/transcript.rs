//! A transcript that grows, and is kept short in one of the ways.

use crate::mode::Mode;
use newt_fold::{Config, Grouping, Pressure, Results, Verdict, estimate, fold, pressure, prune};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};

/// What a cleared result says.
const PLACEHOLDER: &str = "[old result cleared]";

/// How a card begins, by which the library knows its own.
pub const MARK: &str = "[NEWT FOLDED TOOL ROUNDS]";

/// Spans under their handles, which are derived from what they hold.
#[derive(Debug, Default)]
pub struct Spans(HashMap<String, String>);

impl Spans {
    /// A mint: 8 characters, 40 bits of FNV-1a over the span.
    pub fn mint(&mut self, span: &str) -> Option<String> {
        const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        // http://www.isthe.com/chongo/tech/comp/fnv/
        let mut hash = span.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut handle = String::new();
        for _ in 0..8 {
            handle.push(char::from(ALPHABET[(hash % 32) as usize]));
            hash /= 32;
        }
        let known = self.0.insert(handle.clone(), span.to_owned());
        assert!(
            known.is_none_or(|known| known == span),
            "two spans have the handle {handle}: a host's mint needs more bits"
        );
        Some(handle)
    }

    /// The span under a handle.
    pub fn get(&self, handle: &str) -> Option<String> {
        self.0.get(handle).cloned()
    }
}

/// A transcript that grows by a round and is kept short after each.
pub struct Transcript {
    mode: Mode,
    /// The request body, or the bare array.
    pub document: String,
    /// What follows the last message.
    close: String,
    /// Of a transcript that is cleared: where the messages begin that are not.
    settled: usize,
    recent: VecDeque<Recent>,
    spans: Spans,
}

/// Messages that stand as they came, and how they will stand once cleared.
struct Recent {
    messages: Vec<String>,
    cleared: Vec<String>,
}

impl Transcript {
    /// A transcript that begins with `open` and ends, whatever comes, with
    /// `close`.
    pub fn new(mode: Mode, open: &str, close: &str) -> Self {
        Self {
            mode,
            document: format!("{open}{close}"),
            close: close.to_owned(),
            settled: open.len(),
            recent: VecDeque::new(),
            spans: Spans::default(),
        }
    }

    /// Takes the messages that came since the last request, and makes the next.
    pub fn take(&mut self, messages: Vec<String>) {
        self.append(&messages);
        match self.mode.clone() {
            Mode::Nothing => (),
            Mode::Clear { keep } => self.clear(messages, keep),
            Mode::OneLineThenFold => self.one_line_then_fold(),
            Mode::Fold(config) => self.fold(&config),
            Mode::RunsThenAll { config, window } => {
                let tokens = estimate(self.document.as_bytes(), &config).expect("a transcript");
                let grouping = match pressure(tokens, window) {
                    Pressure::Below => Grouping::Runs,
                    Pressure::Fold | Pressure::Summary => Grouping::All,
                };
                self.fold(&Config { grouping, ..config });
            }
        }
    }

    fn append(&mut self, messages: &[String]) {
        self.document
            .truncate(self.document.len() - self.close.len());
        for message in messages {
            if !self.document.ends_with('[') {
                self.document.push(',');
            }
            self.document.push_str(message);
        }
        self.document.push_str(&self.close);
    }

    fn fold(&mut self, config: &Config) {
        let mint = |span: &str| self.spans.mint(span);
        let (folded, summary) =
            fold(self.document.as_bytes(), config, mint).expect("a transcript folds");
        if summary.verdict == Verdict::Folded {
            self.document = folded;
        }
    }

    fn clear(&mut self, messages: Vec<String>, keep: usize) {
        let cleared = messages.iter().map(|message| cleared(message)).collect();
        self.recent.push_back(Recent { messages, cleared });
        let rounds = |recent: &VecDeque<Recent>| {
            let has_results = |recent: &&Recent| recent.messages != recent.cleared;
            recent.iter().filter(has_results).count()
        };
        while rounds(&self.recent) > keep {
            let aged = self
                .recent
                .pop_front()
                .expect("more rounds than are to stay");
            self.document.truncate(self.settled);
            self.document.push_str(&self.close);
            self.append(&aged.cleared);
            self.settled = self.document.len() - self.close.len();
            let recent = std::mem::take(&mut self.recent);
            for recent in &recent {
                self.append(&recent.messages);
            }
            self.recent = recent;
        }
    }

    fn one_line_then_fold(&mut self) {
        let config = Config {
            results: Results::OneLined,
            grouping: Grouping::All,
            max_card_lines: u32::MAX as usize,
            note_chars: 0,
            shorten_arguments: true,
            ..Config::default()
        };
        let mint = |span: &str| self.spans.mint(span);
        let (pruned, summary) =
            prune(self.document.as_bytes(), &config, mint).expect("a transcript is pruned");
        if summary.verdict == Verdict::Folded {
            self.document = pruned;
        }
        self.fold(&config);
        // Under another mark, no later fold takes the card for one of its own.
        if self.document.contains(MARK) {
            self.document = self.document.replace(MARK, "[FOLDED TOOL ROUNDS]");
        }
    }
}

/// A message with a placeholder for each result in it, in any wire format.
fn cleared(message: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(message) else {
        return message.to_owned();
    };
    if value["role"] == "tool" {
        value["content"] = PLACEHOLDER.into();
    } else if value["type"].as_str().unwrap_or("").ends_with("_output") {
        value["output"] = PLACEHOLDER.into();
    } else {
        let blocks = match value.get("parts") {
            Some(_) => &mut value["parts"],
            None => &mut value["content"],
        };
        for block in blocks.as_array_mut().into_iter().flatten() {
            if block["type"] == "tool_result" {
                block["content"] = PLACEHOLDER.into();
            } else if let Some(answer) = block.get_mut("toolResult") {
                answer["content"] = serde_json::json!([{"text": PLACEHOLDER}]);
            } else if let Some(answer) = block.get_mut("functionResponse") {
                answer["response"] = serde_json::json!({"output": PLACEHOLDER});
            }
        }
    }
    let text = value.to_string();
    if text.len() < message.len() {
        text
    } else {
        message.to_owned()
    }
}
