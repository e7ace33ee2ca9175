//! Spans a second that 4 processes of 8 threads mint into one file, beside a
//! plain insert loop of as many with the same durability and busy handler.
//!
//! `cargo bench --bench store`; NEWT_SPANS sets the number of spans. The plain
//! loop runs twice: with a connection a thread, as the store does it, and with
//! one a process, which its threads share under a mutex.

use newt_fold::store::Store;
use rusqlite::{Connection, params};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{env, thread};

const PROCESSES: usize = 4;
const THREADS: usize = 8;
const ROUNDS: usize = 5;
const STORE: &str = "store";
const EACH_THREAD: &str = "a connection a thread";
const EACH_PROCESS: &str = "a connection a process";
const WAYS: [&str; 3] = [STORE, EACH_THREAD, EACH_PROCESS];

fn text(process: usize, thread: usize, n: usize) -> String {
    let filling = "z".repeat(2_000);
    format!(r#"{{"process":{process},"thread":{thread},"n":{n},"content":"{filling}"}}"#)
}

fn connect(path: &str) -> Connection {
    let mut connection = Connection::open(path).unwrap();
    let mut since = Instant::now();
    let wait = move |times: i32| {
        if times == 0 {
            since = Instant::now();
        }
        thread::sleep(Duration::from_millis(1));
        since.elapsed() < Duration::from_secs(30)
    };
    connection.busy_handler(Some(wait)).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        .unwrap();
    connection
}

/// Keeps a text under a handle; the store makes its own handle.
type Keep = Box<dyn Fn(&str, &str) + Send + Sync>;

fn keep(way: &str, path: &str) -> Keep {
    if way == STORE {
        let store = Store::open(Some(path), Some("bench"));
        return Box::new(move |_, text| drop(store.mint(text).unwrap()));
    }
    let connection = Mutex::new(connect(path));
    Box::new(move |handle, text| {
        let connection = connection.lock().unwrap();
        let mut insert = connection
            .prepare_cached("INSERT INTO spans VALUES (?1, ?2)")
            .unwrap();
        insert.execute(params![handle, text]).unwrap();
    })
}

/// One process: `each` spans from each of its threads.
fn process(way: &str, process: usize, each: usize, path: &str) {
    let shared = (way != EACH_THREAD).then(|| keep(way, path));
    let shared = shared.as_ref();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let own = shared.is_none().then(|| keep(way, path));
                let keep = shared.or(own.as_ref()).unwrap();
                for n in 0..each {
                    keep(
                        &format!("{process}-{thread}-{n}"),
                        &text(process, thread, n),
                    );
                }
            });
        }
    });
}

/// Spans a second of all processes together, their start included.
fn measure(way: &str, spans: usize) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spans.db");
    let path = path.to_str().unwrap();
    if way == STORE {
        drop(Store::open(Some(path), Some("bench")));
    } else {
        connect(path)
            .execute_batch("CREATE TABLE spans (handle TEXT PRIMARY KEY, text TEXT NOT NULL)")
            .unwrap();
    }
    let each = spans / (PROCESSES * THREADS);
    let start = Instant::now();
    let started: Vec<_> = (0..PROCESSES)
        .map(|process| {
            Command::new(env::current_exe().unwrap())
                .args([way, &process.to_string(), &each.to_string(), path])
                .spawn()
                .unwrap()
        })
        .collect();
    for mut process in started {
        assert!(process.wait().unwrap().success());
    }
    let seconds = start.elapsed().as_secs_f64();
    let kept: i64 = Connection::open(path)
        .unwrap()
        .query_row("SELECT count(*) FROM spans", [], |row| row.get(0))
        .unwrap();
    assert_eq!(kept as usize, each * PROCESSES * THREADS);
    kept as f64 / seconds
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [way, number, each, path] = &arguments[..] {
        return process(way, number.parse().unwrap(), each.parse().unwrap(), path);
    }
    let spans = env::var("NEWT_SPANS").map_or(20_000, |text| text.parse().unwrap());
    let mut best = [0.0f64; 3];
    for _ in 0..ROUNDS {
        for (best, way) in best.iter_mut().zip(WAYS) {
            *best = best.max(measure(way, spans));
        }
    }
    println!("{spans} spans, {PROCESSES} processes of {THREADS} threads, best of {ROUNDS}:");
    for (way, rate) in WAYS.iter().zip(best) {
        println!(
            "{way:>24}: {rate:>7.0} spans/s, store is {:.2} of it",
            best[0] / rate
        );
    }
}
