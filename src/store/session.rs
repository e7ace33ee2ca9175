//! A session: the only one that sees the spans it minted.

use crate::error::{Error, ErrorKind};
use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{Connection, OptionalExtension, params};

/// Random bytes that tell one session's content ids from another's.
pub(super) type Nonce = [u8; 32];

/// How a session is found in its file.
///
/// As an SQL parameter it is a text or a blob, which SQLite never takes for
/// equal, so `name = ?1 OR nonce = ?1` finds either kind.
pub(super) enum Session {
    /// Whoever opens the file and says the name.
    Named(String),
    /// Whoever knows the nonce: the store that drew it.
    Private(Nonce),
}

impl Session {
    pub(super) fn new(name: Option<&str>) -> Result<Self, Error> {
        match name {
            None => Ok(Self::Private(nonce()?)),
            Some("") => Err(Error::new(
                ErrorKind::Argument,
                "the session's name is empty; give it a name, or none (NULL) for a new session",
            )),
            Some(name) => Ok(Self::Named(name.to_owned())),
        }
    }

    /// The session's row and nonce, made where there is none yet. Called in a
    /// transaction that holds the write lock.
    pub(super) fn enter(&self, connection: &Connection) -> Result<(i64, Vec<u8>), Error> {
        let found = connection
            .prepare_cached("SELECT id, nonce FROM sessions WHERE name = ?1 OR nonce = ?1")?
            .query_row([self], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        if let Some(found) = found {
            return Ok(found);
        }
        let (name, nonce) = match self {
            Self::Named(name) => (Some(name), nonce()?),
            Self::Private(nonce) => (None, *nonce),
        };
        connection.execute(
            "INSERT INTO sessions (name, nonce) VALUES (?1, ?2)",
            params![name, nonce],
        )?;
        Ok((connection.last_insert_rowid(), nonce.to_vec()))
    }
}

impl ToSql for Session {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Named(name) => name.to_sql(),
            Self::Private(nonce) => nonce.to_sql(),
        }
    }
}

fn nonce() -> Result<Nonce, Error> {
    let mut nonce = Nonce::default();
    getrandom::fill(&mut nonce).map_err(|error| {
        Error::new(
            ErrorKind::Store,
            format!("the system gave no random bytes for a new session ({error})"),
        )
    })?;
    Ok(nonce)
}
