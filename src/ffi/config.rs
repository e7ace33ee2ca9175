//! `newt_config`: read byte by byte, because it may be older or newer than the
//! library.

use crate::config::{Config, Form, Grouping, Results, Wire};
use crate::error::{Error, ErrorKind};
use std::ffi::c_char;
use std::mem::{MaybeUninit, offset_of, size_of};
use std::ptr;

/// The format is found out from the document: see newt_config.format.
pub const NEWT_FORMAT_AUTO: u32 = 0;
/// OpenAI chat completions, and Mistral, Ollama, SWE-agent, which follow it.
pub const NEWT_FORMAT_CHAT: u32 = 1;
/// Anthropic messages.
pub const NEWT_FORMAT_ANTHROPIC: u32 = 2;
/// OpenAI responses.
pub const NEWT_FORMAT_RESPONSES: u32 = 3;
/// Gemini contents.
pub const NEWT_FORMAT_GEMINI: u32 = 4;
/// Amazon Bedrock's Converse messages.
pub const NEWT_FORMAT_BEDROCK: u32 = 5;

/// Only rounds fold whose results are one line of the grammar already:
/// `[name] … -> ok, …` or `[name] … -> error, …`.
pub const NEWT_RESULTS_ONE_LINED: u32 = 0;
/// Any complete round folds; the card says in one line what each result was.
pub const NEWT_RESULTS_ANY: u32 = 1;

/// One card for each run of rounds, where the run stood. Nothing moves across
/// a user's or an assistant's message, and older cards stay as they are as
/// long as possible, because providers cache by prefix.
pub const NEWT_GROUPING_RUNS: u32 = 0;
/// One card for every round of the transcript, where the first of them stood:
/// the smallest document, rewritten from its first card on by every fold.
pub const NEWT_GROUPING_ALL: u32 = 1;

/// The card is a user's message. It lifts tool text to a user's authority:
/// with tools whose output is not trusted, take NEWT_CARD_TOOL.
pub const NEWT_CARD_USER: u32 = 0;
/// The card is an assistant's message. A last resort: it invites models to
/// write cards themselves.
pub const NEWT_CARD_ASSISTANT: u32 = 1;
/// The card is a call of the fetch tool and its result, two messages: tool
/// text keeps a tool's trust, user and assistant alternate as before, and the
/// model sees how the fetch tool is called.
pub const NEWT_CARD_TOOL: u32 = 2;

/// Bit 0 of `flags`: newt_outcome.receipt is wanted.
pub const NEWT_FLAG_RECEIPT: u32 = 1;
/// Bit 1 of `flags`: newt_prune also shortens long strings inside the
/// arguments of aged calls, so that the arguments still parse. Off by default,
/// because some providers compare what they get with what they sent.
pub const NEWT_FLAG_SHORTEN_ARGUMENTS: u32 = 2;

/// What a fold may do. NULL stands for the defaults wherever one is taken.
///
/// Made by newt_config_init, then changed field by field; borrowed until the
/// call that takes it returns, strings and all. May be used from any threads
/// at once while nobody writes to it.
///
/// A program built against an older or a newer header works: fields beyond
/// `struct_size` take their defaults; bytes beyond the library's own size must
/// be 0. `struct_size` is 4 to 4,096 and ends on a field. Anything else that is
/// out of range answers NEWT_ERR_ARGUMENT, with a sentence.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy)]
#[repr(C)]
pub struct newt_config {
    /// Bytes of this struct, as the program knows it. Set by newt_config_init.
    pub struct_size: u32,
    /// Messages at the end that are never touched; a round that reaches into them
    /// stays whole. Default 12; 0 keeps none.
    pub keep_last: u32,
    /// Nothing changes unless at least this many rounds would go, over all
    /// cards. Default 2; 0 means 1.
    pub min_rounds: u32,
    /// NEWT_FORMAT_AUTO (default), _CHAT, _ANTHROPIC, _RESPONSES, _GEMINI or
    /// _BEDROCK. AUTO takes the first tell-tale in the messages: `parts` is
    /// Gemini's; items of type `function_call`, `custom_tool_call`, their
    /// outputs and `reasoning` are those of Responses; `tool_use` and
    /// `tool_result` blocks Anthropic's; `tool_calls` and `role:"tool"` CHAT's;
    /// `toolUse` and `toolResult` Bedrock's. A request body's `input` is
    /// Responses, its `contents` Gemini. None of them: CHAT.
    pub format: u32,
    /// NEWT_RESULTS_ONE_LINED (default) or NEWT_RESULTS_ANY.
    pub results: u32,
    /// NEWT_GROUPING_RUNS (default) or NEWT_GROUPING_ALL.
    pub grouping: u32,
    /// NEWT_CARD_USER (default), NEWT_CARD_ASSISTANT or NEWT_CARD_TOOL.
    ///
    /// Which form a provider's rules admit:
    ///                         USER    ASSISTANT        TOOL
    ///     OpenAI chat         yes     yes              yes
    ///     Mistral, Gemma,     no      no               yes
    ///       Bedrock, others that insist on alternation
    ///     Anthropic           yes     without          without
    ///                                 thinking         thinking
    ///     OpenAI responses    yes     yes              yes
    ///     Gemini              yes     no               yes, with the documented
    ///                                                  placeholder for a signature
    ///
    /// ASSISTANT and TOOL cards are not written after the last user message of
    /// a transcript whose messages there carry reasoning: providers want it
    /// back on every turn of an open loop. Those rounds stay.
    pub card: u32,
    /// Lines of rounds in a card; older ones become one tally line. Default
    /// 64, at least 1.
    pub max_card_lines: u32,
    /// Characters of an assistant's prose beside its calls that the card
    /// keeps. Default 120; 0 keeps none.
    pub note_chars: u32,
    /// With NEWT_RESULTS_ANY: a one-line result of at most this many
    /// characters is shown whole. Default 0.
    pub result_chars: u32,
    /// Estimated tokens that a fold must win to happen at all. Default 0.
    pub min_reclaim: u32,
    /// Bytes of UTF-8 that make a token in the estimate. Default 4, at least 1.
    ///
    /// With 4, on a real coding session of 914 messages, in five wire formats,
    /// the estimate lies 3 to 15 % above what the tokenizers o200k and cl100k
    /// count in its texts, which is about what providers bill, and 15 to 22 %
    /// below what they count in its JSON. Transcripts full of program text and
    /// numbers come out some 5 % short, those that are mostly encrypted
    /// reasoning 40 %. Take 3 where a full window does harm.
    pub bytes_per_token: u32,
    /// Bits: NEWT_FLAG_RECEIPT, NEWT_FLAG_SHORTEN_ARGUMENTS. Default 0; unknown
    /// bits are refused.
    pub flags: u32,
    /// Must be 0.
    pub reserved: u32,
    /// The tool that a card tells the model to call, 1 to 64 of `A-Z a-z 0-9 _
    /// -`, with a NUL. NULL (default) is "memory_fetch"; "" says that none is
    /// declared, and the card names its handle alone.
    pub fetch_tool: *const c_char,
    /// Names of tools, each with a NUL and none of them NULL: rounds that call
    /// one of them never fold and are never pruned. NULL (default) only where
    /// `keep_tools_len` is 0.
    pub keep_tools: *const *const c_char,
    /// Entries in `keep_tools`. Default 0.
    pub keep_tools_len: usize,
}

/// The size of newt_config in this library.
const OWN_SIZE: usize = size_of::<newt_config>();
const SIZE_MIN: usize = size_of::<u32>();
const SIZE_MAX: usize = 4096;

const DEFAULTS: newt_config = newt_config {
    struct_size: OWN_SIZE as u32,
    keep_last: 12,
    min_rounds: 2,
    format: NEWT_FORMAT_AUTO,
    results: NEWT_RESULTS_ONE_LINED,
    grouping: NEWT_GROUPING_RUNS,
    card: NEWT_CARD_USER,
    max_card_lines: 64,
    note_chars: 120,
    result_chars: 0,
    min_reclaim: 0,
    bytes_per_token: 4,
    flags: 0,
    reserved: 0,
    fetch_tool: ptr::null(),
    keep_tools: ptr::null(),
    keep_tools_len: 0,
};

/// Whether a struct of so many bytes ends on a field of ours, or is newer.
fn ends_on_a_field(size: usize) -> bool {
    let first_pointer = offset_of!(newt_config, fetch_tool);
    if size <= first_pointer {
        size.is_multiple_of(size_of::<u32>())
    } else {
        size >= OWN_SIZE
            || size == offset_of!(newt_config, keep_tools)
            || size == offset_of!(newt_config, keep_tools_len)
    }
}

/// Fills `cfg` with the defaults, for a struct of `struct_size` bytes: pass
/// `sizeof(newt_config)`.
///
/// Writes exactly `struct_size` bytes, zeroes where this library knows no
/// field. With a NULL `cfg` or a size under 4 or over 4,096 it writes nothing.
/// A function and no macro, because Swift and cgo cannot use macros.
/// Thread-safe.
///
/// # Safety
/// `cfg` is NULL or has room for `struct_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newt_config_init(cfg: *mut newt_config, struct_size: usize) {
    if cfg.is_null() || !(SIZE_MIN..=SIZE_MAX).contains(&struct_size) {
        return;
    }
    let mut defaults = DEFAULTS;
    defaults.struct_size = struct_size as u32;
    let known = struct_size.min(OWN_SIZE);
    // SAFETY: `cfg` has room for `struct_size` bytes by this function's
    // contract; `defaults` has `known` bytes, all initialised (the struct has
    // no padding: see the layout assertion below). Both are written as bytes,
    // so alignment does not matter.
    unsafe {
        let target = cfg.cast::<u8>();
        ptr::copy_nonoverlapping((&raw const defaults).cast::<u8>(), target, known);
        ptr::write_bytes(target.add(known), 0, struct_size - known);
    }
}

const _: () = assert!(
    OWN_SIZE == 14 * size_of::<u32>() + 2 * size_of::<usize>() + size_of::<usize>(),
    "newt_config has no padding"
);

/// Reads a configuration; NULL is the defaults.
///
/// # Safety
/// `cfg` is NULL or points to as many readable bytes as its `struct_size`
/// says (4 at least), and its pointers are as documented there.
pub(super) unsafe fn read(cfg: *const newt_config) -> Result<Config, Error> {
    if cfg.is_null() {
        return Ok(Config::default());
    }
    let refuse = |sentence: String| Err(Error::new(ErrorKind::Argument, sentence));
    // SAFETY: at least the first four bytes are readable by contract.
    let size = unsafe { cfg.cast::<u32>().read_unaligned() } as usize;
    if !(SIZE_MIN..=SIZE_MAX).contains(&size) || !ends_on_a_field(size) {
        return refuse(format!(
            "the configuration's struct_size is {size}; expected what newt_config_init writes ({OWN_SIZE} here)"
        ));
    }
    let mut own = MaybeUninit::new(DEFAULTS);
    let known = size.min(OWN_SIZE);
    // SAFETY: `size` bytes of `cfg` are readable by contract, and `own` has
    // OWN_SIZE. Fields beyond `known` keep their defaults; because `size` ends
    // on a field, none is half written. Any bytes are a valid newt_config.
    let own = unsafe {
        ptr::copy_nonoverlapping(cfg.cast::<u8>(), own.as_mut_ptr().cast::<u8>(), known);
        own.assume_init()
    };
    for at in known..size {
        // SAFETY: `at` is below `size`.
        if unsafe { cfg.cast::<u8>().add(at).read() } != 0 {
            return refuse(format!(
                "byte {at} of the configuration belongs to a field that this library ({}) does not know; expected 0",
                env!("CARGO_PKG_VERSION")
            ));
        }
    }
    if own.reserved != 0 {
        return refuse(format!("reserved is {}; expected 0", own.reserved));
    }
    if own.flags & !(NEWT_FLAG_RECEIPT | NEWT_FLAG_SHORTEN_ARGUMENTS) != 0 {
        return refuse(format!(
            "flags is {:#x}; expected no bit but NEWT_FLAG_RECEIPT and NEWT_FLAG_SHORTEN_ARGUMENTS",
            own.flags
        ));
    }
    let unknown = |field: &str, value: u32, last: u32| {
        Error::new(
            ErrorKind::Argument,
            format!("{field} is {value}; expected 0 to {last}"),
        )
    };
    let config = Config {
        keep_last: own.keep_last as usize,
        min_rounds: own.min_rounds as usize,
        format: match own.format {
            NEWT_FORMAT_AUTO => None,
            NEWT_FORMAT_CHAT => Some(Wire::Chat),
            NEWT_FORMAT_ANTHROPIC => Some(Wire::Anthropic),
            NEWT_FORMAT_RESPONSES => Some(Wire::Responses),
            NEWT_FORMAT_GEMINI => Some(Wire::Gemini),
            NEWT_FORMAT_BEDROCK => Some(Wire::Bedrock),
            other => return Err(unknown("format", other, NEWT_FORMAT_BEDROCK)),
        },
        results: match own.results {
            NEWT_RESULTS_ONE_LINED => Results::OneLined,
            NEWT_RESULTS_ANY => Results::Any,
            other => return Err(unknown("results", other, NEWT_RESULTS_ANY)),
        },
        grouping: match own.grouping {
            NEWT_GROUPING_RUNS => Grouping::Runs,
            NEWT_GROUPING_ALL => Grouping::All,
            other => return Err(unknown("grouping", other, NEWT_GROUPING_ALL)),
        },
        card: match own.card {
            NEWT_CARD_USER => Form::User,
            NEWT_CARD_ASSISTANT => Form::Assistant,
            NEWT_CARD_TOOL => Form::Tool,
            other => return Err(unknown("card", other, NEWT_CARD_TOOL)),
        },
        max_card_lines: own.max_card_lines as usize,
        note_chars: own.note_chars as usize,
        result_chars: own.result_chars as usize,
        min_reclaim: own.min_reclaim as usize,
        bytes_per_token: own.bytes_per_token as usize,
        receipt: own.flags & NEWT_FLAG_RECEIPT != 0,
        shorten_arguments: own.flags & NEWT_FLAG_SHORTEN_ARGUMENTS != 0,
        fetch_tool: if own.fetch_tool.is_null() {
            "memory_fetch".to_owned()
        } else {
            // SAFETY: a string with a NUL, by the field's documentation.
            unsafe { name(own.fetch_tool, "fetch_tool")? }
        },
        keep_tools: {
            if own.keep_tools.is_null() && own.keep_tools_len > 0 {
                return refuse(format!(
                    "keep_tools is NULL, but keep_tools_len is {}; expected 0",
                    own.keep_tools_len
                ));
            }
            let mut names = Vec::new();
            for index in 0..own.keep_tools_len {
                // SAFETY: `keep_tools` has `keep_tools_len` entries.
                let entry = unsafe { own.keep_tools.add(index).read_unaligned() };
                names.try_reserve(1)?;
                // SAFETY: each entry is NULL or a string with a NUL.
                names.push(unsafe { name(entry, "an entry of keep_tools")? });
            }
            names
        },
    };
    config.check()?;
    Ok(config)
}

/// Longest name of a tool that is read, in bytes.
const NAME_MAX: usize = 1024;

/// Reads a name that ends with a NUL.
///
/// # Safety
/// `text` is NULL or readable up to its NUL, or for NAME_MAX bytes.
unsafe fn name(text: *const c_char, field: &str) -> Result<String, Error> {
    let refuse = |what: &str| Err(Error::new(ErrorKind::Argument, format!("{field} {what}")));
    if text.is_null() {
        return refuse("is NULL; expected a tool's name");
    }
    let mut bytes = Vec::new();
    loop {
        // SAFETY: no NUL was met so far, so this byte is readable by contract.
        let byte = unsafe { text.cast::<u8>().add(bytes.len()).read() };
        if byte == 0 {
            break;
        }
        if bytes.len() == NAME_MAX {
            return refuse("is longer than 1,024 bytes; expected a tool's name with a NUL");
        }
        bytes.try_reserve(1)?;
        bytes.push(byte);
    }
    String::from_utf8(bytes).or_else(|_| refuse("is no UTF-8; expected a tool's name"))
}
