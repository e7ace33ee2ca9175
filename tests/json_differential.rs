//! The library's reader against two others on generated documents: a plain one
//! kept here, for what is refused and where, and serde_json, for what is
//! accepted and how it is cut.

mod plain;

use newt_fold::{Config, ErrorKind, Results, fold};
use proptest::prelude::*;
use serde_json::value::RawValue;

/// What the library says of a document, as the plain reader would.
fn ours(text: &str) -> Result<Option<usize>, usize> {
    match fold(text.as_bytes(), &Config::default(), |_| None) {
        Ok((_, summary)) => Ok(Some(summary.messages_before)),
        Err(error) if error.kind == ErrorKind::Json => Err(error.offset.expect("a place")),
        Err(_) => Ok(None),
    }
}

fn compare(text: &str) {
    let plain = plain::read(text);
    assert_eq!(ours(text), plain, "{text:?}");
    let without_mark = text.strip_prefix('\u{feff}').unwrap_or(text);
    let accepted = serde_json::from_str::<&RawValue>(without_mark).is_ok();
    assert_eq!(accepted, plain.is_ok(), "serde_json on {text:?}");
}

/// Pieces of JSON, of strings above all, that put quotes, backslashes and
/// control characters at every place of a block.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => proptest::sample::select(vec![
            "\"", "\\", "\\\"", "\\\\", "\\n", "\\/", "\\u00e9", "\\ud83d", "\\uD83D\\uDE00", "\\u12", "\\x",
            "{", "}", "[", "]", ",", ":", " ", "\n", "\t", "\r", "\u{0}", "\u{1f}", "\u{7f}", "é", "\u{1f600}",
            "true", "null", "-0", "1e400", "0123", "1.", "\"a\":", "\"role\":\"tool\"", "\"content\":\"",
        ]).prop_map(str::to_owned),
        1 => (0usize..70).prop_map(|n| "x".repeat(n)),
        1 => (1usize..70).prop_map(|n| "\\".repeat(n)),
    ]
}

/// A JSON value, written with all liberties of the grammar.
fn value() -> impl Strategy<Value = String> {
    let space = || proptest::sample::select(vec!["", "", " ", "\t", "  "]);
    let string = proptest::collection::vec(
        prop_oneof![
            proptest::sample::select(vec![
                "\\\"", "\\\\", "\\n", "\\/", "\\u00e9", "\\ud83d", "é", "{", ":", "]"
            ])
            .prop_map(str::to_owned),
            (0usize..40).prop_map(|n| "x".repeat(n)),
        ],
        0..8,
    )
    .prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let scalar = prop_oneof![
        4 => string.clone(),
        1 => proptest::sample::select(vec!["true", "false", "null", "0", "-1.5e+9", "1e400"]).prop_map(str::to_owned),
    ];
    scalar.prop_recursive(4, 24, 4, move |inner| {
        let member =
            (string.clone(), space(), inner.clone()).prop_map(|(k, s, v)| format!("{k}{s}:{s}{v}"));
        prop_oneof![
            (proptest::collection::vec(inner, 0..4), space())
                .prop_map(|(items, s)| format!("[{s}{}{s}]", items.join(&format!("{s},")))),
            (proptest::collection::vec(member, 0..4), space())
                .prop_map(|(items, s)| format!("{{{s}{}{s}}}", items.join(&format!(",{s}")))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_pieces(pieces in proptest::collection::vec(piece(), 0..40)) {
        compare(&pieces.concat());
        compare(&format!("[{}]", pieces.concat()));
        compare(&format!("[\"{}\"]", pieces.concat()));
    }

    #[test]
    fn values_and_values_gone_wrong(values in proptest::collection::vec(value(), 0..6), at in 0usize..400, with in piece()) {
        let good = format!("[{}]", values.join(","));
        compare(&good);
        let mut bad = good;
        let at = bad.floor_char_boundary(at.min(bad.len()));
        bad.insert_str(at, &with);
        compare(&bad);
        bad.truncate(at);
        compare(&bad);
    }

    #[test]
    fn messages_that_are_no_objects(numbers in proptest::collection::vec(0u32..2_000, 0..20)) {
        // One may be the beginning of the next.
        compare(&format!("{numbers:?}"));
    }

    #[test]
    fn messages_are_cut_as_serde_json_cuts_them(values in proptest::collection::vec(value(), 2..12)) {
        // A round a value: in its result, and in a field that nobody knows.
        let rounds: Vec<String> = values.iter().enumerate().map(|(n, value)| format!(
            r#"{{"role":"assistant","x":{value},"tool_calls":[{{"id":"c{n}","function":{{"name":"t","arguments":"{{}}"}}}}]}} , {{"role":"tool","tool_call_id":"c{n}","content":[{value},"{}"]}}"#,
            "long ".repeat(200),
        )).collect();
        let document = format!("[{}]", rounds.join(" ,\t"));
        let config = Config { keep_last: 0, results: Results::Any, ..Config::default() };
        let mut spans = Vec::new();
        fold(document.as_bytes(), &config, |span| {
            spans.push(span.to_owned());
            Some("h".to_owned())
        }).unwrap();
        let cut: Vec<&RawValue> = serde_json::from_str(&document).unwrap();
        let cut: Vec<&str> = cut.into_iter().map(RawValue::get).collect();
        prop_assert_eq!(spans.concat(), cut.join("\n"));
    }
}
