//! What a call's arguments say: the most telling of them.

use crate::error::{Error, ErrorKind};
use crate::json::{Reader, Text, Value, nested};

/// Arguments that say most about a call, the most telling first.
///
/// The first [`PATHS`] are paths.
const TELLING: [&str; 26] = [
    "path",
    "file_path",
    "filePath",
    "filepath",
    "file",
    "filename",
    "notebook_path",
    "directory",
    "dir",
    "command",
    "cmd",
    "query",
    "q",
    "pattern",
    "regex",
    "url",
    "uri",
    "id",
    "symbol",
    "name",
    "title",
    "description",
    "prompt",
    "code",
    "input",
    "text",
];

const PATHS: usize = 9;

/// Which of them have so many bytes, one bit each: most names are of another
/// length.
const OF_LENGTH: [u32; 16] = {
    let mut of_length = [0; 16];
    let mut rank = 0;
    while rank < TELLING.len() {
        of_length[TELLING[rank].len()] |= 1 << rank;
        rank += 1;
    }
    of_length
};

/// What a call's arguments say.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arguments<'a> {
    /// They are no JSON object.
    Other,
    /// There are none.
    Empty,
    /// None says more than that it is there.
    Mute,
    /// The one that says most.
    Telling(Text<'a>, Value<'a>),
}

impl<'a> Arguments<'a> {
    /// Reads the text of a call's arguments.
    pub(crate) fn of(text: &'a str) -> Result<Self, Error> {
        let mut most = Most::default();
        loop {
            let mut reader = Reader::new(text);
            let read = reader.members(|r, name| {
                most.see(name, r.skip()?.value());
                Ok(())
            });
            match read.and_then(|value| reader.end().map(|()| value)) {
                Ok(value) if value.is_object() => {}
                Err(error) if error.kind == ErrorKind::Memory => return Err(error),
                _ => return Ok(Self::Other),
            }
            let Some(rank) = most.lost else {
                return Ok(most.said());
            };
            most = Most {
                passed_over: most.passed_over | 1 << rank,
                ..Most::default()
            };
        }
    }

    /// Reads arguments that stand in a string, if that can be done without
    /// decoding it; a text that is most telling is still escaped twice.
    pub(crate) fn nested(text: Text<'a>) -> Option<Self> {
        let mut most = Most::default();
        nested::members(text, |name, value| most.see(name, value))?;
        match most.said() {
            _ if most.lost.is_some() => None,
            Self::Mute => None,
            said => Some(said),
        }
    }
}

/// The most telling argument so far. Of each name the last one counts.
#[derive(Default)]
struct Most<'a> {
    any: bool,
    ranked: Option<(usize, Text<'a>, Value<'a>)>,
    first_text: Option<(Text<'a>, Value<'a>)>,
    /// The lowest rank of an argument that came again with nothing to tell: what
    /// it had outranked is only found by reading again.
    lost: Option<usize>,
    /// Ranks, one bit each, that are known to tell nothing.
    passed_over: u32,
}

impl<'a> Most<'a> {
    fn see(&mut self, name: Text<'a>, value: Value<'a>) {
        self.any = true;
        let telling = match value {
            Value::Text(text) => !text.is_empty(),
            Value::Other(value) => value != "null",
        };
        if self.first_text.is_none() && telling && matches!(value, Value::Text(_)) {
            self.first_text = Some((name, value));
        }
        let Some(rank) = rank(name).filter(|rank| self.passed_over >> rank & 1 == 0) else {
            return;
        };
        let best = self.ranked.map_or(TELLING.len(), |(best, ..)| best);
        if telling && rank <= best {
            self.ranked = Some((rank, name, value));
            self.lost = self.lost.filter(|lost| *lost < rank);
        } else if rank == best {
            self.ranked = None;
            self.lost = Some(self.lost.map_or(rank, |lost| lost.min(rank)));
        }
    }

    fn said(&self) -> Arguments<'a> {
        let ranked = self.ranked.map(|(_, name, value)| (name, value));
        match ranked.or(self.first_text) {
            Some((name, value)) => Arguments::Telling(name, value),
            None if self.any => Arguments::Mute,
            None => Arguments::Empty,
        }
    }
}

/// How telling an argument is by its name.
fn rank(name: Text<'_>) -> Option<usize> {
    let mut alike = match name.is_escaped() {
        true => u32::MAX >> (u32::BITS as usize - TELLING.len()),
        false => *OF_LENGTH.get(name.raw().len())?,
    };
    while alike != 0 {
        let rank = alike.trailing_zeros() as usize;
        if name.is(TELLING[rank]) {
            return Some(rank);
        }
        alike &= alike - 1;
    }
    None
}

/// Whether an argument of this name is a path.
pub(crate) fn is_path(name: &str) -> bool {
    TELLING[..PATHS].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The most telling of some members, by the rule itself.
    fn plain(members: &[(&str, &str)]) -> Option<(String, String)> {
        let last = |name: &str| members.iter().rev().find(|member| member.0 == name);
        let ranked = TELLING.iter().filter_map(|name| last(name));
        let mut telling = ranked.filter(|member| !matches!(member.1, "null" | "\"\""));
        let is_text = |member: &&(&str, &str)| member.1.starts_with('"') && member.1 != "\"\"";
        let most = telling.next().or(members.iter().find(is_text))?;
        Some((most.0.to_owned(), most.1.trim_matches('"').to_owned()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_last_of_the_most_telling_name(
            members in proptest::collection::vec(
                (
                    proptest::sample::select(vec!["path", "file", "command", "other"]),
                    proptest::sample::select(vec!["null", "\"\"", "1", "\"a\""]),
                ),
                0..8,
            ),
        ) {
            let texts: Vec<String> = members.iter().map(|(n, v)| format!("\"{n}\":{v}")).collect();
            let object = format!("{{{}}}", texts.join(","));
            let escaped = object.replace('"', "\\\"");
            let said = |arguments| match arguments {
                Arguments::Telling(name, Value::Text(text)) => {
                    Some((name.raw().to_owned(), text.raw().to_owned()))
                }
                Arguments::Telling(name, Value::Other(value)) => {
                    Some((name.raw().to_owned(), value.to_owned()))
                }
                _ => None,
            };
            prop_assert_eq!(said(Arguments::of(&object).unwrap()), plain(&members));
            if let Some(nested) = Arguments::nested(Text::within(&escaped)) {
                prop_assert_eq!(said(nested), plain(&members));
            }
        }
    }
}
