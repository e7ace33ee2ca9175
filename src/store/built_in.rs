//! The store itself: one session, its connections, the latest failure.

use super::session::Session;
use super::{file, span};
use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::expand::Expand;
use crate::fetch;
use once_cell::sync::OnceCell;
use rusqlite::Connection;
use std::borrow::Cow;
use std::path::{self, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A session's view of a file of spans, or of memory.
///
/// May be shared between threads. In memory its calls are made one at a time;
/// with a file each call that runs has a connection to itself, so that a fetch
/// does not wait for another thread's disk.
pub struct Store {
    place: Place,
    /// Connections that no call is using. Memory has one, which is the store.
    idle: Mutex<Vec<Connection>>,
    failure: Mutex<Option<Error>>,
}

enum Place {
    Memory(Session),
    File(PathBuf, Session),
    /// Not to be opened, ever: the arguments were wrong.
    Nowhere(Error),
}

impl Store {
    /// Opens the file at `path`, creating it where there is none, or private
    /// memory without a path; the session called `session`, or without a name
    /// a new one that nothing else can open.
    ///
    /// Never fails: a store that could not be opened refuses each call with
    /// the reason, [`Store::state`] says it too, and each call tries again,
    /// since a disk may have room by then.
    pub fn open(path: Option<&str>, session: Option<&str>) -> Self {
        let place = match Place::new(path, session) {
            Ok(place) => place,
            Err(error) => return Self::failed(error),
        };
        let store = Self {
            place,
            idle: Mutex::default(),
            failure: Mutex::default(),
        };
        // Its failure is kept for `state`, which is all that is wanted here.
        let _ = store.run("be opened", |_, _| Ok(()));
        store
    }

    /// A store that refuses each call with `error`.
    pub fn failed(error: Error) -> Self {
        Self {
            failure: Mutex::new(Some(error.clone())),
            place: Place::Nowhere(error),
            idle: Mutex::default(),
        }
    }

    /// The process's own store: one session in memory, made on first use.
    pub fn of_process() -> Result<&'static Self, Error> {
        static OWN: OnceCell<Store> = OnceCell::new();
        OWN.get_or_try_init(|| {
            let store = Self::open(None, None);
            match store.state() {
                None => Ok(store),
                Some(error) => Err(error),
            }
        })
    }

    /// The latest failure, if there was any. A later success does not take it
    /// back: with several threads it would be gone before anyone read it.
    pub fn state(&self) -> Option<Error> {
        lock(&self.failure).clone()
    }

    /// Keeps `error` as the latest failure. That an address is unknown is none.
    pub fn note(&self, error: &Error) {
        if error.kind != ErrorKind::NotFound {
            *lock(&self.failure) = Some(error.clone());
        }
    }

    /// Keeps `text` and returns the handle under which this session finds it
    /// again. It is on the disk by then. The same text has the same handle.
    pub fn mint(&self, text: &str) -> Result<String, Error> {
        self.run("keep a span", |connection, session| {
            span::mint(connection, session, text)
        })
    }

    /// The text under `address`: a handle or a content id, bare or after
    /// `compaction:` or `spill:`.
    pub fn fetch(&self, address: &str) -> Result<String, Error> {
        self.run("read a span", |connection, session| {
            span::find(connection, session, fetch::bare(address))
        })
    }

    /// The tool's result for a model's call of the fetch tool with these
    /// arguments, cards in the span replaced by what they stand for as far as
    /// the store holds it. See [`fetch::answer`].
    pub fn answer(&self, arguments: &str) -> Result<String, Error> {
        fetch::answer(arguments, |address| {
            let text = self.fetch(address).and_then(|span| self.expanded(span));
            text.inspect_err(|error| self.note(error))
        })
    }

    fn expanded(&self, span: String) -> Result<String, Error> {
        let config = Config::default();
        let mut expand = match Expand::span(&span, &config) {
            Ok(expand) => expand,
            // What another program minted need be no list of messages.
            Err(error) if error.kind == ErrorKind::Json => return Ok(span),
            Err(error) => return Err(error),
        };
        while let Some(handle) = expand.wanted() {
            let found = match self.fetch(handle) {
                Ok(span) => Some(span),
                Err(error) if error.kind == ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
            expand.give(found)?;
        }
        expand.finish()?.text()
    }

    /// Removes this session's spans and returns their space. The store can be
    /// used on.
    pub fn forget(&self) -> Result<(), Error> {
        self.run("forget its session", span::forget)
    }

    /// Does `work` on a connection, opened first where none is idle. A failure
    /// is told with the store's name and kept for [`Store::state`].
    fn run<T>(
        &self,
        what: &str,
        work: impl FnOnce(&mut Connection, &Session) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (result, name) = match &self.place {
            Place::Nowhere(error) => return Err(error.clone()),
            Place::Memory(session) => (self.in_memory(session, work), Cow::Borrowed("in memory")),
            Place::File(path, session) => (
                self.in_file(path, session, work),
                format!("at {}", path.display()).into(),
            ),
        };
        result.map_err(|error| {
            let error = match error.kind {
                ErrorKind::Store => {
                    let reason = &error.sentence;
                    let sentence = format!("the store {name} could not {what}: {reason}");
                    Error::new(ErrorKind::Store, sentence)
                }
                _ => error,
            };
            self.note(&error);
            error
        })
    }

    fn in_memory<T>(
        &self,
        session: &Session,
        work: impl FnOnce(&mut Connection, &Session) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut idle = lock(&self.idle);
        if idle.is_empty() {
            idle.push(file::connect(None)?);
        }
        work(&mut idle[0], session)
    }

    fn in_file<T>(
        &self,
        path: &Path,
        session: &Session,
        work: impl FnOnce(&mut Connection, &Session) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let idle = lock(&self.idle).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => file::connect(Some(path))?,
        };
        let result = work(&mut connection, session);
        let mut idle = lock(&self.idle);
        match &result {
            // What is wrong may be over at the next call, but a connection
            // that found its file read-only stays so. A damaged span is no
            // fault of its connection.
            Err(error) if error.kind == ErrorKind::Store && *error != span::damaged() => {
                idle.clear();
            }
            _ => idle.push(connection),
        }
        result
    }
}

impl Place {
    fn new(path: Option<&str>, session: Option<&str>) -> Result<Self, Error> {
        let session = Session::new(session)?;
        let Some(path) = path else {
            return Ok(Self::Memory(session));
        };
        let refusal = match path {
            "" => "is empty; name a file, or none (NULL) for a store in memory".to_owned(),
            path if path.contains('\0') => "holds a NUL; name a file without one".to_owned(),
            // Absolute, so that a later call that opens it anew finds the same
            // file, and SQLite takes no name for a URI or for memory.
            path => match path::absolute(path) {
                Ok(path) => return Ok(Self::File(path, session)),
                Err(error) => format!("cannot be made absolute ({error})"),
            },
        };
        Err(Error::new(
            ErrorKind::Argument,
            format!("the store's path {refusal}"),
        ))
    }
}

/// A panic in another thread left whole values behind: connections whose
/// transactions were rolled back, or a failure.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Two spans whose digests begin with the same eight letters in a session
    /// whose nonce is 32 sevens; found by trying four million.
    const ALIKE: [&str; 2] = [r#"{"n":608038}"#, r#"{"n":852775}"#];

    fn sevens(path: &str) -> Store {
        Store {
            place: Place::File(path.into(), Session::Private([7; 32])),
            idle: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    #[test]
    fn handles_that_begin_alike_are_told_apart_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let store = sevens(folder.path().join("spans.db").to_str().unwrap());
        assert_eq!(store.mint(ALIKE[0]).unwrap(), "2rzrkzkr");
        assert_eq!(store.mint(ALIKE[1]).unwrap(), "2rzrkzkrb");
        assert_eq!(store.mint(ALIKE[0]).unwrap(), "2rzrkzkr");
        assert_eq!(store.fetch("2rzrkzkr").unwrap(), ALIKE[0]);
        assert_eq!(store.fetch("2rzrkzkrb").unwrap(), ALIKE[1]);
        // A prefix that was never issued is no handle.
        assert_eq!(store.fetch("2rzrkzkrk").unwrap_err(), fetch::not_found());
    }

    #[test]
    fn two_connections_never_issue_one_handle_twice() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..20 {
            let path = folder.path().join(format!("{round}.db"));
            let path = path.to_str().unwrap();
            let handles = thread::scope(|scope| {
                let mints = ALIKE.map(|text| scope.spawn(move || sevens(path).mint(text)));
                mints.map(|mint| mint.join().unwrap().unwrap())
            });
            assert_ne!(handles[0], handles[1]);
            for (handle, text) in handles.iter().zip(ALIKE) {
                assert_eq!(sevens(path).fetch(handle).unwrap(), text);
            }
        }
    }

    /// The same id that tests/cid/derive.py computes with other libraries.
    #[test]
    fn a_content_id_never_changes() {
        let folder = tempfile::tempdir().unwrap();
        let store = sevens(folder.path().join("spans.db").to_str().unwrap());
        store.mint(ALIKE[1]).unwrap();
        let cid = "bafyr4iguomkwkuikryhjbefpo3eucyn6gamxdup4epi6wfcly7qebuz4fm";
        assert_eq!(store.fetch(cid).unwrap(), ALIKE[1]);
    }

    #[test]
    fn a_panic_in_one_thread_leaves_the_store_usable() {
        let store = Store::open(None, None);
        let panicked = thread::scope(|scope| {
            let call = || store.run::<()>("panic", |_, _| panic!("on purpose"));
            scope.spawn(call).join().is_err()
        });
        assert!(panicked);
        let handle = store.mint("kept").unwrap();
        assert_eq!(store.fetch(&handle).unwrap(), "kept");
    }
}
