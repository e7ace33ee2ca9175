//! Chat transcripts to measure on, made up here; the same bytes each time.

use std::fmt::Write;

/// Words that tool output and commands are made of.
const WORDS: [&str; 16] = [
    "build", "cargo", "config", "error", "handle", "index", "module", "parser", "queue", "render",
    "session", "socket", "stream", "thread", "token", "vector",
];

/// A transcript's first message, and no end.
pub const FIRST: &str = r#"[{"role":"system","content":"You are a careful engineer."}"#;

/// A small generator of numbers (xorshift64), so that no run differs.
pub struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }
}

/// Rounds of a session, one after another.
pub struct Rounds {
    dice: Dice,
    round: usize,
    /// The user speaks before the first round, and again after so many.
    turn: usize,
}

impl Rounds {
    pub fn new(turn: usize) -> Self {
        Self {
            dice: Dice(0x9e37_79b9_7f4a_7c15),
            round: 0,
            turn,
        }
    }

    /// Writes the next round behind a message, and before it what the user says,
    /// if it is time. `result` writes the result, as JSON, quotes aside.
    pub fn write(&mut self, result: impl FnOnce(&mut Dice, &str, &mut String), out: &mut String) {
        let (dice, round) = (&mut self.dice, self.round);
        if round.is_multiple_of(self.turn) {
            let _ = write!(
                out,
                r#",{{"role":"user","content":"Please look at the {} of the {}, and say what you find.\nOne thing at a time."}}"#,
                dice.word(),
                dice.word()
            );
        }
        let note = match dice.below(3) {
            0 => format!("Next I look at the {}.", dice.word()),
            _ => String::new(),
        };
        let path = format!("src/{}/{}_{}.rs", dice.word(), dice.word(), dice.below(100));
        let (name, arguments) = match dice.below(3) {
            0 => (
                "read_file",
                format!(r#"{{\"path\":\"{path}\",\"limit\":{}}}"#, dice.below(500)),
            ),
            1 => (
                "bash",
                format!(
                    r#"{{\"command\":\"grep -rn \\\"{}\\\" {path} | head\"}}"#,
                    dice.word()
                ),
            ),
            _ => (
                "search",
                format!(
                    r#"{{\"query\":\"{} {}\",\"path\":\"{path}\"}}"#,
                    dice.word(),
                    dice.word()
                ),
            ),
        };
        let _ = write!(
            out,
            r#",{{"role":"assistant","content":"{note}","tool_calls":[{{"id":"call_{round:08}","type":"function","function":{{"name":"{name}","arguments":"{arguments}"}}}}]}},{{"role":"tool","tool_call_id":"call_{round:08}","content":""#
        );
        result(dice, name, out);
        out.push_str("\"}");
        self.round += 1;
    }
}

/// A transcript of at least `bytes` bytes of such rounds.
fn transcript(
    bytes: usize,
    mut rounds: Rounds,
    mut result: impl FnMut(&mut Dice, &str, &mut String),
) -> String {
    let mut out = String::from(FIRST);
    while out.len() < bytes {
        rounds.write(&mut result, &mut out);
    }
    out.push(']');
    out
}

/// Small rounds whose results are one line of the grammar already.
pub fn one_lined(bytes: usize) -> String {
    transcript(bytes, Rounds::new(60), one_line)
}

/// The same with nothing between its rounds.
pub fn one_run(bytes: usize) -> String {
    transcript(bytes, Rounds::new(usize::MAX), one_line)
}

fn one_line(dice: &mut Dice, name: &str, out: &mut String) {
    let (word, lines) = (dice.word(), 2 + dice.below(400));
    let how = if dice.below(8) == 0 { "error" } else { "ok" };
    let _ = write!(out, "[{name}] path 'src/{word}.rs' -> {how}, {lines} lines");
}

/// Source code as tools print it: line feeds, tabs, quotes, backslashes,
/// colours, and now and then a character that is not ASCII.
pub fn escaped(bytes: usize) -> String {
    transcript(bytes, Rounds::new(60), |dice, _, out| {
        source_code(dice, out)
    })
}

pub fn source_code(dice: &mut Dice, out: &mut String) {
    for line in 0..40 + dice.below(200) {
        let (one, other) = (dice.word(), dice.word());
        let _ = match dice.below(6) {
            0 => write!(out, r#"{line:4}\tlet {one} = \"{other}\";\n"#),
            1 => write!(
                out,
                r#"{line:4}\t\tself.{one}.push(\"C:\\\\{other}\\\\{one}\");\n"#
            ),
            2 => write!(out, r#"{line:4}\t// {one} — the {other} comes first\n"#),
            3 => write!(out, r#"\u001b[33m{line:4}\u001b[0m {one}: {other}\r\n"#),
            4 => write!(
                out,
                r#"{line:4}\tif {one} < {other} && !{other}.is_empty() {{\n"#
            ),
            _ => write!(out, r#"{line:4}\n"#),
        };
    }
}

/// Long output in which nothing is escaped.
pub fn plain(bytes: usize) -> String {
    transcript(bytes, Rounds::new(60), |dice, _, out| {
        for _ in 0..100 + dice.below(1000) {
            out.push_str(dice.word());
            out.push(' ');
        }
    })
}

/// A user's message before each round, so that each becomes a card.
pub fn short_turns(bytes: usize) -> String {
    transcript(bytes, Rounds::new(1), |dice, _, out| {
        for _ in 0..40 + dice.below(40) {
            out.push_str(dice.word());
            out.push(' ');
        }
    })
}

/// A session of 20 rounds whose first result has so many bytes more.
pub fn one_large(bytes: usize) -> String {
    let mut rounds = Rounds::new(60);
    let mut out = String::from(FIRST);
    for round in 0..20 {
        let result = |dice: &mut Dice, _: &str, out: &mut String| {
            let end = out.len() + if round == 0 { bytes } else { 0 };
            while out.len() < end {
                source_code(dice, out);
            }
            source_code(dice, out);
        };
        rounds.write(result, &mut out);
    }
    out.push(']');
    out
}

/// Messages of a few bytes each.
pub fn tiny(messages: usize) -> String {
    let mut out = String::from("[");
    for message in 0..messages {
        let role = if message % 2 == 0 {
            "user"
        } else {
            "assistant"
        };
        let comma = if message == 0 { "" } else { "," };
        let _ = write!(out, r#"{comma}{{"role":"{role}","content":"{message}"}}"#);
    }
    out.push(']');
    out
}
