//! L13: the host is never harmed. The C ABI, driven as a host drives it.

mod c_abi;
mod transcripts;

use c_abi::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::mem::{offset_of, size_of};
use std::ptr;
use transcripts::session::long;
use transcripts::{Dialect, Document};

/// Counts what a thread has allocated and not freed.
struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: it does what the system's allocator does, and counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = LIVE.try_with(|live| live.set(live.get() + layout.size().cast_signed()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        let _ = LIVE.try_with(|live| live.set(live.get() - layout.size().cast_signed()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Sixteen rounds between two users' messages.
fn document() -> Vec<u8> {
    Document::plain(&long(16), Dialect::Chat).text.into_bytes()
}

/// Folds whatever is aged.
fn eager() -> newt_config {
    newt_config {
        keep_last: 4,
        min_rounds: 1,
        results: 1,
        ..defaults()
    }
}

/// Whatever is in `document`, folded.
fn folds_as(config: &newt_config) -> usize {
    let folded = fold(&document(), Some(config), &mut |_| Some(b"h".to_vec()));
    assert_eq!(folded.status, OK, "{:?}", folded.error());
    folded.rounds_folded
}

fn refuses(config: &newt_config, word: &str) {
    let refused = plan(b"[]", Some(config));
    let sentence = refused.error().unwrap_or_default();
    assert_eq!(refused.status, ARGUMENT, "{config:?}");
    assert!(sentence.contains(word), "{sentence:?} does not name {word}");
    assert_eq!(refused.verdict, 0);
    assert_eq!(refused.json(), None);
    assert_eq!(refused.error_offset, usize::MAX);
}

// ---------------------------------------------------------------- layout

#[test]
#[cfg(target_pointer_width = "64")]
fn the_structs_are_laid_out_as_promised() {
    assert_eq!(size_of::<newt_config>(), 80);
    assert_eq!(offset_of!(newt_config, fetch_tool), 56);
    assert_eq!(offset_of!(newt_config, keep_tools_len), 72);
    assert_eq!(size_of::<newt_outcome>(), 136);

    // What the library writes, read at the offsets that C computes.
    let defaults = defaults();
    let at = (&raw const defaults).cast::<u32>();
    // SAFETY: fourteen u32 stand at the beginning.
    let words: Vec<u32> = (0..14)
        .map(|index| unsafe { at.add(index).read() })
        .collect();
    assert_eq!(words, [80, 12, 2, 0, 0, 0, 0, 64, 120, 0, 0, 4, 0, 0]);
    assert!(defaults.fetch_tool.is_null() && defaults.keep_tools.is_null());
    assert_eq!(defaults.keep_tools_len, 0);

    let config = newt_config {
        flags: 1,
        ..eager()
    };
    let document = document();
    let folded = fold(&document, Some(&config), &mut |_| Some(b"abc".to_vec()));
    let word = |offset: usize| {
        // SAFETY: the outcome has 136 bytes.
        unsafe {
            folded
                .as_ptr()
                .cast::<u8>()
                .add(offset)
                .cast::<usize>()
                .read()
        }
    };
    let json = folded.json().unwrap();
    assert_eq!(word(0), 1 << 32, "status OK, verdict FOLDED");
    // SAFETY: `json` and what follows it are strings of the outcome's.
    let begins = |offset: usize| unsafe { *(word(offset) as *const u8) };
    assert_eq!((begins(8), word(16)), (b'[', json.len()));
    assert_eq!((begins(24), word(32)), (b'a', 3));
    assert_eq!((word(40), word(48)), (0, usize::MAX));
    assert_eq!(
        (word(56), word(64), word(72)),
        (14, 14, 1),
        "eligible, folded, cards"
    );
    assert_eq!((word(80), word(88)), (34, 7), "messages");
    assert_eq!(
        (word(96), word(104)),
        (document.len().div_ceil(4), json.len().div_ceil(4))
    );
    assert_eq!(json.as_bytes()[..word(112)], document[..word(112)]);
    assert_eq!(
        (begins(120), word(128)),
        (b'{', folded.receipt().unwrap().len())
    );
}

#[test]
fn every_string_ends_with_a_nul() {
    // The accessors check the NUL; errors are read up to theirs.
    let folded = fold(&document(), Some(&eager()), &mut |_| Some(b"abc".to_vec()));
    assert!(folded.json().is_some());
    assert_eq!(folded.handle(), Some("abc"));
    let refused = plan(b"[1,]", None);
    assert_eq!((refused.status, refused.error_offset), (JSON, 3));
    assert!(refused.error().unwrap().contains("byte 3"));
}

// ---------------------------------------------------------------- configuration

#[test]
fn init_writes_exactly_the_bytes_it_is_told() {
    for size in (0..200).chain([4095, 4096, 4097, 5000, usize::MAX]) {
        let mut room = [0xaa_u8; 5008];
        // SAFETY: there is room for 5,000 bytes, and nothing is written for more.
        unsafe { newt_config_init(room.as_mut_ptr().cast(), size) };
        let written = if (4..=4096).contains(&size) { size } else { 0 };
        assert!(room[written..].iter().all(|byte| *byte == 0xaa), "{size}");
        if written > 0 {
            assert_eq!(room[..4], (size as u32).to_ne_bytes());
            let whole = size_of::<newt_config>();
            assert!(
                room[whole.min(written)..written]
                    .iter()
                    .all(|byte| *byte == 0),
                "{size}"
            );
        }
    }
    // SAFETY: NULL is allowed.
    unsafe { newt_config_init(ptr::null_mut(), 80) };
}

/// A page to read at most, and none behind it.
struct Page {
    at: *mut u8,
    size: usize,
}

impl Page {
    /// Maps pages that hold these bytes, the last of them at the very end.
    fn ending_with(bytes: &[u8]) -> (Self, *const u8) {
        // SAFETY: plain calls of mmap and mprotect on a mapping of its own.
        unsafe {
            let page = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap();
            let size = bytes.len().next_multiple_of(page).max(page) + page;
            let (private, none) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_NONE);
            let at = libc::mmap(
                ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                private,
                -1,
                0,
            );
            assert_ne!(at, libc::MAP_FAILED);
            let at = at.cast::<u8>();
            let begin = at.add(size - page - bytes.len());
            ptr::copy_nonoverlapping(bytes.as_ptr(), begin, bytes.len());
            assert_eq!(libc::mprotect(at.cast(), size - page, libc::PROT_READ), 0);
            assert_eq!(libc::mprotect(at.add(size - page).cast(), page, none), 0);
            (Self { at, size }, begin)
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping made above, gone nowhere else.
        unsafe { libc::munmap(self.at.cast(), self.size) };
    }
}

#[test]
fn an_older_configuration_takes_defaults_and_is_read_no_further() {
    let full = newt_config {
        keep_last: 4,
        min_rounds: 1,
        results: 1,
        max_card_lines: 3,
        ..defaults()
    };
    // SAFETY: the struct has no padding, so every byte is initialised.
    let bytes = unsafe {
        std::slice::from_raw_parts((&raw const full).cast::<u8>(), size_of::<newt_config>())
    };
    for size in 4..=size_of::<newt_config>() {
        let mut known = bytes[..size].to_vec();
        known[..4].copy_from_slice(&(size as u32).to_ne_bytes());
        let (_page, begin) = Page::ending_with(&known);
        let document = document();
        // SAFETY: `begin` has as many readable bytes as the struct says of itself.
        let folded = unsafe {
            Outcome::of(newt_fold(
                document.as_ptr().cast(),
                document.len(),
                begin.cast(),
                None,
                ptr::null_mut(),
            ))
        };
        let ends_on_a_field = size.is_multiple_of(if size > 56 { 8 } else { 4 });
        assert_eq!(
            folded.status,
            if ends_on_a_field { OK } else { ARGUMENT },
            "{size}"
        );
        if ends_on_a_field {
            let verdict = if size >= 20 { PLANNED } else { NOTHING };
            assert_eq!(folded.verdict, verdict, "{size}");
        }
    }
}

#[test]
fn a_newer_configuration_must_be_zero_where_it_is_unknown() {
    #[repr(C)]
    struct Newer {
        known: newt_config,
        unknown: [u8; 8],
    }
    let mut newer = Newer {
        known: eager(),
        unknown: [0; 8],
    };
    newer.known.struct_size = 88;
    let read = |newer: &Newer| {
        // SAFETY: the struct is as long as it says.
        unsafe {
            Outcome::of(newt_fold(
                c"[]".as_ptr(),
                2,
                ptr::from_ref(newer).cast(),
                None,
                ptr::null_mut(),
            ))
        }
    };
    assert_eq!(read(&newer).status, OK);
    newer.unknown[7] = 1;
    let refused = read(&newer);
    assert_eq!(refused.status, ARGUMENT);
    assert!(refused.error().unwrap().contains("byte 87"));
}

#[test]
fn what_is_out_of_range_is_refused_in_words() {
    let base = defaults();
    for size in [0, 1, 3, 5, 57, 60, 4097, 5000, u32::MAX] {
        refuses(
            &newt_config {
                struct_size: size,
                ..base
            },
            "struct_size",
        );
    }
    for unknown in [7, 1 << 16, u32::MAX] {
        refuses(
            &newt_config {
                format: unknown,
                ..base
            },
            "format",
        );
        refuses(
            &newt_config {
                results: unknown,
                ..base
            },
            "results",
        );
        refuses(
            &newt_config {
                grouping: unknown,
                ..base
            },
            "grouping",
        );
        refuses(
            &newt_config {
                card: unknown,
                ..base
            },
            "card",
        );
        refuses(
            &newt_config {
                reserved: unknown,
                ..base
            },
            "reserved",
        );
    }
    refuses(
        &newt_config {
            flags: 1 << 30,
            ..base
        },
        "flags",
    );
    refuses(
        &newt_config {
            bytes_per_token: 0,
            ..base
        },
        "bytes_per_token",
    );
    refuses(
        &newt_config {
            max_card_lines: 0,
            ..base
        },
        "max_card_lines",
    );
    let long = std::ffi::CString::new("x".repeat(65)).unwrap();
    for name in [c"a b", c"a\"", c"caf\xc3\xa9", c"\xff", long.as_c_str()] {
        refuses(
            &newt_config {
                fetch_tool: name.as_ptr(),
                ..base
            },
            "fetch_tool",
        );
    }
    refuses(
        &newt_config {
            card: 2,
            fetch_tool: c"".as_ptr(),
            ..base
        },
        "fetch_tool",
    );
    refuses(
        &newt_config {
            keep_tools_len: 1,
            ..base
        },
        "keep_tools",
    );
    let tools = [c"bash".as_ptr(), ptr::null()];
    refuses(
        &newt_config {
            keep_tools: tools.as_ptr(),
            keep_tools_len: 2,
            ..base
        },
        "keep_tools",
    );
}

#[test]
fn null_is_the_defaults_everywhere() {
    let folded = fold(&document(), None, &mut |_| panic!("nothing is one-lined"));
    assert_eq!((folded.status, folded.verdict), (OK, NOTHING));
    assert_eq!(folds_as(&eager()), 14);
    let tools = [c"bash".as_ptr()];
    let kept = newt_config {
        keep_tools: tools.as_ptr(),
        keep_tools_len: 1,
        ..eager()
    };
    assert_eq!(folds_as(&kept), 0);
    assert_eq!(
        folds_as(&newt_config {
            keep_tools_len: 0,
            ..kept
        }),
        14
    );
    assert_eq!(
        folds_as(&newt_config {
            min_rounds: 0,
            ..eager()
        }),
        14
    );
    assert_eq!(
        folds_as(&newt_config {
            keep_last: u32::MAX,
            ..eager()
        }),
        0
    );
}

// ---------------------------------------------------------------- input

#[test]
fn lengths_and_null_are_checked() {
    let call = |json: *const c_char, len: usize| {
        // SAFETY: the pointer is NULL, or the length is refused before a read.
        unsafe { Outcome::of(newt_fold(json, len, ptr::null(), None, ptr::null_mut())) }
    };
    for len in [1, 5, isize::MAX.cast_unsigned()] {
        assert_eq!(call(ptr::null(), len).status, ARGUMENT);
    }
    assert_eq!(call(ptr::null(), 0).status, JSON);
    for len in [isize::MAX.cast_unsigned() + 1, usize::MAX] {
        let refused = call(c"[]".as_ptr(), len);
        assert_eq!(refused.status, ARGUMENT);
        assert!(refused.error().unwrap().contains(&len.to_string()));
    }
    assert_eq!(call(c"".as_ptr(), 0).status, JSON);
    // SAFETY: NULL is allowed.
    unsafe { newt_outcome_free(ptr::null()) };
}

#[test]
fn bad_input_gets_a_status_and_the_byte_at_fault() {
    let cases: [(&[u8], i32, usize); 22] = [
        (b"", JSON, 0),
        (b"   ", JSON, 3),
        (b"[", JSON, 1),
        (b"[1,]", JSON, 3),
        (b"[}", JSON, 1),
        (b"nul", JSON, 3),
        (b"[]x", JSON, 2),
        (b"[\x00]", JSON, 1),
        (b"[{\"a\":NaN}]", JSON, 6),
        (b"[{'a':1}]", JSON, 2),
        (b"[{\"a\":01}]", JSON, 7),
        (b"[\"a\nb\"]", JSON, 3),
        (b"[\"\\x\"]", JSON, 3),
        (b"[\"\\ud8\"]", JSON, 6),
        (b"{\"a\":1}\n{\"a\":2}", JSON, 8),
        (b"[\"\xff\"]", UTF8, 2),
        (b"[\"\xed\xa0\x80\"]", UTF8, 2),
        (b"\xc0\x80", UTF8, 0),
        (b"7", TRANSCRIPT, 0),
        (b" null", TRANSCRIPT, 1),
        (b"{}", TRANSCRIPT, 0),
        (b"{\"messages\":7}", TRANSCRIPT, 12),
    ];
    for (document, status, offset) in cases {
        let name = String::from_utf8_lossy(document).into_owned();
        let refused = plan(document, None);
        assert_eq!(refused.status, status, "{name:?}: {:?}", refused.error());
        assert_eq!(
            refused.error_offset,
            offset,
            "{name:?}: {:?}",
            refused.error()
        );
        assert_eq!((refused.json(), refused.verdict), (None, 0), "{name:?}");
        let sentence = refused.error().unwrap();
        assert!(sentence.contains("expected"), "{name:?}: {sentence}");
    }
}

#[test]
fn the_input_is_only_read_and_never_beyond_its_end() {
    let mut documents = vec![
        document(),
        b"[".to_vec(),
        b"[\"abc".to_vec(),
        b"[1".to_vec(),
        b"[\"\\u12".to_vec(),
        b"tru".to_vec(),
        b"\xef\xbb".to_vec(),
        b"[\"\xf0\x9f".to_vec(),
    ];
    for dialect in transcripts::dialect::DIALECTS {
        documents.push(Document::plain(&long(16), dialect).text.into_bytes());
    }
    for document in documents {
        let (_page, begin) = Page::ending_with(&document);
        // SAFETY: `begin` is readable for the document's length.
        let input = unsafe { std::slice::from_raw_parts(begin, document.len()) };
        let outcome = fold(input, Some(&eager()), &mut |_| Some(b"h".to_vec()));
        assert!(outcome.status == OK || outcome.status == JSON || outcome.status == UTF8);
        assert_eq!(input, document);
        for cut in (0..document.len()).step_by(document.len() / 50 + 1) {
            let (_page, begin) = Page::ending_with(&document[..cut]);
            // SAFETY: as above.
            let input = unsafe { std::slice::from_raw_parts(begin, cut) };
            assert!(
                [JSON, UTF8].contains(&plan(input, None).status),
                "cut at {cut}"
            );
        }
    }
}

#[test]
fn deep_nesting_fits_a_small_stack() {
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let objects = |depth: usize| "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth);
    for depth in [10_000, 100_000] {
        let mut round = transcripts::session::Round::of("c1", "x", "", &"line\n".repeat(900));
        round.calls[0].arguments = objects(depth);
        let session = [transcripts::Turn::Round(round)];
        let mut documents = vec![
            deep(depth),
            format!("[{}]", objects(depth)),
            format!("{{\"messages\":[],\"x\":{}}}", deep(depth)),
        ];
        for dialect in [
            Dialect::Chat,
            Dialect::Ollama,
            Dialect::Anthropic,
            Dialect::Gemini,
            Dialect::Responses,
        ] {
            documents.push(Document::plain(&session, dialect).text);
        }
        for document in documents {
            let unclosed = document[..document.len() - 1].to_owned();
            let run = move || {
                let config = newt_config {
                    keep_last: 0,
                    ..eager()
                };
                let folded = fold(document.as_bytes(), Some(&config), &mut |_| {
                    Some(b"h".to_vec())
                });
                assert_eq!(folded.status, OK, "{:?}", folded.error());
                assert_eq!(plan(unclosed.as_bytes(), Some(&config)).status, JSON);
                (
                    folded.rounds_folded,
                    folded.json() == Some(document.as_str()),
                )
            };
            let thread = std::thread::Builder::new().stack_size(64 * 1024);
            let (folded, same) = thread.spawn(run).unwrap().join().unwrap();
            assert_eq!(folded == 0, same);
        }
    }
}

// ---------------------------------------------------------------- the mint

#[test]
fn a_handle_must_be_fit_to_stand_in_a_card() {
    let document = document();
    let fold_with = |handle: &[u8]| fold(&document, Some(&eager()), &mut |_| Some(handle.to_vec()));
    for good in [&b"h"[..], b"A-Za-z0-9._~:/@=+-", &[b'x'; 256]] {
        let folded = fold_with(good);
        assert_eq!((folded.status, folded.verdict), (OK, FOLDED));
        assert_eq!(folded.handle().unwrap().as_bytes(), good);
    }
    let bad: [&[u8]; 11] = [
        b"",
        &[b'x'; 257],
        &[b'x'; 4096],
        b"a\"b",
        b"a b",
        b"h\n",
        b"h\0",
        b"\0",
        "caf\u{e9}".as_bytes(),
        b"\xff",
        b"a)]",
    ];
    for bad in bad {
        let refused = fold_with(bad);
        assert_eq!(refused.status, HANDLE, "{bad:?}");
        assert_eq!(
            (refused.json(), refused.handle(), refused.verdict),
            (None, None, 0)
        );
        assert!(
            refused.error().unwrap().contains("expected 1 to 256"),
            "{:?}",
            refused.error()
        );
    }
}

#[test]
fn a_mint_that_lies_about_its_length_is_refused() {
    unsafe extern "C-unwind" fn liar(
        user_data: *mut c_void,
        _: *const c_char,
        _: usize,
        _: *mut c_char,
        _: usize,
        handle_len: *mut usize,
    ) -> i32 {
        // SAFETY: `handle_len` is the library's, `user_data` the number below.
        unsafe { *handle_len = *user_data.cast::<usize>() };
        0
    }
    let (document, config) = (document(), eager());
    for mut len in [0, 1, 256, 257, isize::MAX.cast_unsigned(), usize::MAX] {
        // SAFETY: all pointers are to live objects.
        let refused = unsafe {
            Outcome::of(newt_fold(
                document.as_ptr().cast(),
                document.len(),
                &raw const config,
                Some(liar),
                (&raw mut len).cast(),
            ))
        };
        assert_eq!(refused.status, HANDLE, "{len}");
    }
}

#[test]
fn any_other_answer_declines_and_is_not_asked_again() {
    let document = document();
    unsafe extern "C-unwind" fn answers(
        user_data: *mut c_void,
        _: *const c_char,
        _: usize,
        _: *mut c_char,
        _: usize,
        _: *mut usize,
    ) -> i32 {
        // SAFETY: the pair below.
        let (answer, asked) = unsafe { &mut *user_data.cast::<(i32, usize)>() };
        *asked += 1;
        *answer
    }
    let config = newt_config {
        keep_last: 0,
        ..eager()
    };
    for answer in [1, -1, i32::MIN, i32::MAX] {
        let mut state = (answer, 0usize);
        // SAFETY: all pointers are to live objects.
        let declined = unsafe {
            Outcome::of(newt_fold(
                document.as_ptr().cast(),
                document.len(),
                &raw const config,
                Some(answers),
                (&raw mut state).cast(),
            ))
        };
        assert_eq!(
            (declined.status, declined.verdict, declined.rounds_folded),
            (OK, DECLINED, 0)
        );
        assert_eq!(declined.json().unwrap().as_bytes(), document);
        assert_eq!((declined.handle(), state.1), (None, 1));
    }
}

#[test]
fn a_mint_may_call_the_library_again() {
    let document = document();
    let mut inner_folds = 0;
    let folded = fold(&document, Some(&eager()), &mut |span| {
        let mut inner = vec![b'['];
        inner.extend(
            span.iter()
                .map(|byte| if *byte == b'\n' { b',' } else { *byte }),
        );
        inner.push(b']');
        let again = fold(&inner, Some(&eager()), &mut |_| Some(b"inner".to_vec()));
        inner_folds += again.rounds_folded;
        assert_eq!(again.handle(), Some("inner"));
        Some(b"outer".to_vec())
    });
    assert_eq!((folded.handle(), folded.rounds_folded), (Some("outer"), 14));
    assert_eq!(inner_folds, 12);
}

#[test]
fn a_mint_that_panics_unwinds_through_and_leaks_nothing() {
    let document = document();
    let once = || {
        // `resume_unwind` calls no panic hook, so nothing is printed.
        let caught = std::panic::catch_unwind(|| {
            fold(&document, Some(&eager()), &mut |_| {
                std::panic::resume_unwind(Box::new("from the mint"))
            });
        });
        let payload = caught.expect_err("the panic came out of newt_fold");
        assert_eq!(payload.downcast_ref(), Some(&"from the mint"));
    };
    once();
    let before = LIVE.with(Cell::get);
    for _ in 0..50 {
        once();
    }
    assert_eq!(LIVE.with(Cell::get), before);
}

#[test]
fn no_call_leaks() {
    let document = document();
    let once = || {
        fold(&document, Some(&eager()), &mut |_| Some(b"h".to_vec()));
        fold(&document, Some(&eager()), &mut |_| Some(b"\"".to_vec()));
        fold(&document, Some(&eager()), &mut |_| None);
        plan(&document, Some(&eager()));
        plan(b"[1,]", None);
        plan(
            b"[]",
            Some(&newt_config {
                format: 9,
                ..eager()
            }),
        );
    };
    once();
    let before = LIVE.with(Cell::get);
    for _ in 0..20 {
        once();
    }
    assert_eq!(LIVE.with(Cell::get), before);
}

#[test]
fn threads_fold_at_once_and_free_for_each_other() {
    struct Sent(Outcome);
    // SAFETY: an outcome may be read and freed on any thread.
    unsafe impl Send for Sent {}
    let document = document();
    let alone = fold(&document, Some(&eager()), &mut |_| Some(b"h".to_vec()));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    (0..10)
                        .map(|_| {
                            Sent(fold(&document, Some(&eager()), &mut |_| {
                                Some(b"h".to_vec())
                            }))
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        for thread in threads {
            for Sent(outcome) in thread.join().unwrap() {
                assert_eq!(outcome.json(), alone.json());
            }
        }
    });
}

// ---------------------------------------------------------------- the way back

/// A folded document and the span of its card.
fn folded() -> (Vec<u8>, Vec<u8>) {
    let mut kept = Vec::new();
    let folded = fold(&document(), Some(&eager()), &mut |span| {
        kept = span.to_vec();
        Some(b"h".to_vec())
    });
    (folded.json().unwrap().as_bytes().to_vec(), kept)
}

#[test]
fn a_fetch_writes_its_span_in_as_many_pieces_as_it_likes() {
    let (json, span) = folded();
    for size in [1, 7, 1000, usize::MAX] {
        let mut asked = Vec::new();
        let back = expand(&json, None, &mut |handle, sink| {
            asked.push(handle.to_owned());
            write(sink, b"");
            for piece in span.chunks(size.min(span.len())) {
                write(sink, piece);
            }
            OK
        });
        assert_eq!((back.status, back.verdict, back.cards), (OK, FOLDED, 0));
        assert_eq!(back.json().unwrap().as_bytes(), document());
        assert_eq!(asked, ["h"]);
    }
}

#[test]
fn a_fetch_that_fails_is_told_apart_from_one_that_has_nothing() {
    let (json, span) = folded();
    let nothing = expand(&json, None, &mut |_, _| NOT_FOUND);
    assert_eq!(
        (nothing.status, nothing.verdict, nothing.cards),
        (OK, NOTHING, 1)
    );
    assert_eq!(nothing.json().unwrap().as_bytes(), json);
    for status in [STORE, JSON, -1, 99] {
        let failed = expand(&json, None, &mut |_, _| status);
        assert_eq!((failed.status, failed.json()), (STORE, None));
        assert!(failed.error().unwrap().len() > 20);
    }
    // What is no span of messages is no span, and a broken sink is a failure.
    for bad in [&b""[..], b"no json", b"{} {}", b"\xff", b"[1,", b"\0"] {
        let failed = expand(&json, None, &mut |_, sink| {
            write(sink, bad);
            OK
        });
        assert_eq!(failed.status, STORE, "{bad:?}: {:?}", failed.error());
    }
    let failed = expand(&json, None, &mut |_, sink| {
        write(sink, &span);
        // SAFETY: NULL with a length is refused before a read.
        unsafe { newt_sink_write(sink, ptr::null(), 5) };
        OK
    });
    assert_eq!(failed.status, ARGUMENT);
    // SAFETY: a NULL sink takes nothing; a NULL fetch has nothing.
    unsafe {
        newt_sink_write(ptr::null_mut(), c"x".as_ptr(), 1);
        let none = Outcome::of(newt_expand(
            json.as_ptr().cast(),
            json.len(),
            ptr::null(),
            None,
            ptr::null_mut(),
        ));
        assert_eq!((none.status, none.verdict), (OK, NOTHING));
    }
}

#[test]
fn a_fetch_that_panics_unwinds_through_and_leaks_nothing() {
    let (json, _) = folded();
    let once = || {
        let caught = std::panic::catch_unwind(|| {
            expand(&json, None, &mut |_, sink| {
                write(sink, &[b'x'; 5000]);
                std::panic::resume_unwind(Box::new("from the fetch"))
            });
        });
        let payload = caught.expect_err("the panic came out of newt_expand");
        assert_eq!(payload.downcast_ref(), Some(&"from the fetch"));
    };
    once();
    let before = LIVE.with(Cell::get);
    for _ in 0..50 {
        once();
    }
    assert_eq!(LIVE.with(Cell::get), before);
}

#[test]
fn a_prune_over_the_c_abi_can_be_undone() {
    let mut kept = Vec::new();
    let pruned = prune(&document(), Some(&eager()), &mut |span| {
        kept = span.to_vec();
        Some(b"p".to_vec())
    });
    assert_eq!(
        (pruned.status, pruned.verdict, pruned.rounds_folded),
        (OK, FOLDED, 14)
    );
    assert_eq!((pruned.messages_before, pruned.messages_after), (34, 34));
    let json = pruned.json().unwrap().as_bytes().to_vec();
    assert!(json.len() < document().len() / 2);
    let back = expand(&json, None, &mut |handle, sink| {
        assert_eq!(handle, "p");
        write(sink, &kept);
        OK
    });
    assert_eq!(back.json().unwrap().as_bytes(), document());
    assert_eq!(
        prune(&document(), Some(&eager()), &mut |_| Some(b"\"".to_vec())).status,
        HANDLE
    );
    let declined = prune(&document(), Some(&eager()), &mut |_| None);
    assert_eq!((declined.status, declined.verdict), (OK, DECLINED));
}

#[test]
fn the_estimate_and_the_pressure_are_numbers() {
    let document = document();
    let estimate = |json: &[u8], config: Option<&newt_config>| {
        let config = config.map_or(ptr::null(), ptr::from_ref);
        // SAFETY: the slice is readable, the configuration NULL or whole.
        unsafe { newt_estimate_tokens(json.as_ptr().cast(), json.len(), config) }
    };
    assert_eq!(estimate(&document, None), document.len().div_ceil(4));
    let three = newt_config {
        bytes_per_token: 3,
        ..defaults()
    };
    assert_eq!(
        estimate(&document, Some(&three)),
        document.len().div_ceil(3)
    );
    assert_eq!(estimate(b"[1,]", None), usize::MAX);
    assert_eq!(estimate(b"7", None), usize::MAX);
    assert_eq!(
        estimate(
            b"[]",
            Some(&newt_config {
                card: 9,
                ..defaults()
            })
        ),
        usize::MAX
    );
    // SAFETY: it takes numbers.
    let pressure = |tokens, budget| unsafe { newt_pressure(tokens, budget) };
    assert_eq!(
        [49, 50, 74, 75, 100, 101].map(|tokens| pressure(tokens, 100)),
        [0, 1, 1, 2, 2, 2]
    );
    assert_eq!(
        (
            pressure(0, 0),
            pressure(usize::MAX, usize::MAX),
            pressure(0, usize::MAX)
        ),
        (2, 2, 0)
    );
}

// ---------------------------------------------------------------- names

#[test]
fn versions_and_statuses_have_names() {
    // SAFETY: static strings.
    let name = |status| {
        unsafe { CStr::from_ptr(newt_status_name(status)) }
            .to_str()
            .unwrap()
    };
    let names: Vec<&str> = (0..10).chain([100]).map(name).collect();
    let expected = "OK ERR_ARGUMENT ERR_UTF8 ERR_JSON ERR_TRANSCRIPT ERR_LIMIT ERR_HANDLE ERR_STORE ERR_NOT_FOUND ERR_MEMORY ERR_PANIC";
    let expected: Vec<String> = expected
        .split(' ')
        .map(|name| format!("NEWT_{name}"))
        .collect();
    assert_eq!(names, expected);
    for unknown in [-1, 10, 99, 101, i32::MIN, i32::MAX] {
        assert!(!name(unknown).is_empty());
    }
    // SAFETY: a static string.
    let version = unsafe { CStr::from_ptr(newt_version()) }.to_str().unwrap();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let parts: Vec<u32> = version
        .split('.')
        .map(|part| part.parse().unwrap())
        .collect();
    // SAFETY: they take nothing.
    let (number, abi) = unsafe { (newt_version_number(), newt_abi_version()) };
    assert_eq!(number, parts[0] << 16 | parts[1] << 8 | parts[2]);
    assert_eq!(abi, 1);
}
