//! Chat transcripts to measure on, made up here; the same bytes each time.

use std::fmt::Write;

/// Words that tool output and commands are made of.
const WORDS: [&str; 16] = [
    "build", "cargo", "config", "error", "handle", "index", "module", "parser", "queue", "render",
    "session", "socket", "stream", "thread", "token", "vector",
];

/// A small generator of numbers (xorshift64), so that no run differs.
struct Dice(u64);

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

/// A transcript of at least `bytes` bytes whose results `result` writes, as
/// JSON, quotes aside. The user speaks before every 60 rounds.
fn transcript(bytes: usize, mut result: impl FnMut(&mut Dice, &str, &mut String)) -> String {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut out = String::from(r#"[{"role":"system","content":"You are a careful engineer."}"#);
    let mut round = 0;
    while out.len() < bytes {
        if round % 60 == 0 {
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
        result(&mut dice, name, &mut out);
        out.push_str("\"}");
        round += 1;
    }
    out.push(']');
    out
}

/// Small rounds whose results are one line of the grammar already.
pub fn one_lined(bytes: usize) -> String {
    transcript(bytes, |dice, name, out| {
        let (word, lines) = (dice.word(), 2 + dice.below(400));
        let how = if dice.below(8) == 0 { "error" } else { "ok" };
        let _ = write!(out, "[{name}] path 'src/{word}.rs' -> {how}, {lines} lines");
    })
}

/// Source code as tools print it: line feeds, tabs, quotes, backslashes,
/// colours, and now and then a character that is not ASCII.
pub fn escaped(bytes: usize) -> String {
    transcript(bytes, |dice, _, out| {
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
    })
}

/// Long output in which nothing is escaped.
pub fn plain(bytes: usize) -> String {
    transcript(bytes, |dice, _, out| {
        for _ in 0..100 + dice.below(1000) {
            out.push_str(dice.word());
            out.push(' ');
        }
    })
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
