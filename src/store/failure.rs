//! What SQLite says, in words that a host can act on.

use crate::error::{Error, ErrorKind};
use rusqlite::ErrorCode;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let what = match error.sqlite_error_code() {
            Some(ErrorCode::OutOfMemory) => return Self::memory(),
            Some(ErrorCode::DiskFull) => "there is no room on its disk; free some and call again",
            Some(ErrorCode::ReadOnly) => {
                "the file, or its -wal or -shm beside it, is read-only; make all of them \
                 writable and call again"
            }
            Some(ErrorCode::CannotOpen) => {
                "the file or its -wal and -shm beside it cannot be opened for writing; \
                 see to the rights on them and their folder and call again"
            }
            Some(ErrorCode::PermissionDenied) => {
                "access is denied; see to the file's rights and call again"
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                "another process kept it locked for thirty seconds; call again"
            }
            Some(ErrorCode::NotADatabase) => {
                "the file is not an SQLite database; name another path"
            }
            Some(ErrorCode::DatabaseCorrupt) => {
                "the file is damaged; spans on sound pages can still be fetched, \
                 `sqlite3 FILE .recover` saves what else there is"
            }
            Some(ErrorCode::SystemIoFailure) => "its disk failed to read or write",
            Some(ErrorCode::TooBig) => "the span is larger than SQLite holds, a billion bytes",
            _ => "SQLite refused",
        };
        Self::new(ErrorKind::Store, format!("{what} ({error})"))
    }
}
