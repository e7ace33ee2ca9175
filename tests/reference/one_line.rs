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
