//! A handle that was given out resolves, whenever the host is killed.
#![cfg(all(feature = "store", unix))]

mod child;

use newt_fold::store::Store;
use newt_fold::{Config, Results, fold};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

const TEST: &str = "every_printed_handle_survives_a_kill";

/// A round told apart by its host and its number, of one page to several: the
/// messages that make it, one a line, as a span has them.
fn text(host: usize, n: usize) -> String {
    let filling = "x".repeat(600 + n * 7919 % 20_000);
    let call = format!(r#"{{"name":"run","arguments":"{{\"host\":{host},\"n\":{n}}}"}}"#);
    format!(
        r#"{{"role":"assistant","content":"","tool_calls":[{{"id":"c{n}","type":"function","function":{call}}}]}}
{{"role":"tool","tool_call_id":"c{n}","content":"{filling}"}}"#
    )
}

/// Folds a round after another until it is killed, and prints each handle
/// after the fold has returned.
fn fold_forever(path: &str, host: usize) -> ! {
    let store = Store::open(Some(path), Some("crash"));
    let config = Config {
        keep_last: 0,
        min_rounds: 1,
        results: Results::Any,
        ..Config::default()
    };
    let mut out = std::io::stdout();
    for n in 0.. {
        let document = format!("[{}]", text(host, n).replace('\n', ","));
        let (_, summary) =
            fold(document.as_bytes(), &config, |span| store.mint(span).ok()).unwrap();
        let handle = summary.handle.unwrap();
        out.write_all(format!("folded {n} {handle} .\n").as_bytes())
            .unwrap();
        out.flush().unwrap();
    }
    unreachable!("numbers end after the host")
}

#[test]
fn every_printed_handle_survives_a_kill() {
    if let Some(role) = child::role() {
        let (host, path) = role.split_once(' ').unwrap();
        fold_forever(path, host.parse().unwrap());
    }
    let kills = child::size("NEWT_KILLS", 10);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spans.db");
    let path = path.to_str().unwrap();

    let mut printed = Vec::new();
    for host in 0..kills {
        let mut process = child::command(TEST, &format!("{host} {path}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let moment = RandomState::new().build_hasher().finish() % 120;
        thread::sleep(Duration::from_millis(moment));
        process.kill().unwrap();
        process.wait().unwrap();
        let mut output = String::new();
        let mut pipe = process.stdout.take().unwrap();
        pipe.read_to_string(&mut output).unwrap();
        let before = printed.len();
        for line in output.lines() {
            // The kill may have cut the last line.
            let words: Vec<&str> = line.split(' ').collect();
            if let ["folded", n, handle, "."] = words[..] {
                printed.push((host, n.parse().unwrap(), handle.to_owned()));
            }
        }
        let store = Store::open(Some(path), Some("crash"));
        for (host, n, handle) in &printed[before..] {
            assert_eq!(store.fetch(handle).unwrap(), text(*host, *n), "{handle}");
        }
    }
    let store = Store::open(Some(path), Some("crash"));
    for (host, n, handle) in &printed {
        assert_eq!(store.fetch(handle).unwrap(), text(*host, *n), "{handle}");
    }
    assert!(printed.len() >= kills, "{} handles", printed.len());
    let check: String = rusqlite::Connection::open(path)
        .unwrap()
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    println!("{kills} kills, {} handles, all resolved", printed.len());
}
