//! The store's file: a plain SQLite database in WAL mode.
//!
//! `PRAGMA application_id` is 0x4e465354 ("NFST"), `PRAGMA user_version` the
//! version of the schema, 1:
//!
//! - `sessions`: `id`; `name`, NULL for a session opened without one; `nonce`,
//!   32 random bytes.
//! - `spans`: `session`, an id of the above; `handle`, as issued; `cid`, the
//!   content id of the record described in [`super::address`]; `kind`; `text`.
//!
//! A file of a newer version, of another program, or that is no database is
//! refused and left as it is.

use crate::error::{Error, ErrorKind};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use std::thread;
use std::time::{Duration, Instant};

pub(super) const APPLICATION_ID: i64 = 0x4e46_5354;
pub(super) const VERSION: i64 = 1;

/// How long a call waits for another connection's lock before it gives up:
/// longer than a busy disk takes over one commit.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

const CREATE: &str = "
CREATE TABLE sessions (
    id    INTEGER PRIMARY KEY,
    name  TEXT UNIQUE,
    nonce BLOB NOT NULL UNIQUE
) STRICT;
CREATE TABLE spans (
    session INTEGER NOT NULL REFERENCES sessions (id),
    handle  TEXT NOT NULL,
    cid     TEXT NOT NULL,
    kind    TEXT NOT NULL,
    text    TEXT NOT NULL,
    UNIQUE (session, handle)
) STRICT;";

/// Makes a connection ready: a new database gets the schema, a store's is
/// taken as it is, anything else is refused before a byte of it changes.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), Error> {
    wait_for_locks(connection, PATIENCE)?;
    // FULL: a commit returns after its fsync, so no handle outlives its span.
    // fullfsync: macOS alone needs it to mean the same there.
    // secure_delete: what is forgotten is overwritten, not just unlinked.
    connection.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA checkpoint_fullfsync = ON;
         PRAGMA secure_delete = ON;",
    )?;
    if is_new(connection)? {
        create(connection)?;
    }
    write_ahead(connection)
}

/// Has each call wait for another connection's lock, as long as `patience` lasts.
///
/// SQLite's own timeout sleeps longer each time, up to 100 ms. Where several
/// processes mint without a pause, whoever waited longest then asks least
/// often, and some never get their turn.
pub(super) fn wait_for_locks(connection: &mut Connection, patience: Duration) -> Result<(), Error> {
    let mut since = Instant::now();
    connection.busy_handler(Some(move |times: i32| {
        if times == 0 {
            since = Instant::now();
        }
        thread::sleep(Duration::from_millis(1));
        since.elapsed() < patience
    }))?;
    Ok(())
}

/// Switches to a write-ahead log, once and for all who open the file.
fn write_ahead(connection: &Connection) -> Result<(), Error> {
    let deadline = Instant::now() + PATIENCE;
    let mode: String = loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)) {
            // SQLite does not call its busy handler for this switch.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                thread::sleep(Duration::from_millis(5));
            }
            result => break result?,
        }
    };
    // Memory has a mode of its own, and no crash to survive.
    if mode == "wal" || mode == "memory" {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Store,
        "its file system cannot hold the shared memory of a write-ahead log; \
         put the file on a local disk",
    ))
}

/// Whether the database is empty. Refuses one that is not a store of this
/// version.
fn is_new(connection: &Connection) -> Result<bool, Error> {
    // One statement, so that no other process creates the schema between two.
    let (objects, application, version): (i64, i64, i64) = connection.query_row(
        "SELECT (SELECT count(*) FROM sqlite_schema), application_id, user_version
         FROM pragma_application_id, pragma_user_version",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    match (application, version) {
        (0, 0) if objects == 0 => Ok(true),
        (APPLICATION_ID, VERSION) => Ok(false),
        (APPLICATION_ID, version) => Err(Error::new(
            ErrorKind::Store,
            format!(
                "its schema has version {version} and this library knows version {VERSION}; \
                 use the library that wrote it, or another path"
            ),
        )),
        _ => Err(Error::new(
            ErrorKind::Store,
            "the file is the SQLite database of another program; name another path",
        )),
    }
}

fn create(connection: &mut Connection) -> Result<(), Error> {
    // Must stand before the first table: it keeps the map that lets
    // `incremental_vacuum` hand pages back to the file system.
    connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have created it while this one waited for the lock.
    if is_new(&transaction)? {
        transaction.execute_batch(CREATE)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    Ok(())
}
