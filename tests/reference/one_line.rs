//! The one-line grammar, read.

/// What some reader takes for a line break.
pub const BREAKS: [char; 7] = [
    '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
];

/// `[name] clause -> ok, …` or `[name] clause -> error, …`, on one line.
pub fn is_one_line(text: &str) -> bool {
    text.starts_with('[')
        && text.contains("] ")
        && !text.contains(BREAKS)
        && (text.contains(" -> ok, ") || text.contains(" -> error, "))
}

/// The note that a round's prose leaves in its line; `None` where it holds what
/// a card must not.
pub fn note(prose: &[String], chars: usize) -> Option<String> {
    let blank = |c: char| c.is_control() || BREAKS.contains(&c);
    let text = prose.join(" ").replace(blank, " ");
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let text = words.join(" ");
    if ["[NEWT", "[exact", "compaction:", "spill:"]
        .iter()
        .any(|mark| text.contains(mark))
    {
        return None;
    }
    let mut note: String = text.chars().take(chars).collect();
    if note.is_empty() {
        return Some(note);
    }
    if note.len() < text.len() {
        note.pop();
        note = note.trim_end().to_owned() + "…";
    }
    Some(format!("\"{}\" ", note.replace('"', "'")))
}
