//! `newt_store`: the built-in store, over the C ABI.

use super::borrow;
use super::config::{self, newt_config};
use super::panic::{Panicked, guard};
use super::sink::newt_sink;
use super::status::{self, NEWT_ERR_PANIC, NEWT_OK, newt_status};
use super::text::{self, newt_text};
use crate::config::Wire;
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
/// Thread-safe: any threads may share one, and any processes one file.
/// Mints into one file take turns; a fetch waits for none of them. Not usable
/// in the child after fork(); open another there.
///
/// A library built without the store (cargo feature `store`) has these functions
/// too: newt_store_open still gives a store, which declines every mint and fails
/// every fetch and answer with NEWT_ERR_STORE. newt_fetch_tool_json works as ever.
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
/// with mode 0600 where there is none; its folder must exist, on a local disk.
/// Beside it stand `-wal` and `-shm` while it is open; none of the three may be
/// moved or removed then. NULL is a private store in memory, gone when it is
/// closed.
///
/// `session` is UTF-8 and names the session: who opens the same file with the
/// same name sees the same spans, in another process or after a crash. NULL is
/// a new session that nothing else can open; in a file, what it held and did
/// not forget stays behind after close, to be read with the sqlite3 program
/// only. An empty name is refused.
///
/// NULL goes with length 0. Both are borrowed for the call. Never NULL: a store
/// that could not be opened declines every mint and fails every fetch,
/// newt_store_state says why, and each call tries to open it again, since a full
/// disk may have room by then (wrong arguments stay wrong). A file that is no
/// store, or a store of a newer version, is refused and left as it is. To be
/// closed with newt_store_close. Thread-safe.
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
/// `span` is UTF-8. All pointers are borrowed for the call. Waits up to
/// thirty seconds for another process that is writing. Thread-safe.
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
    let bytes = unsafe { borrow::bytes("address", address, len) }?;
    str::from_utf8(bytes).map_err(|_| fetch::not_found())
}

/// The span under `address`, byte for byte as it was minted.
///
/// `address` is the handle in a card or the span's content id, bare or after
/// `compaction:` or `spill:`, without `#n`: a spill comes whole, and `n` is a
/// line of it, counted from 1. It need not end in NUL and is borrowed for the
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
/// otherwise (4 to 64 KiB; what is outside is brought inside). Where there is
/// a next part, the last line is a note with the exact call for it. Parts
/// without their notes, put together, are the text, byte for byte.
///
/// Bad arguments, an unknown address and a store that failed are answered too,
/// with NEWT_OK and a text that tells the model what to do; newt_store_state
/// has the failure for the host. Only NULL with a length, arguments that are
/// not UTF-8, memory that ran out, and a library without a store are errors
/// here.
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
        let arguments = unsafe { borrow::text("arguments_json", arguments_json, arguments_len) }?;
        // SAFETY: the same.
        match unsafe { self::store(store) } {
            Ok(store) => store.answer(arguments),
            Err(error) => Store::failed(error).answer(arguments),
        }
    }))
}

/// The definition of the fetch tool, ready to stand among a request's tools:
/// one element of `tools`, or of Gemini's `functionDeclarations`.
///
/// `cfg`: its `format` (NEWT_FORMAT_AUTO is CHAT) and `fetch_tool`; NULL is
/// the defaults. NEWT_ERR_ARGUMENT where the configuration is out of range, or
/// its fetch_tool is "". Never NULL; to be freed with newt_text_free.
/// Thread-safe.
///
/// newt_store_answer answers its calls. A host with a mint of its own answers
/// them itself: `address` is `compaction:` and a handle, or `spill:`, a handle,
/// `#` and a line; `grep`, `offset` and `limit` may stand beside it, as the
/// definition tells the model.
///
/// # Safety
/// `cfg` is as newt_config says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_fetch_tool_json(cfg: *const newt_config) -> *const newt_text {
    told(guard(|| {
        // SAFETY: by this function's contract.
        let config = unsafe { config::read(cfg) }?;
        if config.fetch_tool.is_empty() {
            return Err(Error::new(
                ErrorKind::Argument,
                "fetch_tool is empty; expected the name under which the tool is declared",
            ));
        }
        let format = config.format.unwrap_or(Wire::Chat);
        fetch::tool_json(format, &config.fetch_tool)
    }))
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

#[cfg(all(test, feature = "store"))]
mod tests {
    use super::super::text::newt_text_free;
    use super::*;
    use crate::ffi::status::{
        NEWT_ERR_ARGUMENT, NEWT_ERR_NOT_FOUND, NEWT_ERR_STORE, NEWT_ERR_UTF8,
    };

    /// What a `newt_text` said: its status, and its text or its sentence.
    fn read(text: *const newt_text) -> (newt_status, String) {
        assert!(!text.is_null());
        // SAFETY: a text of ours, not yet freed.
        let borrowed = unsafe { &*text };
        let shown = if borrowed.status == NEWT_OK {
            assert!(borrowed.error.is_null());
            borrowed.text
        } else {
            assert!(borrowed.text.is_null());
            borrowed.error
        };
        // SAFETY: every string of a text ends in NUL.
        let shown = unsafe { std::ffi::CStr::from_ptr(shown) };
        let result = (borrowed.status, shown.to_str().unwrap().to_owned());
        // SAFETY: the same text, once.
        unsafe { newt_text_free(text) };
        result
    }

    fn open(path: Option<&str>, session: Option<&str>) -> *mut newt_store {
        let of = |name: Option<&str>| match name {
            Some(name) => (name.as_ptr().cast(), name.len()),
            None => (ptr::null(), 0),
        };
        let ((path, path_len), (session, session_len)) = (of(path), of(session));
        // SAFETY: NULL, or strings that outlive the call.
        unsafe { newt_store_open(path, path_len, session, session_len) }
    }

    fn mint(store: *mut newt_store, span: &[u8]) -> Result<String, newt_status> {
        let mut handle = [0u8; 256];
        let mut len = 0;
        // SAFETY: a live store or NULL, and buffers of the lengths given.
        let status = unsafe {
            newt_store_mint(
                store.cast(),
                span.as_ptr().cast(),
                span.len(),
                handle.as_mut_ptr().cast(),
                handle.len(),
                &mut len,
            )
        };
        match status {
            NEWT_OK => Ok(String::from_utf8(handle[..len].to_vec()).unwrap()),
            status => Err(status),
        }
    }

    fn state(store: *mut newt_store) -> (newt_status, String) {
        // SAFETY: a live store or NULL.
        read(unsafe { newt_store_state(store) })
    }

    fn fetch(store: *mut newt_store, address: &[u8]) -> (newt_status, String) {
        // SAFETY: a live store or NULL, and a live address.
        read(unsafe { newt_store_fetch(store, address.as_ptr().cast(), address.len()) })
    }

    fn answer(store: *mut newt_store, arguments: &[u8]) -> (newt_status, String) {
        // SAFETY: a live store or NULL, and live arguments.
        read(unsafe { newt_store_answer(store, arguments.as_ptr().cast(), arguments.len()) })
    }

    fn load(store: *mut newt_store, handle: &str, sink: *mut newt_sink) -> newt_status {
        // SAFETY: a live store or NULL, a live handle, a live sink or NULL.
        unsafe { newt_store_load(store.cast(), handle.as_ptr().cast(), handle.len(), sink) }
    }

    fn close(store: *mut newt_store) {
        // SAFETY: from `open`, and each test closes it once.
        unsafe { newt_store_close(store) };
    }

    #[test]
    fn a_span_goes_round() {
        let store = open(None, None);
        let handle = mint(store, b"{\"n\":1}").unwrap();
        let found = (NEWT_OK, "{\"n\":1}".to_owned());
        assert_eq!(fetch(store, handle.as_bytes()), found);
        let arguments = format!(r#"{{"address":"compaction:{handle}"}}"#);
        assert_eq!(answer(store, arguments.as_bytes()), found);
        let mut sink = newt_sink::new(100);
        assert_eq!(load(store, &handle, &mut sink), NEWT_OK);
        assert_eq!(sink.finish().unwrap(), b"{\"n\":1}");
        assert_eq!(state(store), (NEWT_OK, String::new()));
        // SAFETY: a live store.
        assert_eq!(unsafe { newt_store_forget(store) }, NEWT_OK);
        assert_eq!(fetch(store, handle.as_bytes()).0, NEWT_ERR_NOT_FOUND);
        close(store);
    }

    #[test]
    fn null_is_the_process_s_own_store() {
        let own = ptr::null_mut();
        let handle = mint(own, b"own").unwrap();
        close(own);
        assert_eq!(fetch(own, handle.as_bytes()), (NEWT_OK, "own".into()));
        let other = open(None, None);
        assert_eq!(fetch(other, handle.as_bytes()).0, NEWT_ERR_NOT_FOUND);
        close(other);
    }

    #[test]
    fn what_is_not_found_is_not_told_apart() {
        let (store, other) = (open(None, None), open(None, None));
        let foreign = mint(other, b"text").unwrap();
        let unknown = fetch(store, b"aaaaaaaa");
        assert_eq!(unknown.0, NEWT_ERR_NOT_FOUND);
        assert_eq!(fetch(store, foreign.as_bytes()), unknown);
        assert_eq!(fetch(store, b"\xff\xff"), unknown);
        assert_eq!(fetch(store, b""), unknown);
        let mut sink = newt_sink::new(100);
        assert_eq!(load(store, &foreign, &mut sink), NEWT_ERR_NOT_FOUND);
        assert_eq!(sink.finish().unwrap(), b"");
        // Nothing of this is a failure of the store.
        assert_eq!(state(store), (NEWT_OK, String::new()));
        close(store);
        close(other);
    }

    #[test]
    fn wrong_arguments_are_refused_and_told() {
        let store = open(None, None);
        assert_eq!(mint(store, b"a\xffb"), Err(NEWT_ERR_UTF8));
        let told = (
            NEWT_ERR_UTF8,
            "the span is not UTF-8 (at byte 1)".to_owned(),
        );
        assert_eq!(state(store), told);
        assert_eq!(answer(store, b"\xff").0, NEWT_ERR_UTF8);

        let (mut handle, mut len) = ([0u8; 4], 0);
        let place: *mut c_char = handle.as_mut_ptr().cast();
        for (place, cap, len, reason) in [
            (
                place,
                4,
                &raw mut len,
                "the handle has 8 bytes and the place for it 4",
            ),
            (ptr::null_mut(), 256, &raw mut len, "one of them is NULL"),
            (place, 4, ptr::null_mut(), "one of them is NULL"),
        ] {
            // SAFETY: a live store, a live span, and NULL or a place of that size.
            let status =
                unsafe { newt_store_mint(store.cast(), c"span".as_ptr(), 4, place, cap, len) };
            assert_eq!(status, NEWT_ERR_ARGUMENT);
            assert!(state(store).1.contains(reason), "{:?}", state(store));
        }
        assert_eq!((handle, len), ([0; 4], 0));
        // SAFETY: a live store; NULL with a length is what is tested.
        let fetched = read(unsafe { newt_store_fetch(store, ptr::null(), 3) });
        assert_eq!(fetched.0, NEWT_ERR_ARGUMENT);
        assert_eq!(load(store, "aaaaaaaa", ptr::null_mut()), NEWT_ERR_ARGUMENT);
        close(store);
    }

    #[test]
    fn a_store_that_cannot_be_opened_is_still_one() {
        // SAFETY: the pointer has the length given.
        let not_text = unsafe { newt_store_open(c"\xff".as_ptr(), 1, ptr::null(), 0) };
        assert_eq!(mint(not_text, b"text"), Err(NEWT_ERR_UTF8));
        assert!(state(not_text).1.contains("the store's path is not UTF-8"));
        close(not_text);
        let nowhere = open(Some("/no/such/folder/spans.db"), Some("a"));
        assert_eq!(state(nowhere).0, NEWT_ERR_STORE);
        assert_eq!(mint(nowhere, b"text"), Err(NEWT_ERR_STORE));
        assert_eq!(fetch(nowhere, b"aaaaaaaa").0, NEWT_ERR_STORE);
        // The model is told, in words that are for it.
        let told = answer(nowhere, br#"{"address":"aaaaaaaa"}"#);
        assert!(
            told.0 == NEWT_OK && told.1.contains("cannot be read at the moment"),
            "{told:?}"
        );
        close(nowhere);
    }
}

#[cfg(all(test, not(feature = "store")))]
mod tests {
    use super::*;
    use crate::ffi::status::NEWT_ERR_STORE;

    #[test]
    fn without_the_feature_every_call_says_so() {
        // SAFETY: no pointer here is anything but NULL, a live string or the
        // store that was opened, closed once.
        unsafe {
            let opened = newt_store_open(ptr::null(), 0, ptr::null(), 0);
            for store in [opened, ptr::null_mut()] {
                let told = |text: *const newt_text| {
                    assert_eq!((*text).status, NEWT_ERR_STORE);
                    let sentence = std::ffi::CStr::from_ptr((*text).error);
                    assert!(
                        sentence
                            .to_str()
                            .unwrap()
                            .contains("not built into this library")
                    );
                    super::super::text::newt_text_free(text);
                };
                told(newt_store_state(store));
                told(newt_store_fetch(store, c"aaaaaaaa".as_ptr(), 8));
                told(newt_store_answer(store, c"{}".as_ptr(), 2));
                let (mut handle, mut len) = ([0; 256], 0);
                let minted = newt_store_mint(
                    store.cast(),
                    c"span".as_ptr(),
                    4,
                    handle.as_mut_ptr(),
                    handle.len(),
                    &mut len,
                );
                assert_eq!((minted, len), (NEWT_ERR_STORE, 0));
                let mut sink = newt_sink::new(9);
                let loaded = newt_store_load(store.cast(), c"aaaaaaaa".as_ptr(), 8, &mut sink);
                assert_eq!(loaded, NEWT_ERR_STORE);
                assert_eq!(newt_store_forget(store), NEWT_ERR_STORE);
            }
            newt_store_close(opened);
        }
    }
}
