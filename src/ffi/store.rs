//! `newt_store`: the built-in store, over the C ABI.

use super::borrow;
use super::panic::{Panicked, guard};
use super::sink::newt_sink;
use super::status::{self, NEWT_ERR_PANIC, NEWT_OK, newt_status};
use super::text::{self, newt_text};
use crate::error::{Error, ErrorKind};
use crate::fetch;
use crate::store::Store;
use std::ffi::{c_char, c_void};
use std::ptr;

/// Spans kept in an SQLite file or in memory, for hosts without storage of
/// their own. Opaque; made by newt_store_open, freed by newt_store_close.
///
/// A store serves one *session*: what another session minted, even of the
/// same text into the same file, is not found in it. Every function takes
/// NULL for the process's own store, which is in memory, is made on first
/// use, and is gone at exit: for trying things out.
///
/// Thread-safe: any threads may share one, and any processes one file. Calls
/// on one store wait for each other. Not usable in the child after fork();
/// open another there.
#[allow(non_camel_case_types)]
pub struct newt_store(Store);

const PANICKED: &str = "the library caught a panic of its own; please report it";

/// The store behind the pointer, or the process's own.
///
/// # Safety
/// `store` is NULL or from newt_store_open and not closed for `'a`.
unsafe fn store<'a>(store: *const newt_store) -> Result<&'a Store, Error> {
    // SAFETY: by this function's contract. A store is shared, never mutably
    // borrowed, and is `Sync`.
    match unsafe { store.as_ref() } {
        Some(newt_store(store)) => Ok(store),
        None => Store::of_process(),
    }
}

/// A result as a text that the host frees.
fn told(result: Result<Result<String, Error>, Panicked>) -> *const newt_text {
    match result {
        Ok(Ok(found)) => text::allocate(Ok(&found)),
        Ok(Err(error)) => text::allocate(Err((status::of(error.kind), &error.to_string()))),
        Err(Panicked) => text::allocate(Err((NEWT_ERR_PANIC, PANICKED))),
    }
}

/// Does `work` on the store. Its failure is kept for newt_store_state.
///
/// # Safety
/// As for [`store`].
unsafe fn done(
    store: *const newt_store,
    work: impl FnOnce(&Store) -> Result<(), Error>,
) -> newt_status {
    let result = guard(|| {
        // SAFETY: the same contract.
        let store = unsafe { self::store(store) }?;
        work(store).inspect_err(|error| store.note(error))
    });
    match result {
        Ok(Ok(())) => NEWT_OK,
        Ok(Err(error)) => status::of(error.kind),
        Err(Panicked) => NEWT_ERR_PANIC,
    }
}

/// Opens a session in the store at `path`.
///
/// `path` is UTF-8, need not end in NUL, and names the file, which is created
/// with mode 0600 where there is none; its folder must exist. Beside it stand
/// `-wal` and `-shm` while it is open. NULL is a private store in memory, gone
/// when it is closed.
///
/// `session` is UTF-8 and names the session: who opens the same file with the
/// same name sees the same spans, in another process or after a crash. NULL is
/// a new session that nothing else can open; in a file, what it held and did
/// not forget stays behind after close, to be read with the sqlite3 program
/// only.
///
/// Both are borrowed for the call. Never NULL: a store that could not be
/// opened declines every mint and fails every fetch, newt_store_state says
/// why, and each call tries to open it again, since a full disk may have room
/// by then (wrong arguments stay wrong). A file that is no store, or a store
/// of a newer version, is refused and left as it is. To be closed with
/// newt_store_close. Thread-safe.
///
/// # Safety
/// `path` is NULL or points to `path_len` bytes, `session` is NULL or points to
/// `session_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_store_open(
    path: *const c_char,
    path_len: usize,
    session: *const c_char,
    session_len: usize,
) -> *mut newt_store {
    let opened = guard(|| {
        // SAFETY: by this function's contract.
        let path = unsafe { named("the store's path", path, path_len) };
        // SAFETY: the same.
        let session = unsafe { named("the session's name", session, session_len) };
        match (path, session) {
            (Ok(path), Ok(session)) => Store::open(path, session),
            (Err(error), _) | (_, Err(error)) => Store::failed(error),
        }
    });
    let store =
        opened.unwrap_or_else(|Panicked| Store::failed(Error::new(ErrorKind::Store, PANICKED)));
    Box::into_raw(Box::new(newt_store(store)))
}

/// A name that NULL leaves out.
///
/// # Safety
/// As for [`borrow::bytes`].
unsafe fn named<'a>(
    what: &str,
    bytes: *const c_char,
    len: usize,
) -> Result<Option<&'a str>, Error> {
    if bytes.is_null() && len == 0 {
        return Ok(None);
    }
    // SAFETY: the same contract.
    unsafe { borrow::text(what, bytes, len) }.map(Some)
}

/// The latest failure of this store, as a copy.
///
/// NEWT_OK with an empty text if there was none. Otherwise its status, and in
/// `error` its sentence: what failed, why, and what to do. It stays until a
/// later failure replaces it; a success does not take it back, because another
/// thread's success would. That an address is not found is no failure.
///
/// `store` may be NULL. Never NULL; to be freed with newt_text_free.
/// Thread-safe, and does not wait for a call that is writing.
///
/// # Safety
/// `store` is NULL or from newt_store_open and not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_store_state(store: *mut newt_store) -> *const newt_text {
    told(guard(|| {
        // SAFETY: by this function's contract.
        match unsafe { self::store(store) }?.state() {
            None => Ok(String::new()),
            Some(error) => Err(error),
        }
    }))
}

/// Keeps a span: a newt_mint_fn, to be passed with a newt_store * (or NULL) as
/// its `user_data`.
///
/// Returns 0 once the span is on the disk, with its handle written: 8
/// characters of `[a-z2-7]`, more where those are taken in the session, never
/// more than 52. The same text in the same session has the same handle.
/// Otherwise declines with the newt_status of the failure, which
/// newt_store_state explains; nothing is written then.
///
/// `span` is UTF-8. All pointers are borrowed for the call. Waits up to ten
/// seconds for another process that is writing. Thread-safe.
///
/// # Safety
/// `store` is NULL or from newt_store_open and not closed; `span` points to
/// `span_len` bytes, `handle` to `handle_cap`, `handle_len` to a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn newt_store_mint(
    store: *mut c_void,
    span: *const c_char,
    span_len: usize,
    handle: *mut c_char,
    handle_cap: usize,
    handle_len: *mut usize,
) -> i32 {
    let mint = |store: &Store| {
        if handle.is_null() || handle_len.is_null() {
            return Err(Error::new(
                ErrorKind::Argument,
                "a mint needs a place for the handle and its length, and one of them is NULL",
            ));
        }
        // SAFETY: by this function's contract.
        let minted = store.mint(unsafe { borrow::text("the span", span, span_len) }?)?;
        if minted.len() > handle_cap {
            return Err(Error::new(
                ErrorKind::Argument,
                format!(
                    "the handle has {} bytes and the place for it {handle_cap}; give it 256",
                    minted.len()
                ),
            ));
        }
        // SAFETY: neither is NULL, `handle` has room for `handle_cap` bytes,
        // which the handle does not exceed, and a fresh string overlaps none.
        unsafe {
            ptr::copy_nonoverlapping(minted.as_ptr(), handle.cast(), minted.len());
            *handle_len = minted.len();
        }
        Ok(())
    };
    // SAFETY: by this function's contract.
    unsafe { done(store.cast(), mint) }
}

/// Gives a span back: a newt_fetch_fn, to be passed with a newt_store * (or
/// NULL) as its `user_data`.
///
/// NEWT_ERR_NOT_FOUND for a handle that this session does not hold; another
/// status, explained by newt_store_state, where the store failed or the span
/// is damaged. Nothing is written to `sink` unless NEWT_OK is returned.
///
/// All pointers are borrowed for the call. Thread-safe.
///
/// # Safety
/// `store` is NULL or from newt_store_open and not closed; `handle` points to
/// `handle_len` bytes; `sink` is the sink of the callback that is running.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn newt_store_load(
    store: *mut c_void,
    handle: *const c_char,
    handle_len: usize,
    sink: *mut newt_sink,
) -> newt_status {
    let load = |store: &Store| {
        // SAFETY: by this function's contract NULL or a live sink, which the
        // callback's one thread has to itself.
        let Some(sink) = (unsafe { sink.as_mut() }) else {
            return Err(Error::new(
                ErrorKind::Argument,
                "a fetch needs a sink, and it is NULL",
            ));
        };
        // SAFETY: by this function's contract.
        let span = store.fetch(unsafe { address(handle, handle_len) }?)?;
        sink.write(span.as_bytes());
        Ok(())
    };
    // SAFETY: by this function's contract.
    unsafe { done(store.cast(), load) }
}

/// An address as text. What is not even UTF-8 is not found, like every other
/// malformed address.
///
/// # Safety
/// As for [`borrow::bytes`].
unsafe fn address<'a>(address: *const c_char, len: usize) -> Result<&'a str, Error> {
    // SAFETY: the same contract.
    let bytes = unsafe { borrow::bytes("the address", address, len) }?;
    str::from_utf8(bytes).map_err(|_| fetch::NOT_FOUND)
}

/// The span under `address`, byte for byte as it was minted.
///
/// `address` is the handle in a card or the span's content id, bare or after
/// `compaction:` or `spill:`. It need not end in NUL and is borrowed for the
/// call. `store` may be NULL.
///
/// NEWT_ERR_NOT_FOUND where this session holds nothing under it, and the same
/// for a malformed address and for another session's. NEWT_ERR_STORE where the
/// store failed or the span does not match its content id any more; the
/// sentence says which. Never NULL; to be freed with newt_text_free.
/// Thread-safe.
///
/// # Safety
/// `store` is NULL or from newt_store_open and not closed; `address` is NULL or
/// points to `address_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_store_fetch(
    store: *mut newt_store,
    address: *const c_char,
    address_len: usize,
) -> *const newt_text {
    told(guard(|| {
        // SAFETY: by this function's contract.
        let address = unsafe { self::address(address, address_len) }?;
        // SAFETY: the same.
        unsafe { self::store(store) }?.fetch(address)
    }))
}

/// Answers a model's call of the fetch tool (newt_fetch_tool_json).
///
/// `arguments_json` is the arguments of the call, as the model wrote them:
/// `address`, and if it likes `grep`, `offset` and `limit`. The text is the
/// tool's result, to be sent back as it is: the span with the cards in it
/// expanded, or the part asked for, at most 16 KiB unless `limit` says
/// otherwise (4 to 64 KiB), with the exact call for the next part where there
/// is one. Parts put together are the text, byte for byte.
///
/// Bad arguments, an unknown address and a store that failed are answered too,
/// with NEWT_OK and a text that tells the model what to do; newt_store_state
/// has the failure for the host. Only NULL or invalid UTF-8 arguments, and
/// memory that ran out, are errors here.
///
/// `store` may be NULL. `arguments_json` is borrowed for the call. Never NULL;
/// to be freed with newt_text_free. Thread-safe.
///
/// # Safety
/// `store` is NULL or from newt_store_open and not closed; `arguments_json` is
/// NULL or points to `arguments_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_store_answer(
    store: *mut newt_store,
    arguments_json: *const c_char,
    arguments_len: usize,
) -> *const newt_text {
    told(guard(|| {
        // SAFETY: by this function's contract.
        let arguments = unsafe { borrow::text("the arguments", arguments_json, arguments_len) }?;
        fetch::answer(arguments, |address| {
            // SAFETY: the same.
            let store = unsafe { self::store(store) }?;
            expanded(store, store.fetch(address)?)
        })
    }))
}

/// A span with every card in it replaced by what it stands for.
fn expanded(_store: &Store, span: String) -> Result<String, Error> {
    Ok(span)
}

/// Removes this session's spans and returns their space to the file system.
///
/// What was removed is overwritten first. Handles minted before are not found
/// any more; the store can be used on. `store` may be NULL.
///
/// NEWT_ERR_STORE, explained by newt_store_state, where it failed, or where
/// the spans are gone but another process that was reading kept their space;
/// calling again returns it. Thread-safe.
///
/// # Safety
/// `store` is NULL or from newt_store_open and not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_store_forget(store: *mut newt_store) -> newt_status {
    // SAFETY: by this function's contract.
    unsafe { done(store, Store::forget) }
}

/// Closes a store: the last call on it, when no other is running.
///
/// A file keeps its spans. NULL does nothing: the process's own store stays.
///
/// # Safety
/// `store` is NULL or from newt_store_open and not closed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_store_close(store: *mut newt_store) {
    if !store.is_null() {
        // SAFETY: by this function's contract it is `Box::into_raw`'s of
        // newt_store_open, and this is its one way back.
        let store = unsafe { Box::from_raw(store) };
        // Closing fails at most to checkpoint, which the next open does.
        let _ = guard(|| drop(store));
    }
}
