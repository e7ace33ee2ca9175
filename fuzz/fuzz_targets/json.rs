//! Whatever the bytes: the library accepts what serde_json accepts, cuts it
//! into the same messages, and refuses the rest where the plain reader does.
#![no_main]

#[path = "../../tests/plain/mod.rs"]
mod plain;

use libfuzzer_sys::fuzz_target;
use newt_fold::{Config, ErrorKind, Results, fold};
use serde_json::value::RawValue;

fuzz_target!(|bytes: &[u8]| {
    let config = Config {
        keep_last: 0,
        min_rounds: 1,
        results: Results::Any,
        ..Config::default()
    };
    let mut spans = Vec::new();
    let folded = fold(bytes, &config, |span| {
        spans.push(span.to_owned());
        Some("h".to_owned())
    });
    let Ok(text) = std::str::from_utf8(bytes) else {
        let error = folded.expect_err("no UTF-8");
        assert_eq!(error.kind, ErrorKind::Utf8);
        return;
    };
    // The plain reader calls itself, and the stack has an end.
    if text.bytes().filter(|b| matches!(b, b'[' | b'{')).count() > 2_000 {
        return;
    }
    let ours = match &folded {
        Ok((_, summary)) => Ok(Some(summary.messages_before)),
        Err(error) if error.kind == ErrorKind::Json => Err(error.offset.expect("a place")),
        Err(_) => Ok(None),
    };
    let plain = plain::read(text);
    match (ours, plain) {
        // A body's messages are no elements of the document.
        (Ok(_), Ok(None)) => {}
        _ => assert_eq!(ours, plain),
    }
    let without_mark = text.strip_prefix('\u{feff}').unwrap_or(text);
    let theirs = serde_json::from_str::<Vec<&RawValue>>(without_mark);
    assert_eq!(theirs.is_ok(), matches!(plain, Ok(Some(_))));
    if let Ok(messages) = theirs {
        let lines: Vec<&str> = messages.into_iter().map(RawValue::get).collect();
        let spanned = spans.iter().flat_map(|span| span.split('\n')).count();
        let (_, summary) = folded.expect("messages");
        // Each card is a message, and each line of its span was one.
        let gone = summary.messages_before + spans.len() - summary.messages_after;
        assert_eq!(spanned, gone);
        for line in spans.iter().flat_map(|span| span.split('\n')) {
            // A message over several lines was put on one.
            assert!(lines.contains(&line) || lines.iter().any(|message| message.contains('\n')));
        }
    }
});
