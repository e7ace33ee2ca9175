//! The ways to keep a transcript short that are compared.

use newt_fold::{Config, Grouping, Pressure, Results, Verdict, estimate, fold, pressure, prune};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};

/// What a cleared result says.
const PLACEHOLDER: &str = "[old result cleared]";

/// How the mark of a card begins, which is how the library knows its own.
const MARK: &str = "[NEWT FOLDED TOOL ROUNDS]";

/// A way to keep a transcript short.
#[derive(Debug, Clone)]
pub enum Mode {
    /// Everything stays.
    Nothing,
    /// Results older than so many rounds give way to a placeholder.
    Clear { keep: usize },
    /// What this library descends from: aged results become one line where
    /// they stand, then one card takes all rounds that have two of them or
    /// more. It shows every round for ever, and no later fold reads it again.
    OneLineThenFold,
    /// This library.
    Fold(Config),
    /// This library in RUNS grouping, and once in ALL grouping whenever half of
    /// a window is full.
    FoldAllAtHalf { config: Config, window: usize },
}

/// Spans under their handles, which are derived from what they hold.
#[derive(Debug, Default)]
pub struct Spans(HashMap<String, String>);

impl Spans {
    /// A mint: 8 characters, 40 bits of FNV-1a over the span.
    pub fn mint(&mut self, span: &str) -> Option<String> {
        const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        let mut hash = span.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut handle = String::new();
        for _ in 0..8 {
            handle.push(char::from(ALPHABET[(hash % 32) as usize]));
            hash /= 32;
        }
        let known = self.0.insert(handle.clone(), span.to_owned());
        // Another span under the same 40 bits must not be given away.
        known.is_none_or(|known| known == span).then_some(handle)
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
    close: &'static str,
    /// Of a transcript that is cleared: where the rounds begin that are not.
    settled: usize,
    recent: VecDeque<Vec<String>>,
    /// What was folded away.
    pub spans: Spans,
}

impl Transcript {
    /// A transcript that begins with `open` and ends, whatever comes, with
    /// `close`.
    pub fn new(mode: Mode, open: &str, close: &'static str) -> Self {
        Self {
            mode,
            document: format!("{open}{close}"),
            close,
            settled: open.len(),
            recent: VecDeque::new(),
            spans: Spans::default(),
        }
    }

    /// Takes the messages that came since the last request, and makes the next.
    pub fn take(&mut self, group: Vec<String>) {
        self.append(&group);
        match self.mode.clone() {
            Mode::Nothing => (),
            Mode::Clear { keep } => self.clear(group, keep),
            Mode::OneLineThenFold => self.one_line_then_fold(),
            Mode::Fold(config) => self.fold(&config),
            Mode::FoldAllAtHalf { config, window } => {
                self.fold(&config);
                let tokens = estimate(self.document.as_bytes(), &config).expect("a transcript");
                if pressure(tokens, window) != Pressure::Below {
                    self.fold(&Config {
                        grouping: Grouping::All,
                        ..config
                    });
                }
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
        self.document.push_str(self.close);
    }

    fn fold(&mut self, config: &Config) {
        let mint = |span: &str| self.spans.mint(span);
        let (folded, summary) =
            fold(self.document.as_bytes(), config, mint).expect("a transcript folds");
        if summary.verdict == Verdict::Folded {
            self.document = folded;
        }
    }

    fn clear(&mut self, group: Vec<String>, keep: usize) {
        self.recent.push_back(group);
        if self.recent.len() <= keep {
            return;
        }
        let aged = self.recent.pop_front().expect("more than were to stay");
        let aged: Vec<_> = aged.iter().map(|message| cleared(message)).collect();
        self.document.truncate(self.settled);
        self.document.push_str(self.close);
        self.append(&aged);
        self.settled = self.document.len() - self.close.len();
        for group in std::mem::take(&mut self.recent) {
            self.append(&group);
            self.recent.push_back(group);
        }
    }

    fn one_line_then_fold(&mut self) {
        let one_lined = Config {
            results: Results::OneLined,
            grouping: Grouping::All,
            max_card_lines: u32::MAX as usize,
            note_chars: 0,
            ..Config::default()
        };
        let mint = |span: &str| self.spans.mint(span);
        let (pruned, summary) =
            prune(self.document.as_bytes(), &one_lined, mint).expect("a transcript is pruned");
        if summary.verdict == Verdict::Folded {
            self.document = pruned;
        }
        self.fold(&one_lined);
        // Under another mark, no later fold takes the card for one of its own.
        self.document = self.document.replace(MARK, "[FOLDED TOOL ROUNDS]");
    }
}

/// A message with a placeholder for each result in it, in any wire format.
fn cleared(message: &str) -> String {
    let mut value: Value = serde_json::from_str(message).expect("a message is JSON");
    let is = |value: &Value, key: &str, wanted: &str| value[key].as_str() == Some(wanted);
    if is(&value, "role", "tool") {
        value["content"] = PLACEHOLDER.into();
    } else if value["type"]
        .as_str()
        .is_some_and(|kind| kind.ends_with("_output"))
    {
        value["output"] = PLACEHOLDER.into();
    }
    for block in value["content"].as_array_mut().into_iter().flatten() {
        if is(block, "type", "tool_result") {
            block["content"] = PLACEHOLDER.into();
        }
    }
    for part in value["parts"].as_array_mut().into_iter().flatten() {
        if let Some(response) = part.get_mut("functionResponse") {
            response["response"] = serde_json::json!({"output": PLACEHOLDER});
        }
    }
    let text = value.to_string();
    if text.len() < message.len() {
        text
    } else {
        message.to_owned()
    }
}
