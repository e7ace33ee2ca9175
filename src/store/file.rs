//! Opening the database: a file of mode 0600, or memory.

use super::schema;
use crate::error::{Error, ErrorKind};
use rusqlite::{Connection, OpenFlags};
use std::fs::OpenOptions;
use std::io::ErrorKind::AlreadyExists;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A connection to the store in the file at `path`, or in memory.
pub(super) fn connect(path: Option<&Path>) -> Result<Connection, Error> {
    // The connection is used under a mutex of ours; SQLite needs none.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = match path {
        None => Connection::open_in_memory_with_flags(flags)?,
        Some(path) => {
            create(path)?;
            Connection::open_with_flags(path, flags)?
        }
    };
    schema::prepare(&mut connection)?;
    Ok(connection)
}

/// Creates the file for its owner alone, where there is none. SQLite gives
/// -wal and -shm the same mode.
fn create(path: &Path) -> Result<(), Error> {
    // Closing any descriptor of a file drops every POSIX lock that the process
    // has on it, SQLite's too. So a file that exists is never opened here, and
    // no other thread gets to open a new one before this descriptor is closed.
    static CREATING: Mutex<()> = Mutex::new(());
    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == AlreadyExists => Ok(()),
        Err(error) => Err(Error::new(
            ErrorKind::Store,
            format!("the file is not there and cannot be created ({error})"),
        )),
    }
}
