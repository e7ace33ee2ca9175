//! JSON as somebody else's encoder would write it: any escapes, any spaces,
//! any order, members that come twice.

/// A string as it stands in a document, quotes and escapes included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal(String);

impl Literal {
    /// The shortest way to write a text.
    pub fn plain(text: &str) -> Self {
        Self(serde_json::to_string(text).expect("every text is a JSON string"))
    }

    /// As PHP and Go write it: `\/`, `\u003e`, no character beyond ASCII.
    pub fn escaped(text: &str) -> Self {
        let mut literal = String::from("\"");
        for c in text.chars() {
            match c {
                '/' => literal.push_str("\\/"),
                '"' => literal.push_str("\\\""),
                '\\' => literal.push_str("\\\\"),
                '\n' => literal.push_str("\\n"),
                ' '..='~' if !"<>&'".contains(c) => literal.push(c),
                _ => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        literal.push_str(&format!("\\u{unit:04x}"));
                    }
                }
            }
        }
        literal.push('"');
        Self(literal)
    }

    /// A text between quotes that holds its own escapes.
    pub fn raw(inner: &str) -> Self {
        Self(format!("\"{inner}\""))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The characters that are meant, lone surrogates aside.
    pub fn text(&self) -> String {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

/// A value that can be laid out in several ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// Anything, as it stands.
    Raw(String),
    Array(Vec<Json>),
    /// Members in order; names are plain and may come twice.
    Object(Vec<(&'static str, Json)>),
}

impl From<&Literal> for Json {
    fn from(literal: &Literal) -> Self {
        Json::Raw(literal.0.clone())
    }
}

impl From<&str> for Json {
    /// A text, written the shortest way.
    fn from(text: &str) -> Self {
        Json::Raw(Literal::plain(text).0)
    }
}

/// Where an encoder puts spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `{"a":1}`
    Compact,
    /// `{"a": 1, "b": 2}`
    Spaced,
    /// `{ "a" :1 }`, tabs among it.
    Odd,
    /// One member a line.
    Pretty,
}

impl Json {
    pub fn write(&self, layout: Layout) -> String {
        let mut out = String::new();
        self.write_at(layout, 1, &mut out);
        out
    }

    fn write_at(&self, layout: Layout, depth: usize, out: &mut String) {
        let (open, close, count) = match self {
            Json::Raw(text) => return out.push_str(text),
            Json::Array(elements) => ('[', ']', elements.len()),
            Json::Object(members) => ('{', '}', members.len()),
        };
        out.push(open);
        for index in 0..count {
            if index > 0 {
                out.push(',');
            }
            match layout {
                Layout::Compact => {}
                Layout::Spaced if index == 0 => {}
                Layout::Spaced => out.push(' '),
                Layout::Odd => out.push_str(if index % 2 == 0 { "\t" } else { "  " }),
                Layout::Pretty => {
                    out.push('\n');
                    out.push_str(&" ".repeat(depth));
                }
            }
            match self {
                Json::Array(elements) => elements[index].write_at(layout, depth + 1, out),
                Json::Object(members) => {
                    let (name, value) = &members[index];
                    out.push_str(Literal::plain(name).as_str());
                    out.push_str(match layout {
                        Layout::Compact => ":",
                        Layout::Spaced | Layout::Pretty => ": ",
                        Layout::Odd => " :",
                    });
                    value.write_at(layout, depth + 1, out);
                }
                Json::Raw(_) => unreachable!("written above"),
            }
        }
        if layout == Layout::Pretty && count > 0 {
            out.push('\n');
            out.push_str(&" ".repeat(depth - 1));
        }
        out.push(close);
    }
}
