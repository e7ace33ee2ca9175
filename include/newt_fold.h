// newt_fold: keep a long agent session inside its context window, without
// losing a byte and without calling a model.
//
// A transcript grows with every tool call, and old tool rounds are paid for on
// every request. newt_fold() replaces aged tool rounds by a short card that
// names a handle; the removed messages stay retrievable, verbatim, from storage
// that the host owns: a callback, the mint, stores them and returns the handle.
//
//     static int32_t mint(void *dir, const char *span, size_t span_len,
//                         char *handle, size_t handle_cap, size_t *handle_len);
//
//     newt_config cfg;
//     newt_config_init(&cfg, sizeof cfg);
//     cfg.results = NEWT_RESULTS_ANY;
//     const newt_outcome *out = newt_fold(json, json_len, &cfg, mint, dir);
//     if (out->status == NEWT_OK)
//         send(out->json, out->json_len);
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
// unless its comment says otherwise. Nothing here prints, exits or aborts.
// Structs grow at the end only; fields and functions that came later say since
// when. Text is UTF-8 everywhere.

#ifndef NEWT_FOLD_VERSION_NUMBER
#define NEWT_FOLD_VERSION_MAJOR 0
#define NEWT_FOLD_VERSION_MINOR 1
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

// The format is found out from the document (see the formats below).
#define NEWT_FORMAT_AUTO 0

// OpenAI chat completions, and Mistral, Ollama, SWE-agent, which follow it.
#define NEWT_FORMAT_CHAT 1

// Anthropic messages.
#define NEWT_FORMAT_ANTHROPIC 2

// OpenAI responses.
#define NEWT_FORMAT_RESPONSES 3

// Gemini contents.
#define NEWT_FORMAT_GEMINI 4

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
    // Messages at the end that are never touched. Default 12.
    uint32_t keep_last;
    // Nothing changes unless at least this many rounds would go, over all
    // cards. Default 2; 0 means 1.
    uint32_t min_rounds;
    // NEWT_FORMAT_AUTO (default), _CHAT, _ANTHROPIC, _RESPONSES or _GEMINI.
    uint32_t format;
    // NEWT_RESULTS_ONE_LINED (default) or NEWT_RESULTS_ANY.
    uint32_t results;
    // NEWT_GROUPING_RUNS (default) or NEWT_GROUPING_ALL.
    uint32_t grouping;
    // NEWT_CARD_USER (default), NEWT_CARD_ASSISTANT or NEWT_CARD_TOOL.
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
    uint32_t bytes_per_token;
    // Bits: NEWT_FLAG_RECEIPT, NEWT_FLAG_SHORTEN_ARGUMENTS. Default 0; unknown bits are refused.
    uint32_t flags;
    // 0.
    uint32_t reserved;
    // The tool that a card tells the model to call, 1 to 64 of `A-Z a-z 0-9 _
    // -`, with a NUL. NULL (default) is "memory_fetch"; "" says that none is
    // declared, and the card names its handle alone.
    const char *fetch_tool;
    // Names of tools, each with a NUL: rounds that call one of them never
    // fold. NULL (default) if `keep_tools_len` is 0.
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
typedef struct newt_outcome {
    // NEWT_OK, or why the call was refused.
    newt_status status;
    // Why rounds_folded is what it is; NEWT_VERDICT_NONE unless status is
    // NEWT_OK.
    newt_verdict verdict;
    // The document, folded: UTF-8 JSON. NULL unless status is NEWT_OK.
    const char *json;
    // Bytes in json, its NUL not counted.
    size_t json_len;
    // The handle of the newest card that this call wrote; NULL if none.
    const char *handle;
    // Bytes in handle, its NUL not counted.
    size_t handle_len;
    // A sentence: what was expected, what was found, where, what to do. NULL
    // if status is NEWT_OK.
    const char *error;
    // The byte of the input at fault; SIZE_MAX if there is none.
    size_t error_offset;
    // Complete rounds before the horizon that the configuration admits.
    size_t rounds_eligible;
    // Rounds that this call output.
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
    // What went, what stayed and why, as JSON; NULL unless NEWT_FLAG_RECEIPT
    // asked for it and status is NEWT_OK.
    const char *receipt;
    // Bytes in receipt, its NUL not counted.
    size_t receipt_len;
} newt_outcome;

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

// The document is not UTF-8.
#define NEWT_ERR_UTF8 2

// The document is not JSON.
#define NEWT_ERR_JSON 3

// The document is JSON, but no transcript.
#define NEWT_ERR_TRANSCRIPT 4

// A stated limit was reached.
#define NEWT_ERR_LIMIT 5

// The mint returned success with an unusable handle.
#define NEWT_ERR_HANDLE 6

// The store, or a fetch callback, failed.
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
// it was, the counts (rounds_folded aside, which is 0) as if output.
#define NEWT_VERDICT_PLANNED 5

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The name of a status, as in this header: "NEWT_ERR_JSON".
//
// Never NULL: an unknown number is "NEWT_ERR_UNKNOWN". The string is static.
// Thread-safe.
const char *newt_status_name(newt_status status);

// The version as a sentence-free string, "0.1.0". Static, never NULL.
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
// until the call returns; a leading byte-order mark is fine; NULL only with
// length 0, which is an empty document (NEWT_ERR_JSON).
// `cfg`: NULL is the defaults. `mint`: NULL plans, and stores nothing
// (NEWT_VERDICT_PLANNED). `user_data`: handed to the mint, may be NULL.
//
// Returns an outcome, never NULL, that the caller frees. Messages that do not
// fold come out byte for byte; where nothing folds, the whole document does.
// A refusal changes nothing: NEWT_ERR_ARGUMENT, _UTF8, _JSON, _TRANSCRIPT,
// _HANDLE, _MEMORY.
//
// Thread-safe: it keeps no state, reads no clock, starts no thread and does no
// input or output; the same input, configuration and handles give the same
// bytes.
const struct newt_outcome *newt_fold(const char *json,
                                     size_t json_len,
                                     const struct newt_config *cfg,
                                     newt_mint_fn mint,
                                     void *user_data);

// Frees an outcome and every string in it. NULL is fine.
//
// Thread-safe; each outcome is freed once, on any thread.
void newt_outcome_free(const struct newt_outcome *outcome);

// Frees a text. NULL is fine.
//
// Thread-safe; each text is freed once, on any thread.
void newt_text_free(const struct newt_text *text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* NEWT_FOLD_H */
