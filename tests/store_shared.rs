//! Several processes and threads on one file, and on one store.
#![cfg(feature = "store")]

mod child;

use newt_fold::ErrorKind;
use newt_fold::store::Store;
use std::collections::HashMap;
use std::process::Stdio;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const PROCESSES: usize = 4;
const THREADS: usize = 8;

fn text(process: usize, thread: usize, n: usize) -> String {
    let filling = "y".repeat(n * 37 % 900);
    format!(r#"{{"process":{process},"thread":{thread},"n":{n},"content":"{filling}"}}"#)
}

/// One process: threads that share a store, and print each handle.
fn mint_share(path: &str, process: usize, each: usize) {
    let store = Store::open(Some(path), Some("shared"));
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                let minted: String = (0..each)
                    .map(|n| {
                        let handle = store.mint(&text(process, thread, n)).unwrap();
                        format!("minted {thread} {n} {handle}\n")
                    })
                    .collect();
                print!("{minted}");
            });
        }
    });
}

#[test]
fn no_span_is_lost_or_doubled_between_processes() {
    if let Some(role) = child::role() {
        let mut words = role.splitn(3, ' ');
        let mut number = || words.next().unwrap().parse().unwrap();
        let (process, each) = (number(), number());
        return mint_share(words.next().unwrap(), process, each);
    }
    let each = child::size("NEWT_SPANS", 1_600) / (PROCESSES * THREADS);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spans.db");
    let path = path.to_str().unwrap();

    let started: Vec<_> = (0..PROCESSES)
        .map(|process| {
            child::command(
                "no_span_is_lost_or_doubled_between_processes",
                &format!("{process} {each} {path}"),
            )
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
        })
        .collect();
    let mut minted = HashMap::new();
    for (process, started) in started.into_iter().enumerate() {
        let output = started.wait_with_output().unwrap();
        assert!(output.status.success(), "process {process} failed");
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            if let ["minted", thread, n, handle] = line.split(' ').collect::<Vec<_>>()[..] {
                let text = text(process, thread.parse().unwrap(), n.parse().unwrap());
                let doubled = minted.insert(handle.to_owned(), text);
                assert_eq!(doubled, None, "{handle} was issued twice");
            }
        }
    }
    assert_eq!(minted.len(), each * PROCESSES * THREADS);
    let store = Store::open(Some(path), Some("shared"));
    for (handle, text) in &minted {
        assert_eq!(&store.fetch(handle).unwrap(), text);
    }
    let file = rusqlite::Connection::open(path).unwrap();
    let count = |sql| file.query_row(sql, [], |row| row.get::<_, isize>(0));
    assert_eq!(
        count("SELECT count(*) FROM spans").unwrap(),
        minted.len() as isize
    );
    assert_eq!(count("SELECT count(*) FROM sessions").unwrap(), 1);
    let check: String = file
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
}

#[test]
fn all_who_open_a_new_file_at_once_succeed() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..10 {
        let path = folder.path().join(format!("{round}.db"));
        let path = path.to_str().unwrap();
        let together = Barrier::new(THREADS);
        let handles: Vec<_> = thread::scope(|scope| {
            let openers: Vec<_> = (0..THREADS)
                .map(|_| {
                    scope.spawn(|| {
                        together.wait();
                        let store = Store::open(Some(path), Some("together"));
                        assert_eq!(store.state(), None);
                        store.mint("the same").unwrap()
                    })
                })
                .collect();
            openers
                .into_iter()
                .map(|opener| opener.join().unwrap())
                .collect()
        });
        assert!(
            handles.iter().all(|handle| handle == &handles[0]),
            "{handles:?}"
        );
    }
}

/// Eight threads on one store: six mint and fetch, one fails again and again,
/// one reads the state. For a race detector as much as for its own checks.
#[test]
fn one_store_serves_threads_while_some_fail() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spans.db");
    let path = path.to_str().unwrap();
    let store = Store::open(Some(path), Some("threads"));
    let damaged = store.mint("to be damaged").unwrap();
    rusqlite::Connection::open(path)
        .unwrap()
        .execute("UPDATE spans SET text = 'damaged'", [])
        .unwrap();
    assert_eq!(store.state(), None);

    let rounds = child::size("NEWT_ROUNDS", 40);
    let done = AtomicBool::new(false);
    let seen = thread::scope(|scope| {
        let minting: Vec<_> = (0..6)
            .map(|thread| {
                let store = &store;
                scope.spawn(move || {
                    for n in 0..rounds {
                        let text = text(0, thread, n);
                        let handle = store.mint(&text).unwrap();
                        assert_eq!(store.fetch(&handle).unwrap(), text);
                    }
                })
            })
            .collect();
        let failing = scope.spawn(|| {
            for _ in 0..rounds {
                let error = store.fetch(&damaged).unwrap_err();
                assert_eq!(error.kind, ErrorKind::Store);
            }
        });
        let reading = scope.spawn(|| {
            let mut seen = 0;
            while !done.load(Ordering::Relaxed) {
                seen += usize::from(store.state().is_some());
                thread::yield_now();
            }
            seen
        });
        for thread in minting {
            thread.join().unwrap();
        }
        failing.join().unwrap();
        done.store(true, Ordering::Relaxed);
        reading.join().unwrap()
    });
    assert!(seen > 0);
    assert!(
        store
            .state()
            .unwrap()
            .sentence
            .contains("does not match its content id")
    );
}
