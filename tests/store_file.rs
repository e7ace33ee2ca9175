//! The store's file: who may open it, what it refuses, what damage does.
#![cfg(feature = "store")]

use newt_fold::fetch::not_found;
use newt_fold::store::Store;
use newt_fold::{Error, ErrorKind};
use rusqlite::{Connection, params};
use std::fs;
use tempfile::TempDir;

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn open(&self, session: &str) -> Store {
        Store::open(Some(&self.path("spans.db")), Some(session))
    }

    fn database(&self) -> Connection {
        Connection::open(self.path("spans.db")).unwrap()
    }
}

fn assert_damaged(result: Result<String, Error>) {
    let error = result.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Store);
    assert!(
        error.sentence.contains("does not match its content id"),
        "{error}"
    );
}

#[test]
fn a_span_is_found_by_every_address_it_has() {
    let files = Files::new();
    let store = files.open("a");
    let text = "{\"content\":\"Zoë \u{1f98e}\"}\n{}";
    let handle = store.mint(text).unwrap();
    assert_eq!(handle.len(), 8);
    assert!(
        handle
            .bytes()
            .all(|b| b.is_ascii_lowercase() || (b'2'..=b'7').contains(&b))
    );
    assert_eq!(store.mint(text).unwrap(), handle);
    let cid: String = files
        .database()
        .query_row("SELECT cid FROM spans", [], |row| row.get(0))
        .unwrap();
    for name in [&handle, &cid] {
        for address in [
            name.clone(),
            format!("compaction:{name}"),
            format!("spill:{name}"),
        ] {
            assert_eq!(store.fetch(&address).unwrap(), text, "{address}");
        }
    }
    for unknown in [
        "",
        "aaaaaaaa",
        &handle[..7],
        &cid[..58],
        "compaction:",
        "'; --",
        "a\0b",
    ] {
        assert_eq!(store.fetch(unknown), Err(not_found()), "{unknown:?}");
    }
    assert_eq!(store.state(), None);
}

#[test]
fn a_named_session_is_found_again_and_a_private_one_is_not() {
    let files = Files::new();
    let handle = files.open("mine").mint("text").unwrap();
    assert_eq!(files.open("mine").fetch(&handle).unwrap(), "text");
    assert_eq!(files.open("other").fetch(&handle), Err(not_found()));
    let path = files.path("spans.db");
    let private = Store::open(Some(&path), None);
    let own = private.mint("text").unwrap();
    assert_ne!(own, handle);
    assert_eq!(private.fetch(&own).unwrap(), "text");
    assert_eq!(private.fetch(&handle), Err(not_found()));
    assert_eq!(Store::open(Some(&path), None).fetch(&own), Err(not_found()));
    assert_eq!(files.open("mine").fetch(&own), Err(not_found()));
}

#[test]
fn memory_is_private() {
    let (a, b) = (Store::open(None, Some("s")), Store::open(None, Some("s")));
    let handle = a.mint("text").unwrap();
    assert_eq!(a.fetch(&handle).unwrap(), "text");
    assert_eq!(b.fetch(&handle), Err(not_found()));
    a.forget().unwrap();
    assert_eq!(a.fetch(&handle), Err(not_found()));
    let own = Store::of_process().unwrap();
    let handle = own.mint("text").unwrap();
    assert_eq!(Store::of_process().unwrap().fetch(&handle).unwrap(), "text");
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let files = Files::new();
    let store = files.open("a");
    store.mint("text").unwrap();
    for end in ["", "-wal", "-shm"] {
        let file = fs::metadata(files.path("spans.db") + end).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600, "{end}");
    }
}

#[test]
fn it_says_what_it_is() {
    let files = Files::new();
    let store = files.open("a");
    store.mint("text").unwrap();
    let file = files.database();
    let number = |name| {
        file.pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert_eq!(number("application_id"), 0x4e46_5354);
    assert_eq!(number("user_version"), 1);
    let row = file
        .query_row(
            "SELECT name, length(nonce), kind, text FROM spans, sessions ON id = session",
            [],
            |row| {
                Ok((
                    row.get::<_, String>(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                ))
            },
        )
        .unwrap();
    assert_eq!(row, ("a".into(), 32, "span".to_owned(), "text".to_owned()));
}

#[test]
fn a_name_is_a_file_whatever_sqlite_makes_of_it() {
    let files = Files::new();
    for name in [":memory:", "file:x?mode=memory", "file:y"] {
        let path = files.path(name);
        let handle = Store::open(Some(&path), Some("a")).mint("text").unwrap();
        assert!(fs::exists(&path).unwrap());
        assert_eq!(
            Store::open(Some(&path), Some("a")).fetch(&handle).unwrap(),
            "text"
        );
    }
}

#[test]
fn what_is_no_store_is_refused_and_left_as_it_is() {
    let files = Files::new();
    let foreign = files.path("foreign.db");
    Connection::open(&foreign)
        .unwrap()
        .execute_batch("CREATE TABLE t (x)")
        .unwrap();
    let marked = files.path("marked.db");
    Connection::open(&marked)
        .unwrap()
        .execute_batch("PRAGMA application_id = 7")
        .unwrap();
    let versioned = files.path("versioned.db");
    Connection::open(&versioned)
        .unwrap()
        .execute_batch("PRAGMA user_version = 1")
        .unwrap();
    let text = files.path("text.db");
    fs::write(&text, "no database at all, however long one reads in it").unwrap();
    drop(files.open("a"));
    files
        .database()
        .execute_batch("PRAGMA user_version = 2; PRAGMA journal_mode = DELETE")
        .unwrap();
    let newer = files.path("spans.db");
    for (path, reason) in [
        (foreign, "another program"),
        (marked, "another program"),
        (versioned, "another program"),
        (text, "not an SQLite database"),
        (newer, "has version 2 and this library knows version 1"),
    ] {
        let before = fs::read(&path).unwrap();
        let store = Store::open(Some(&path), Some("a"));
        for error in [store.state().unwrap(), store.mint("text").unwrap_err()] {
            assert_eq!(error.kind, ErrorKind::Store);
            assert!(error.sentence.contains(reason), "{error}");
            assert!(error.sentence.contains(&path), "{error}");
        }
        assert!(store.fetch("aaaaaaaa").is_err() && store.forget().is_err());
        drop(store);
        assert_eq!(fs::read(&path).unwrap(), before, "{path}");
    }
}

#[test]
fn what_cannot_be_opened_says_why_and_is_tried_again() {
    let files = Files::new();
    let path = files.path("folder/spans.db");
    let store = Store::open(Some(&path), Some("a"));
    assert!(
        store
            .state()
            .unwrap()
            .sentence
            .contains("cannot be created")
    );
    assert!(store.mint("text").is_err());
    fs::create_dir(files.path("folder")).unwrap();
    let handle = store.mint("text").unwrap();
    assert_eq!(store.fetch(&handle).unwrap(), "text");

    let empty = Store::open(Some(""), None);
    assert!(empty.state().unwrap().sentence.contains("path is empty"));
    let nul = Store::open(Some("a\0b"), None);
    assert!(
        nul.mint("text")
            .unwrap_err()
            .sentence
            .contains("holds a NUL")
    );
    let nameless = Store::open(None, Some(""));
    let error = nameless.fetch("aaaaaaaa").unwrap_err();
    assert!(error.kind == ErrorKind::Argument && error.sentence.contains("name is empty"));
}

#[test]
fn a_flipped_byte_is_refused_and_no_other_span_suffers() {
    let files = Files::new();
    let store = files.open("a");
    let text = r#"{"role":"tool","content":"every byte of this counts, é too"}"#;
    let handle = store.mint(text).unwrap();
    let other = store.mint("another").unwrap();
    let database = files.database();
    let store_bytes = |bytes: &[u8]| {
        let changed = database
            .execute(
                "UPDATE spans SET text = CAST(?1 AS TEXT) WHERE handle = ?2",
                params![bytes, handle],
            )
            .unwrap();
        assert_eq!(changed, 1);
    };
    for at in 0..text.len() {
        // The first leaves most text UTF-8, the second none.
        for mask in [0x01, 0x80] {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] ^= mask;
            store_bytes(&bytes);
            assert_damaged(store.fetch(&handle));
            assert_eq!(store.fetch(&other).unwrap(), "another");
        }
    }
    store_bytes(&text.as_bytes()[1..]);
    assert_damaged(store.fetch(&handle));
    // Whoever still has the text can mend it.
    assert_eq!(store.mint(text).unwrap(), handle);
    assert_eq!(store.fetch(&handle).unwrap(), text);
    assert!(store.state().unwrap().sentence.contains("does not match"));
}

#[test]
fn the_other_columns_are_checked_too() {
    let files = Files::new();
    let store = files.open("a");
    let handle = store.mint("text").unwrap();
    let other = store.mint("another").unwrap();
    for (change, back) in [
        ("kind = 'spam'", "kind = 'span'"),
        (
            "cid = substr(cid, 2) || 'x'",
            "cid = 'b' || substr(cid, 1, length(cid) - 1)",
        ),
    ] {
        let set = |what| {
            let sql = format!("UPDATE spans SET {what} WHERE handle = ?1");
            assert_eq!(files.database().execute(&sql, [&handle]).unwrap(), 1);
        };
        set(change);
        assert_damaged(store.fetch(&handle));
        assert_eq!(store.fetch(&other).unwrap(), "another");
        set(back);
        assert_eq!(store.fetch(&handle).unwrap(), "text");
    }
    let database = files.database();
    database
        .execute(
            "UPDATE spans SET handle = 'zzzzzzzz' WHERE handle = ?1",
            [&handle],
        )
        .unwrap();
    assert_damaged(store.fetch("zzzzzzzz"));
    database
        .execute("UPDATE sessions SET nonce = zeroblob(32)", [])
        .unwrap();
    assert_damaged(store.fetch(&other));
}

#[test]
fn a_byte_flipped_in_the_file_itself_is_refused() {
    let files = Files::new();
    let text = format!(
        r#"{{"content":"needle in the file{}"}}"#,
        "z".repeat(20_000)
    );
    let store = files.open("a");
    let handle = store.mint(&text).unwrap();
    let other = store.mint("another").unwrap();
    drop(store);
    let path = files.path("spans.db");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(6).position(|w| w == b"needle").unwrap();
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    let store = files.open("a");
    assert_damaged(store.fetch(&handle));
    assert_eq!(store.fetch(&other).unwrap(), "another");
}

#[test]
fn forgetting_returns_the_space_and_leaves_other_sessions() {
    let files = Files::new();
    let (a, b) = (files.open("a"), files.open("b"));
    let secret = "secret ".repeat(100_000);
    let kept = b.mint("kept").unwrap();
    let gone = a.mint(&secret).unwrap();
    let also_kept = b.mint("also kept").unwrap();
    let path = files.path("spans.db");
    a.forget().unwrap();
    let size = |end: &str| fs::metadata(path.clone() + end).unwrap().len();
    assert!(size("") < 100_000, "{}", size(""));
    assert_eq!(size("-wal"), 0);
    let bytes = fs::read(&path).unwrap();
    assert!(!bytes.windows(6).any(|window| window == b"secret"));
    assert_eq!(a.fetch(&gone), Err(not_found()));
    assert_eq!(b.fetch(&kept).unwrap(), "kept");
    assert_eq!(b.fetch(&also_kept).unwrap(), "also kept");
    // It can be used on, under a nonce of its own.
    let again = a.mint(&secret).unwrap();
    assert_ne!(again, gone);
    assert_eq!(a.fetch(&again).unwrap(), secret);
}

#[test]
fn forgetting_while_another_reads_says_that_the_space_is_still_held() {
    let files = Files::new();
    let store = files.open("a");
    let gone = store.mint("text").unwrap();
    let reader = files.database();
    reader
        .execute_batch("BEGIN; SELECT count(*) FROM spans")
        .unwrap();
    let error = store.forget().unwrap_err();
    assert!(error.sentence.contains("the spans are removed"), "{error}");
    assert_eq!(store.fetch(&gone), Err(not_found()));
    reader.execute_batch("COMMIT").unwrap();
    store.forget().unwrap();
    assert_eq!(fs::metadata(files.path("spans.db-wal")).unwrap().len(), 0);
}
