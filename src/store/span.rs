//! Spans in the database: kept, found and removed.

use super::address::Identity;
use super::schema;
use super::session::Session;
use crate::error::{Error, ErrorKind};
use crate::fetch;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, TransactionBehavior, params};
use std::time::Duration;

const KIND: &str = "span";

/// Keeps `text` in the session and returns its handle, the one it already has
/// where the session holds it. Durable when this returns.
pub(super) fn mint(
    connection: &mut Connection,
    session: &Session,
    text: &str,
) -> Result<String, Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (session, nonce) = session.enter(&transaction)?;
    let identity = Identity::of(&nonce, KIND, text);
    for handle in identity.handles() {
        // Where the session holds this very span, only a damaged copy of it is
        // written again: a host may well mint the same spans every turn.
        let written = transaction
            .prepare_cached(
                "INSERT INTO spans (session, handle, cid, kind, text) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT DO UPDATE SET kind = ?4, text = ?5
                 WHERE cid = ?3 AND (kind, text) IS NOT (?4, ?5)",
            )?
            .execute(params![session, handle, identity.cid, KIND, text])?;
        let is_ours = written == 1
            || transaction
                .prepare_cached("SELECT cid = ?3 FROM spans WHERE session = ?1 AND handle = ?2")?
                .query_row(params![session, handle, identity.cid], |row| row.get(0))?;
        if is_ours {
            transaction.commit()?;
            return Ok(handle.to_owned());
        }
    }
    Err(Error::new(
        ErrorKind::Store,
        "every prefix of the span's digest is taken in this session, which no honest file \
         comes to; open a new one",
    ))
}

/// The text kept under a handle or content id, checked against its content id.
pub(super) fn find(
    connection: &Connection,
    session: &Session,
    name: &str,
) -> Result<String, Error> {
    let identity = Identity::named(name);
    // A content id has no index of its own: whatever its handle was, it lies
    // between its shortest and its longest one.
    let mut handles = identity.iter().flat_map(Identity::handles);
    let first = handles.next().unwrap_or(name);
    let last = handles.last().unwrap_or(name);
    let mut statement = connection.prepare_cached(
        "SELECT nonce, kind, text, cid, handle
         FROM spans JOIN sessions ON sessions.id = spans.session
         WHERE (sessions.name = ?1 OR sessions.nonce = ?1)
         AND handle BETWEEN ?2 AND ?3 AND ?4 IN (handle, cid)",
    )?;
    let mut rows = statement.query(params![session, first, last, name])?;
    let row = rows.next()?.ok_or_else(fetch::not_found)?;
    let mut columns = [&[][..]; 5];
    for (index, column) in columns.iter_mut().enumerate() {
        // Not `as_bytes`: a damaged file may hold any type in any column.
        if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = row.get_ref(index)? {
            *column = bytes;
        }
    }
    let [nonce, kind, text, cid, handle] = columns;
    let (Ok(kind), Ok(text)) = (str::from_utf8(kind), str::from_utf8(text)) else {
        return Err(damaged());
    };
    if !Identity::of(nonce, kind, text).answers_to(cid, handle) {
        return Err(damaged());
    }
    let mut copy = String::new();
    copy.try_reserve_exact(text.len())?;
    copy.push_str(text);
    Ok(copy)
}

/// Removes the session with its spans and hands their pages back to the file
/// system.
///
/// `incremental_vacuum` moves only as many pages as were freed, where `VACUUM`
/// would copy every other session's spans and need room for all of them. The
/// checkpoint then cuts the log, which still holds the removed text.
pub(super) fn forget(connection: &mut Connection, session: &Session) -> Result<(), Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(
        "DELETE FROM spans
         WHERE session IN (SELECT id FROM sessions WHERE name = ?1 OR nonce = ?1)",
        [session],
    )?;
    transaction.execute(
        "DELETE FROM sessions WHERE name = ?1 OR nonce = ?1",
        [session],
    )?;
    transaction.commit()?;
    connection.pragma_query(None, "incremental_vacuum", |_page| Ok(()))?;
    // The spans are gone by now; a long reader need not keep the host.
    schema::wait_for_locks(connection, Duration::from_secs(1))?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    schema::wait_for_locks(connection, schema::PATIENCE)?;
    if busy {
        return Err(Error::new(
            ErrorKind::Store,
            "the spans are removed, but another process was reading, so their space is not \
             returned yet; call again",
        ));
    }
    Ok(())
}

/// What is said of a span that is not what was minted.
pub(super) fn damaged() -> Error {
    Error::new(
        ErrorKind::Store,
        "what is kept under this address does not match its content id: the file was damaged \
         or changed by hand; no other span suffers, and this one is to be had from a backup only",
    )
}
