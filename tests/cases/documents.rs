//! What is a transcript, and what is refused.

use super::*;

#[test]
fn a_byte_order_mark_is_kept() {
    let document = format!(
        "\u{feff}{}",
        Document::plain(&beside(vec![]), Dialect::Chat).text
    );
    let folded = judge(&document, &config(), &mut Mint::new());
    assert_eq!(folded.summary.rounds_folded, 2);
    assert!(folded.document.starts_with("\u{feff}["));
}

fn refused(document: impl AsRef<[u8]>, config: &Config) -> (ErrorKind, Option<usize>) {
    let error = fold(document.as_ref(), config, |_| panic!("nothing to mint")).unwrap_err();
    assert!(error.sentence.contains("expected"), "{}", error.sentence);
    (error.kind, error.offset)
}

#[test]
fn what_is_no_json_is_refused_at_its_byte() {
    let document = r#"[{"role":"user","content":"go"},{"role":"assistant","content":"hi"},]"#;
    assert_eq!(
        refused(document, &config()),
        (ErrorKind::Json, Some(document.len() - 1))
    );
    let nul = format!(
        "[{{\"role\":\"user\",\"content\":\"go\"}},{}7]",
        "\0".repeat(40)
    );
    assert_eq!(
        refused(&nul, &config()),
        (ErrorKind::Json, Some(nul.find('\0').unwrap()))
    );
    let lines =
        "{\"role\":\"user\",\"content\":\"go\"}\n{\"role\":\"assistant\",\"content\":\"hi\"}\n";
    assert_eq!(
        refused(lines, &config()),
        (ErrorKind::Json, Some(lines.find('\n').unwrap() + 1))
    );
    let bare = r#"[{"content":"NaN is fine here","v":NaN}]"#;
    assert_eq!(
        refused(bare, &config()),
        (ErrorKind::Json, Some(bare.find(":NaN").unwrap() + 1))
    );
    for latin in [
        &b"\xe9"[..],
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
        b"\x80",
    ] {
        let document = [b"[\"caf", latin, b"\"]"].concat();
        assert_eq!(
            refused(&document, &config()),
            (ErrorKind::Utf8, Some(5)),
            "{latin:?}"
        );
    }
    let inside = r#"[{"role":"tool","content":"{\"mean\": NaN}"}]"#;
    assert_eq!(
        judge(inside, &config(), &mut Mint::new())
            .summary
            .messages_before,
        1
    );
}

#[test]
fn a_whole_request_folds_in_place() {
    for dialect in transcripts::dialect::DIALECTS {
        let style = transcripts::document::Style {
            envelope: transcripts::Envelope::Body,
            layouts: Vec::new(),
            separators: Vec::new(),
        };
        let document = Document::write(&beside(vec![]), dialect, &style).text;
        let folded = judge(&document, &config(), &mut Mint::new());
        assert_eq!(folded.summary.rounds_folded, 2, "{dialect:?}");
        let array = document.find(&format!("\"{}\"", dialect.member())).unwrap();
        assert_eq!(folded.document[..array], document[..array]);
        let after = document.rfind("\n \"tools\"").unwrap();
        assert!(folded.document.ends_with(&document[after..]));
    }
}

#[test]
fn the_format_decides_between_two_arrays() {
    let chat = Document::plain(&beside(vec![]), Dialect::Chat).text;
    let gemini = Document::plain(&beside(vec![]), Dialect::Gemini).text;
    let both = format!(r#"{{"contents":{gemini},"messages":{chat}}}"#);
    let (kind, _) = refused(&both, &config());
    assert_eq!(kind, ErrorKind::Transcript);
    for (format, kept) in [(Wire::Chat, &gemini), (Wire::Gemini, &chat)] {
        let config = Config {
            format: Some(format),
            ..config()
        };
        let folded = judge(&both, &config, &mut Mint::new());
        assert_eq!(folded.summary.rounds_folded, 2, "{format:?}");
        assert!(folded.document.contains(kept.as_str()));
    }
    let responses = Config {
        format: Some(Wire::Responses),
        ..config()
    };
    assert_eq!(refused(&both, &responses).0, ErrorKind::Transcript);
}

#[test]
fn an_object_or_scalar_without_messages_is_no_transcript() {
    for document in [
        "{}",
        "7",
        "null",
        "\"x\"",
        "true",
        r#"{"model":"m"}"#,
        r#"{"messages":7}"#,
        r#"{"messages":{}}"#,
        r#"{"contents":"x"}"#,
    ] {
        assert_eq!(
            refused(document, &config()).0,
            ErrorKind::Transcript,
            "{document}"
        );
    }
}

#[test]
fn the_format_is_found_by_its_first_tell_tale() {
    for dialect in transcripts::dialect::DIALECTS {
        let mut session = beside(vec![]);
        if dialect == Dialect::Legacy {
            // `function_call` is no tell-tale; CHAT is what is left.
        }
        session.insert(0, Turn::Odd(Json::Raw("7".to_owned())));
        let (document, folded, _) = run(dialect, &session, &config());
        assert_eq!(folded.summary.rounds_folded, 2, "{dialect:?}");
        let given = Config {
            format: Some(dialect.wire()),
            ..config()
        };
        let same = judge(&document, &given, &mut Mint::new());
        assert_eq!(same.document, folded.document);
    }
}

/// Cards whose text is more than a fold remembers are written as all others.
#[test]
fn a_document_of_many_cards_folds_as_its_parts_do() {
    let dialect = Dialect::Chat;
    for form in [Form::User, Form::Assistant, Form::Tool] {
        let config = Config {
            keep_last: 0,
            min_rounds: 1,
            card: form,
            ..any()
        };
        let fold_of = |messages: &[String], first: usize| {
            let mut handle = first;
            let document = format!("[{}]", messages.join(","));
            let (folded, summary) = fold(document.as_bytes(), &config, |_| {
                handle += 1;
                Some(format!("span-{handle}"))
            })
            .unwrap();
            assert_eq!(summary.cards, handle - first);
            folded[1..folded.len() - 1].to_owned()
        };
        let parts: Vec<Vec<String>> = (0..7000)
            .map(|part| {
                let name = format!("c{part}");
                let path = "\\\"é\\\"/".repeat(15);
                let arguments = format!(r#"{{"path":"{path}{part}"}}"#);
                let round = Round::of(&name, "read", &arguments, &"a line\n".repeat(60 + part % 9));
                let session = [Turn::Round(round), user("go on")];
                let messages = dialect.write(&session);
                let text = messages
                    .iter()
                    .map(|m| m.write(transcripts::Layout::Compact));
                text.collect()
            })
            .collect();
        let whole = fold_of(&parts.concat(), 0);
        let each = parts.iter().enumerate();
        let each: Vec<String> = each.map(|(nth, part)| fold_of(part, nth)).collect();
        assert!(whole.len() > 2_000_000, "{}", whole.len());
        assert!(whole == each.join(","), "{form:?}");
    }
}
