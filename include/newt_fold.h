// newt_fold: keep a long agent session inside its context window, without
// losing a byte and without calling a model.
//
// A transcript grows with every tool call, and old tool rounds are paid for on
// every request. newt_fold() replaces aged tool rounds by a short card that
// names a handle; the removed messages stay retrievable, verbatim, from storage
// that the host owns: a callback, the mint, stores them and returns the handle.
// A host without storage passes newt_store_mint and a newt_store.
//
//     static int32_t mint(void *dir, const char *span, size_t span_len,
//                         char *handle, size_t handle_cap, size_t *handle_len);
//
//     newt_config cfg;
//     newt_config_init(&cfg, sizeof cfg);
//     cfg.results = NEWT_RESULTS_ANY;
//     const newt_outcome *out = newt_fold(json, json_len, &cfg, mint, dir);
//     if (out->status == NEWT_OK)
//         send_request(out->json, out->json_len);
//     else
//         fprintf(stderr, "%s: %s\n", newt_status_name(out->status), out->error);
//     newt_outcome_free(out);
//
// Words. A round is the message that makes tool calls and the messages directly
// behind it that answer them; it is complete when every call is answered exactly
// once. The horizon is the number of messages minus keep_last; a round wholly
// before it is aged. A run is a stretch of rounds with nothing between. A span
// is what one card replaces. Only whole, complete, aged rounds ever go.
//
// Conventions. Lengths are bytes and rule; strings the library returns have a
// NUL as well. What a function takes is borrowed until it returns. What it
// returns as a pointer to const the caller frees with the function named there,
// never with free(). Every function may be called from any thread at any time
// unless its comment says otherwise. Nothing here exits, and nothing prints but
// a panic of the library's own, one line, which the call survives. Memory that
// runs out for what grows with a document is NEWT_ERR_MEMORY; only a system
// without a few bytes left ends the process. Structs grow at the end only;
// fields and functions that came later say since when. Text is UTF-8 everywhere.
//
// Order. The numbers, newt_config, newt_outcome, the two callbacks, newt_text,
// statuses and verdicts; then the functions: versions, newt_config_init, fold,
// prune, expand, free, estimate, and the store.

#ifndef NEWT_FOLD_VERSION_NUMBER
#define NEWT_FOLD_VERSION_MAJOR 1
#define NEWT_FOLD_VERSION_MINOR 0
#define NEWT_FOLD_VERSION_PATCH 0
// NEWT_FOLD_VERSION_MAJOR << 16 | NEWT_FOLD_VERSION_MINOR << 8 | NEWT_FOLD_VERSION_PATCH
#define NEWT_FOLD_VERSION_NUMBER \
    (NEWT_FOLD_VERSION_MAJOR << 16 | NEWT_FOLD_VERSION_MINOR << 8 | NEWT_FOLD_VERSION_PATCH)
#define NEWT_FOLD_ABI_VERSION 1
#endif

#include <stddef.h>
#include <stdint.h>


#ifndef NEWT_FOLD_H
#define NEWT_FOLD_H

// The format is found out from the document: see newt_config.format.
#define NEWT_FORMAT_AUTO 0

// OpenAI chat completions, and Mistral, Ollama, SWE-agent, which follow it.
#define NEWT_FORMAT_CHAT 1

// Anthropic messages.
#define NEWT_FORMAT_ANTHROPIC 2

// OpenAI responses.
#define NEWT_FORMAT_RESPONSES 3

// Gemini contents.
#define NEWT_FORMAT_GEMINI 4

// Amazon Bedrock's Converse messages.
#define NEWT_FORMAT_BEDROCK 5

// Only rounds fold whose results are one line of the grammar already:
// `[name] … -> ok, …` or `[name] … -> error, …`.
#define NEWT_RESULTS_ONE_LINED 0

// Any complete round folds; the card says in one line what each result was.
#define NEWT_RESULTS_ANY 1

// One card for each run of rounds, where the run stood. Nothing moves across
// a user's or an assistant's message, and older cards stay as they are as
// long as possible, because providers cache by prefix.
#define NEWT_GROUPING_RUNS 0

// One card for every round of the transcript, where the first of them stood:
// the smallest document, rewritten from its first card on by every fold.
#define NEWT_GROUPING_ALL 1

// The card is a user's message. It lifts tool text to a user's authority:
// with tools whose output is not trusted, take NEWT_CARD_TOOL.
#define NEWT_CARD_USER 0

// The card is an assistant's message. A last resort: it invites models to
// write cards themselves.
#define NEWT_CARD_ASSISTANT 1

// The card is a call of the fetch tool and its result, two messages: tool
// text keeps a tool's trust, user and assistant alternate as before, and the
// model sees how the fetch tool is called.
#define NEWT_CARD_TOOL 2

// Bit 0 of `flags`: newt_outcome.receipt is wanted.
#define NEWT_FLAG_RECEIPT 1

// Bit 1 of `flags`: newt_prune also shortens long strings inside the
// arguments of aged calls, so that the arguments still parse. Off by default,
// because some providers compare what they get with what they sent.
#define NEWT_FLAG_SHORTEN_ARGUMENTS 2

// There is room: nothing to do.
#define NEWT_PRESSURE_BELOW 0

// A fold pays: half of the budget is used.
#define NEWT_PRESSURE_FOLD 1

// Three quarters of the budget are used. Where a fold has just been made, only
// a summary helps, or a new session.
#define NEWT_PRESSURE_SUMMARY 2

// Where a fetch callback writes a span. Opaque; it exists only while the
// callback runs, for the thread that runs it.
typedef struct newt_sink newt_sink;

// Spans kept in an SQLite file or in memory, for hosts without storage of
// their own. Opaque; made by newt_store_open, freed by newt_store_close.
//
// A store serves one *session*: what another session minted, even of the
// same text into the same file, is not found in it. Every function takes
// NULL for the process's own store, which is in memory, is made on first
// use, and is gone at exit: for trying things out.
//
// Thread-safe: any threads may share one, and any processes one file.
// Mints into one file take turns; a fetch waits for none of them. Not usable
// in the child after fork(); open another there.
//
// A library built without the store (cargo feature `store`) has these functions
// too: newt_store_open still gives a store, which declines every mint and fails
// every fetch and answer with NEWT_ERR_STORE. newt_fetch_tool_json works as ever.
typedef struct newt_store newt_store;

// What became of a call. 0 is success.
typedef int32_t newt_status;

// What a fold may do. NULL stands for the defaults wherever one is taken.
//
// Made by newt_config_init, then changed field by field; borrowed until the
// call that takes it returns, strings and all. May be used from any threads
// at once while nobody writes to it.
//
// A program built against an older or a newer header works: fields beyond
// `struct_size` take their defaults; bytes beyond the library's own size must
// be 0. `struct_size` is 4 to 4,096 and ends on a field. Anything else that is
// out of range answers NEWT_ERR_ARGUMENT, with a sentence.
typedef struct newt_config {
    // Bytes of this struct, as the program knows it. Set by newt_config_init.
    uint32_t struct_size;
    // Messages at the end that are never touched; a round that reaches into them
    // stays whole. Default 12; 0 keeps none.
    uint32_t keep_last;
    // Nothing changes unless at least this many rounds would go, over all
    // cards. Default 2; 0 means 1.
    uint32_t min_rounds;
    // NEWT_FORMAT_AUTO (default), _CHAT, _ANTHROPIC, _RESPONSES, _GEMINI or
    // _BEDROCK. AUTO takes the first tell-tale in the messages: `parts` is
    // Gemini's; items of type `function_call`, `custom_tool_call`, their
    // outputs and `reasoning` are those of Responses; `tool_use` and
    // `tool_result` blocks Anthropic's; `tool_calls` and `role:"tool"` CHAT's;
    // `toolUse` and `toolResult` Bedrock's. A request body's `input` is
    // Responses, its `contents` Gemini. None of them: CHAT.
    uint32_t format;
    // NEWT_RESULTS_ONE_LINED (default) or NEWT_RESULTS_ANY.
    uint32_t results;
    // NEWT_GROUPING_RUNS (default) or NEWT_GROUPING_ALL.
    uint32_t grouping;
    // NEWT_CARD_USER (default), NEWT_CARD_ASSISTANT or NEWT_CARD_TOOL.
    //
    // Which form a provider's rules admit:
    //                         USER    ASSISTANT        TOOL
    //     OpenAI chat         yes     yes              yes
    //     Mistral, Gemma,     no      no               yes
    //       Bedrock, others that insist on alternation
    //     Anthropic           yes     without          without
    //                                 thinking         thinking
    //     OpenAI responses    yes     yes              yes
    //     Gemini              yes     no               yes, with the documented
    //                                                  placeholder for a signature
    //
    // ASSISTANT and TOOL cards are not written after the last user message of
    // a transcript whose messages there carry reasoning: providers want it
    // back on every turn of an open loop. Those rounds stay.
    uint32_t card;
    // Lines of rounds in a card; older ones become one tally line. Default
    // 64, at least 1.
    uint32_t max_card_lines;
    // Characters of an assistant's prose beside its calls that the card
    // keeps. Default 120; 0 keeps none.
    uint32_t note_chars;
    // With NEWT_RESULTS_ANY: a one-line result of at most this many
    // characters is shown whole. Default 0.
    uint32_t result_chars;
    // Estimated tokens that a fold must win to happen at all. Default 0.
    uint32_t min_reclaim;
    // Bytes of UTF-8 that make a token in the estimate. Default 4, at least 1.
    //
    // With 4, on a real coding session of 914 messages, in five wire formats,
    // the estimate lies 3 to 15 % above what the tokenizers o200k and cl100k
    // count in its texts, which is about what providers bill, and 15 to 22 %
    // below what they count in its JSON. Transcripts full of program text and
    // numbers come out some 5 % short, those that are mostly encrypted
    // reasoning 40 %. Take 3 where a full window does harm.
    uint32_t bytes_per_token;
    // Bits: NEWT_FLAG_RECEIPT, NEWT_FLAG_SHORTEN_ARGUMENTS. Default 0; unknown
    // bits are refused.
    uint32_t flags;
    // Must be 0.
    uint32_t reserved;
    // The tool that a card tells the model to call, 1 to 64 of `A-Z a-z 0-9 _
    // -`, with a NUL. NULL (default) is "memory_fetch"; "" says that none is
    // declared, and the card names its handle alone.
    const char *fetch_tool;
    // Names of tools, each with a NUL and none of them NULL: rounds that call
    // one of them never fold and are never pruned. NULL (default) only where
    // `keep_tools_len` is 0.
    const char *const *keep_tools;
    // Entries in `keep_tools`. Default 0.
    size_t keep_tools_len;
} newt_config;

// Why rounds_folded is what it is.
typedef uint32_t newt_verdict;

// What a call did. Owned by the library, read-only, one allocation.
//
// Free it with newt_outcome_free, on any thread; never copy it by value,
// never give it to free(). May be read from any threads at once. Every string
// has a NUL after its last byte, so that printf("%s") works; lengths rule.
// After a refusal every count is 0 and every string but error is NULL.
typedef struct newt_outcome {
    // NEWT_OK, or why the call was refused.
    newt_status status;
    // Why rounds_folded is what it is; NEWT_VERDICT_NONE unless status is
    // NEWT_OK.
    newt_verdict verdict;
    // The document after the call: UTF-8 JSON. NULL unless status is NEWT_OK.
    const char *json;
    // Bytes in json, its NUL not counted.
    size_t json_len;
    // The handle of the newest card that this call wrote, or of what newt_prune
    // replaced; NULL if none.
    const char *handle;
    // Bytes in handle, its NUL not counted.
    size_t handle_len;
    // A sentence: what was expected, what was found, where, what to do. NULL
    // if status is NEWT_OK.
    const char *error;
    // The byte of the input at fault; SIZE_MAX if there is none.
    size_t error_offset;
    // Complete rounds before the horizon that the configuration admits; rounds
    // inside cards are not counted. newt_expand leaves it 0.
    size_t rounds_eligible;
    // Rounds that this call folded or pruned.
    size_t rounds_folded;
    // Cards that stand in json, older ones counted.
    size_t cards;
    // Messages of the input.
    size_t messages_before;
    // Messages in json.
    size_t messages_after;
    // Estimated tokens of the input: see bytes_per_token.
    size_t tokens_before;
    // Estimated tokens of json.
    size_t tokens_after;
    // Bytes at the start of json that equal the input's: what a provider's
    // prefix cache can still use.
    size_t prefix_len;
    // What went, what stayed and why, as JSON that
    // newt_fold_receipt.schema.json describes; NULL unless NEWT_FLAG_RECEIPT
    // asked for it and status is NEWT_OK. newt_expand writes none.
    const char *receipt;
    // Bytes in receipt, its NUL not counted.
    size_t receipt_len;
} newt_outcome;

// Gives a span a handle: the host's storage.
//
// Called on the thread that called newt_fold, before newt_fold returns, once
// a card, in document order, and only when the fold is sure to go ahead; by
// newt_prune once. It is never kept, and may call the library again.
//
// `user_data` is the pointer given to newt_fold. `span` is what one card
// replaces, JSON Lines: one message a line, verbatim, a line feed between two
// and none after the last, no NUL in it, borrowed until the mint returns.
// `handle` has room for `handle_cap` bytes (256); `*handle_len` is 0.
//
// Store the span, durably, then write 1 to 256 bytes of
// `A-Z a-z 0-9 . _ ~ : / @ = + -` to `handle`, their number to `*handle_len`,
// and return 0. Returning 0 with anything else is NEWT_ERR_HANDLE. Any other
// return declines: the document comes back as it was, and spans minted before
// in the same call stay unused.
//
// A C++ exception may leave a mint: newt_fold frees what it holds, and its
// caller catches it. longjmp() out of a mint is undefined.
typedef int32_t (*newt_mint_fn)(void *user_data,
                                const char *span,
                                size_t span_len,
                                char *handle,
                                size_t handle_cap,
                                size_t *handle_len);

// Gives a span back: writes what is kept under `handle` to `sink` with
// newt_sink_write, in as many pieces as it likes, and returns NEWT_OK.
//
// NEWT_ERR_NOT_FOUND says that nothing is kept under this handle: its card
// stays. Any other status fails the expansion with NEWT_ERR_STORE.
//
// `user_data` is what the host passed beside the callback, NULL included.
// `handle` is bare, as the mint gave it, without `compaction:`, `spill:` or
// `#n`; it has a NUL after its last byte, and is borrowed for the call like
// `sink`. The callback runs on the caller's thread before the
// function that took it returns, and may call the library.
typedef newt_status (*newt_fetch_fn)(void *user_data,
                                     const char *handle,
                                     size_t handle_len,
                                     struct newt_sink *sink);

// A text that the library owns, read-only; free it with newt_text_free.
//
// One allocation. Every string in it has a NUL after its last byte; the
// length rules.
typedef struct newt_text {
    // NEWT_OK, or why there is no text.
    newt_status status;
    // The text, UTF-8; NULL unless `status` is NEWT_OK.
    const char *text;
    // Bytes in `text`, its NUL not counted.
    size_t text_len;
    // A sentence on what went wrong; NULL if nothing did.
    const char *error;
} newt_text;

// The call did what it says.
#define NEWT_OK 0

// An argument or a configuration field is out of range.
#define NEWT_ERR_ARGUMENT 1

// The document, or another text that was passed, is not UTF-8.
#define NEWT_ERR_UTF8 2

// The document is not JSON.
#define NEWT_ERR_JSON 3

// The document is JSON, but neither an array nor a request body.
#define NEWT_ERR_TRANSCRIPT 4

// A stated limit was reached: newt_expand's.
#define NEWT_ERR_LIMIT 5

// The mint returned success with an unusable handle.
#define NEWT_ERR_HANDLE 6

// The store, or a fetch callback, failed; or the store is not in this build.
#define NEWT_ERR_STORE 7

// Nothing is held under this handle.
#define NEWT_ERR_NOT_FOUND 8

// Memory ran out; nothing was changed.
#define NEWT_ERR_MEMORY 9

// A defect of the library: it caught a panic of its own. Please report it.
#define NEWT_ERR_PANIC 100

// The status is not NEWT_OK.
#define NEWT_VERDICT_NONE 0

// The document changed.
#define NEWT_VERDICT_FOLDED 1

// Fewer than min_rounds rounds would go; the document is as it was.
#define NEWT_VERDICT_NOTHING 2

// The document would not have become smaller, or not by min_reclaim tokens;
// it is as it was.
#define NEWT_VERDICT_NOT_SMALLER 3

// The mint declined; the document is as it was.
#define NEWT_VERDICT_DECLINED 4

// The mint was NULL, and with one a fold would go ahead; the document is as
// it was, and rounds_folded is 0. cards, messages_after and tokens_after are
// those of the fold, with handles of 64 bytes: shorter ones win a little more.
#define NEWT_VERDICT_PLANNED 5

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The name of a status, as in this header: "NEWT_ERR_JSON".
//
// Never NULL: an unknown number is "NEWT_ERR_UNKNOWN". The string is static.
// Thread-safe.
const char *newt_status_name(newt_status status);

// The version of the library that is loaded, "1.0.0". Static, never NULL.
// Thread-safe.
const char *newt_version(void);

// `major << 16 | minor << 8 | patch` of the library that is loaded.
//
// Compare it with NEWT_FOLD_VERSION_NUMBER, the version of this header, when
// the program starts: a field of newt_outcome marked *since 1.n* may be read
// only from a library at least that new. Thread-safe.
uint32_t newt_version_number(void);

// The ABI that the loaded library speaks; NEWT_FOLD_ABI_VERSION here.
//
// It changes only when a program built against an older header can no longer
// call the library. Thread-safe.
uint32_t newt_abi_version(void);

// Fills `cfg` with the defaults, for a struct of `struct_size` bytes: pass
// `sizeof(newt_config)`.
//
// Writes exactly `struct_size` bytes, zeroes where this library knows no
// field. With a NULL `cfg` or a size under 4 or over 4,096 it writes nothing.
// A function and no macro, because Swift and cgo cannot use macros.
// Thread-safe.
void newt_config_init(struct newt_config *cfg, size_t struct_size);

// Folds the aged tool rounds of a transcript into cards.
//
// `json`: `json_len` bytes of UTF-8 JSON, an array of messages or a whole
// request body with `messages`, `input` or `contents`; only read, borrowed
// until the call returns; a leading byte-order mark is fine. NULL with a length
// is NEWT_ERR_ARGUMENT, with length 0 an empty document (NEWT_ERR_JSON).
// `cfg`: NULL is the defaults. `mint`: NULL plans, and stores nothing
// (NEWT_VERDICT_PLANNED). `user_data`: handed to the mint, may be NULL.
//
// Returns an outcome, never NULL, that the caller frees. Messages that do not
// fold come out byte for byte; where nothing folds, the whole document does.
// A refusal changes nothing: NEWT_ERR_ARGUMENT, _UTF8, _JSON, _TRANSCRIPT,
// _HANDLE, _MEMORY. A mint that declines is none: the status is NEWT_OK, the
// verdict NEWT_VERDICT_DECLINED.
//
// Thread-safe: it keeps no state, reads no clock, starts no thread and does no
// input or output; the same input, configuration and handles give the same
// bytes.
const struct newt_outcome *newt_fold(const char *json,
                                     size_t json_len,
                                     const struct newt_config *cfg,
                                     newt_mint_fn mint,
                                     void *user_data);

// Reduces the results of aged rounds to one line each, in place.
//
// No message comes or goes; no role, id, call, signature or error flag
// changes; the last `keep_last` messages stay as they are. Only what is
// smaller in one line is replaced, so that pruning again changes nothing. A
// later result that says the same as an earlier one refers to it. With
// NEWT_FLAG_SHORTEN_ARGUMENTS, strings of more than 256 bytes inside aged
// calls' arguments are cut too, and the arguments still parse.
//
// The mint is called once, with everything that was replaced: one JSON value
// a line. Each one-liner names its line, `... (spill:HANDLE#n)`, counted from
// 1; pictures beside a Gemini response are the line behind it. newt_fold folds
// what newt_prune made; newt_expand restores it.
//
// The parameters, the outcome and the errors are newt_fold's; rounds_folded
// is the number of rounds in which something was replaced. `min_rounds`,
// `results`, `grouping` and `card` do not matter; `min_reclaim`,
// `result_chars` and `keep_tools` do. Thread-safe.
const struct newt_outcome *newt_prune(const char *json,
                                      size_t json_len,
                                      const struct newt_config *cfg,
                                      newt_mint_fn mint,
                                      void *user_data);

// Appends `len` bytes to what a fetch callback gives back.
//
// To be called only inside the callback, with the sink that it was given. The
// bytes are copied. NULL with a length, too many bytes, or no memory for
// them is remembered by the sink and fails the expansion, whatever status
// the callback then returns. NULL with 0 writes nothing, so does a NULL sink.
void newt_sink_write(struct newt_sink *sink, const char *bytes, size_t len);

// Puts back what was folded and pruned: cards become their spans again,
// one-lined results their originals, repeatedly.
//
// A transcript folded in RUNS grouping comes back byte for byte, if all
// separators between its messages are the same and no message holds a raw
// line break; otherwise equal as JSON. In ALL grouping every message comes
// back, those of later runs where the card stood.
//
// `json` and `cfg`: as newt_fold; only `format`, `bytes_per_token` and the
// checks of the other fields matter. `fetch` is asked for each handle, on this
// thread; NULL has nothing. A card whose handle is not found stays, and is
// counted in `cards`. `user_data`: handed to the fetch, may be NULL.
//
// Returns an outcome, never NULL, that the caller frees; the verdict is
// NEWT_VERDICT_FOLDED where something came back, else NEWT_VERDICT_NOTHING.
// Errors: newt_fold's; NEWT_ERR_STORE where the fetch failed, or gave what no
// mint was given; NEWT_ERR_LIMIT over 4 GiB (1 GiB on 32 bits). Any depth is
// fine. Thread-safe.
const struct newt_outcome *newt_expand(const char *json,
                                       size_t json_len,
                                       const struct newt_config *cfg,
                                       newt_fetch_fn fetch,
                                       void *user_data);

// Frees an outcome and every string in it. NULL is fine.
//
// Thread-safe; each outcome is freed once, on any thread.
void newt_outcome_free(const struct newt_outcome *outcome);

// Frees a text. NULL is fine.
//
// Thread-safe; each text is freed once, on any thread.
void newt_text_free(const struct newt_text *text);

// Estimates the tokens of a transcript or request body, everything in it
// counted, as newt_fold does in tokens_before.
//
// Bytes of UTF-8 divided by `cfg`'s bytes_per_token, rounded up; base64 of a
// picture or document counts for at most 1,600 tokens, because providers bill
// pictures by their size in pixels. `json` and `cfg`: as newt_fold.
//
// Returns SIZE_MAX where newt_fold would refuse the document or the
// configuration, and says no more: call newt_fold for the sentence.
// Thread-safe.
size_t newt_estimate_tokens(const char *json, size_t json_len, const struct newt_config *cfg);

// Says how full a context window is: NEWT_PRESSURE_BELOW under half of the
// budget, NEWT_PRESSURE_FOLD from there on, NEWT_PRESSURE_SUMMARY from three
// quarters on.
//
// `tokens`: of the next request, estimated or counted. `budget`: what a
// request may hold, the answer's share taken off. Ask before a fold with
// tokens_before and after it with tokens_after: what stays at
// NEWT_PRESSURE_SUMMARY then is a floor that no fold lowers. A budget of 0 is
// full. Nothing but these two numbers counts. Thread-safe.
uint32_t newt_pressure(size_t tokens, size_t budget);

// Opens a session in the store at `path`.
//
// `path` is UTF-8, need not end in NUL, and names the file, which is created
// with mode 0600 where there is none; its folder must exist, on a local disk.
// Beside it stand `-wal` and `-shm` while it is open; none of the three may be
// moved or removed then. NULL is a private store in memory, gone when it is
// closed.
//
// `session` is UTF-8 and names the session: who opens the same file with the
// same name sees the same spans, in another process or after a crash. NULL is
// a new session that nothing else can open; in a file, what it held and did
// not forget stays behind after close, to be read with the sqlite3 program
// only. An empty name is refused.
//
// NULL goes with length 0. Both are borrowed for the call. Never NULL: a store
// that could not be opened declines every mint and fails every fetch,
// newt_store_state says why, and each call tries to open it again, since a full
// disk may have room by then (wrong arguments stay wrong). A file that is no
// store, or a store of a newer version, is refused and left as it is. To be
// closed with newt_store_close. Thread-safe.
struct newt_store *newt_store_open(const char *path,
                                   size_t path_len,
                                   const char *session,
                                   size_t session_len);

// The latest failure of this store, as a copy.
//
// NEWT_OK with an empty text if there was none. Otherwise its status, and in
// `error` its sentence: what failed, why, and what to do. It stays until a
// later failure replaces it; a success does not take it back, because another
// thread's success would. That an address is not found is no failure.
//
// `store` may be NULL. Never NULL; to be freed with newt_text_free.
// Thread-safe, and does not wait for a call that is writing.
const struct newt_text *newt_store_state(struct newt_store *store);

// Keeps a span: a newt_mint_fn, to be passed with a newt_store * (or NULL) as
// its `user_data`.
//
// Returns 0 once the span is on the disk, with its handle written: 8
// characters of `[a-z2-7]`, more where those are taken in the session, never
// more than 52. The same text in the same session has the same handle.
// Otherwise declines with the newt_status of the failure, which
// newt_store_state explains; nothing is written then.
//
// `span` is UTF-8. All pointers are borrowed for the call. Waits up to
// thirty seconds for another process that is writing. Thread-safe.
int32_t newt_store_mint(void *store,
                        const char *span,
                        size_t span_len,
                        char *handle,
                        size_t handle_cap,
                        size_t *handle_len);

// Gives a span back: a newt_fetch_fn, to be passed with a newt_store * (or
// NULL) as its `user_data`.
//
// NEWT_ERR_NOT_FOUND for a handle that this session does not hold; another
// status, explained by newt_store_state, where the store failed or the span
// is damaged. Nothing is written to `sink` unless NEWT_OK is returned.
//
// All pointers are borrowed for the call. Thread-safe.
newt_status newt_store_load(void *store,
                            const char *handle,
                            size_t handle_len,
                            struct newt_sink *sink);

// The span under `address`, byte for byte as it was minted.
//
// `address` is the handle in a card or the span's content id, bare or after
// `compaction:` or `spill:`, without `#n`: a spill comes whole, and `n` is a
// line of it, counted from 1. It need not end in NUL and is borrowed for the
// call. `store` may be NULL.
//
// NEWT_ERR_NOT_FOUND where this session holds nothing under it, and the same
// for a malformed address and for another session's. NEWT_ERR_STORE where the
// store failed or the span does not match its content id any more; the
// sentence says which. Never NULL; to be freed with newt_text_free.
// Thread-safe.
const struct newt_text *newt_store_fetch(struct newt_store *store,
                                         const char *address,
                                         size_t address_len);

// Answers a model's call of the fetch tool (newt_fetch_tool_json).
//
// `arguments_json` is the arguments of the call, as the model wrote them:
// `address`, and if it likes `grep`, `offset` and `limit`. The text is the
// tool's result, to be sent back as it is: the span with the cards in it
// expanded, or the part asked for, at most 16 KiB unless `limit` says
// otherwise (4 to 64 KiB; what is outside is brought inside). Where there is
// a next part, the last line is a note with the exact call for it. Parts
// without their notes, put together, are the text, byte for byte.
//
// Bad arguments, an unknown address and a store that failed are answered too,
// with NEWT_OK and a text that tells the model what to do; newt_store_state
// has the failure for the host. Only NULL with a length, arguments that are
// not UTF-8, memory that ran out, and a library without a store are errors
// here.
//
// `store` may be NULL. `arguments_json` is borrowed for the call. Never NULL;
// to be freed with newt_text_free. Thread-safe.
const struct newt_text *newt_store_answer(struct newt_store *store,
                                          const char *arguments_json,
                                          size_t arguments_len);

// The definition of the fetch tool, ready to stand among a request's tools:
// one element of `tools`, or of Gemini's `functionDeclarations`.
//
// `cfg`: its `format` (NEWT_FORMAT_AUTO is CHAT) and `fetch_tool`; NULL is
// the defaults. NEWT_ERR_ARGUMENT where the configuration is out of range, or
// its fetch_tool is "". Never NULL; to be freed with newt_text_free.
// Thread-safe.
//
// newt_store_answer answers its calls. A host with a mint of its own answers
// them itself: `address` is `compaction:` and a handle, or `spill:`, a handle,
// `#` and a line; `grep`, `offset` and `limit` may stand beside it, as the
// definition tells the model.
const struct newt_text *newt_fetch_tool_json(const struct newt_config *cfg);

// Removes this session's spans and returns their space to the file system.
//
// What was removed is overwritten first. Handles minted before are not found
// any more; the store can be used on. `store` may be NULL.
//
// NEWT_ERR_STORE, explained by newt_store_state, where it failed, or where
// the spans are gone but another process that was reading kept their space;
// calling again returns it. Thread-safe.
newt_status newt_store_forget(struct newt_store *store);

// Closes a store: the last call on it, when no other is running.
//
// A file keeps its spans. NULL does nothing: the process's own store stays.
void newt_store_close(struct newt_store *store);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* NEWT_FOLD_H */
