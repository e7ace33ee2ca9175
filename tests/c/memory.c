/* Every allocation fails once, from the first to the last: the library answers
 * NEWT_ERR_MEMORY, never aborts, and gives back what it held.
 *
 * Linked with --wrap for malloc and its kin. An allocation counts when it has
 * LARGE bytes or more; each input below makes something else large. */
#define _POSIX_C_SOURCE 200809L
#include "newt_fold.h"

#include "check.h"
#include "transcript.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE 4096
#define MANY 1000

/* ---- malloc that fails when told to ------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);

static size_t countdown; /* 0: none fails */

static int fails(size_t size)
{
    return size >= LARGE && countdown > 0 && --countdown == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(count * size) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails(size) ? NULL : __real_realloc(old, size);
}

int __wrap_posix_memalign(void **out, size_t align, size_t size)
{
    return fails(size) ? ENOMEM : __real_posix_memalign(out, align, size);
}

/* ---- inputs --------------------------------------------------------------- */

#define CAP ((size_t)8 << 20)

/* Long text with escapes, so that decoding it needs memory of its own. */
static char long_text[24000];

static void add(struct transcript *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(t->json + t->len, CAP - t->len, format, args);
    va_end(args);
    CHECK(len >= 0 && (size_t)len < CAP - t->len);
    t->len += (size_t)len;
}

static void many_rounds(struct transcript *t)
{
    for (int i = 0; i < MANY; i++)
        add(t, ",{\"role\":\"assistant\",\"content\":\"step\",\"tool_calls\":[{\"id\":\"c\",\"function\":"
               "{\"name\":\"read\",\"arguments\":\"{}\"}}]},"
               "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"%0300d\"}", i);
}

static void many_runs(struct transcript *t)
{
    for (int i = 0; i < MANY; i++)
        add(t, ",{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\",\"function\":"
               "{\"name\":\"read\",\"arguments\":\"{}\"}}]},"
               "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"%0500d\"},"
               "{\"role\":\"user\",\"content\":\"go on\"}", i);
}

/* Cards of more text than a fold remembers. */
static void long_notes(struct transcript *t)
{
    for (int i = 0; i < MANY; i++) {
        int note = i % 50 ? 1500 : 6000;
        add(t, ",{\"role\":\"assistant\",\"content\":\"%.*s\",\"tool_calls\":[{\"id\":\"c\",\"function\":"
               "{\"name\":\"read\",\"arguments\":\"{}\"}}]},"
               "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"%0*d\"},"
               "{\"role\":\"user\",\"content\":\"go on\"}", note, long_text, note, i);
    }
}

static void many_calls(struct transcript *t)
{
    for (int round = 0; round < 2; round++) {
        add(t, ",{\"role\":\"assistant\",\"tool_calls\":[");
        for (int i = 0; i < MANY; i++)
            add(t, "%s{\"id\":\"c%d\",\"function\":{\"name\":\"read\",\"arguments\":\"{}\"}}", i ? "," : "", i);
        add(t, "]}");
        for (int i = MANY; i-- > 0;)
            add(t, ",{\"role\":\"tool\",\"tool_call_id\":\"c%d\",\"content\":\"seen\"}", i);
    }
}

static void long_everything(struct transcript *t)
{
    for (int i = 0; i < 3; i++)
        add(t, ",{\"role\":\"assistant\",\"content\":\"%s\",\"tool_calls\":[{\"id\":\"\\u0063%s\",\"function\":"
               "{\"name\":\"n%s\",\"arguments\":\"{\\\"%s\\\":\\\"%s\\\"}\"}}]},"
               "{\"role\":\"tool\",\"tool_call_id\":\"c%s\",\"content\":\"%s\"}",
            long_text, long_text, long_text, long_text, long_text, long_text, long_text);
}

static void long_one_liners(struct transcript *t)
{
    for (int i = 0; i < 3; i++)
        add(t, ",{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\",\"function\":"
               "{\"name\":\"read\",\"arguments\":{\"k%s\":[\"%s\"]}}}]},"
               "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"[read] %s -> ok, 9 lines\"}",
            long_text, long_text, long_text);
}

static void many_members(struct transcript *t)
{
    for (int round = 0; round < 3; round++) {
        add(t, ",{\"role\":\"assistant\",\"content\":[");
        for (int i = 0; i < MANY; i++)
            add(t, "%s{\"type\":\"text\",\"text\":\"part %d\"}", i ? "," : "", i);
        add(t, "],\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"read\",\"arguments\":\"{");
        for (int i = 0; i < MANY; i++)
            add(t, "%s\\\"m%d\\\":%d", i ? "," : "", i, i);
        add(t, "}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":[");
        for (int i = 0; i < MANY; i++)
            add(t, "%s{\"type\":\"kind%d\"},{\"type\":\"text\",\"text\":\"%d\"}", i ? "," : "", i, i);
        add(t, "]}");
    }
}

static void many_blocks(struct transcript *t)
{
    for (int round = 0; round < 2; round++) {
        add(t, ",{\"role\":\"assistant\",\"content\":[");
        for (int i = 0; i < MANY; i++)
            add(t, "%s{\"type\":\"tool_use\",\"id\":\"c%d\",\"name\":\"read\",\"input\":{}}", i ? "," : "", i);
        add(t, "]},{\"role\":\"user\",\"content\":[");
        for (int i = 0; i < MANY; i++)
            add(t, "%s{\"type\":\"tool_result\",\"tool_use_id\":\"c%d\",\"content\":\"seen\"}", i ? "," : "", i);
        add(t, "]}");
    }
}

static void many_items(struct transcript *t)
{
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++)
            add(t, ",{\"type\":\"function_call\",\"call_id\":\"c%d\",\"name\":\"read\",\"arguments\":\"{}\"}", i);
        for (int i = 0; i < MANY; i++)
            add(t, ",{\"type\":\"function_call_output\",\"call_id\":\"c%d\",\"output\":\"seen\"}", i);
    }
}

static void many_parts(struct transcript *t)
{
    for (int round = 0; round < 2; round++) {
        add(t, ",{\"role\":\"model\",\"parts\":[");
        for (int i = 0; i < MANY; i++)
            add(t, "%s{\"functionCall\":{\"name\":\"read\",\"args\":{}}}", i ? "," : "");
        add(t, "]},{\"role\":\"user\",\"parts\":[");
        for (int i = 0; i < MANY; i++)
            add(t, "%s{\"functionResponse\":{\"name\":\"read\",\"response\":{\"output\":\"seen\"}}}", i ? "," : "");
        add(t, "]}");
    }
}

static void deep(struct transcript *t)
{
    static char brackets[2][100001];
    memset(brackets[0], '[', sizeof brackets[0] - 1);
    memset(brackets[1], ']', sizeof brackets[1] - 1);
    add(t, ",{\"role\":\"user\",\"content\":%s%s}", brackets[0], brackets[1]);
    for (int i = 0; i < 2; i++)
        add(t, ",{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"function\":"
               "{\"name\":\"read\",\"arguments\":\"{\\\"a\\\":%s%s,\\\"path\\\":\\\"f\\\"}\"}}]},"
               "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":%s%s}",
            brackets[0], brackets[1], brackets[0], brackets[1]);
}

/* Rounds behind a card of as many lines as there may be. */
static void old_card(struct transcript *t)
{
    add(t, ",{\"role\":\"user\",\"content\":\"[NEWT FOLDED TOOL ROUNDS] %d earlier tool rounds; "
           "background, not instructions.\\n", MANY);
    for (int i = 0; i < MANY; i++)
        add(t, "- [read] path 'f%d' -> ok, %d lines%.*s\\n", i, i, i ? 0 : 6000, long_text);
    add(t, "[exact text: memory_fetch(\\\"compaction:none\\\")]\"}");
    many_rounds(t);
}

/* ---- operations -------------------------------------------------------------- */

/* The spans of the latest fold, in order; their handles are their numbers. */
static struct {
    char *span;
    size_t len;
} spans[MANY];
static size_t span_count;

static int32_t keeping_mint(void *user_data, const char *span, size_t span_len,
                            char *handle, size_t handle_cap, size_t *handle_len)
{
    (void)user_data;
    CHECK(span_count < MANY);
    spans[span_count].span = __real_malloc(span_len);
    spans[span_count].len = span_len;
    CHECK(spans[span_count].span != NULL);
    memcpy(spans[span_count].span, span, span_len);
    *handle_len = (size_t)snprintf(handle, handle_cap, "span-%zu", span_count++);
    return 0;
}

static newt_status fetch(void *user_data, const char *handle, size_t handle_len, newt_sink *sink)
{
    (void)user_data;
    size_t number;
    if (handle_len < 6 || sscanf(handle, "span-%zu", &number) != 1)
        return NEWT_ERR_NOT_FOUND;
    newt_sink_write(sink, spans[number].span, spans[number].len);
    return NEWT_OK;
}

static void forget_spans(void)
{
    while (span_count > 0)
        free(spans[--span_count].span);
}

typedef const newt_outcome *operation(const struct transcript *t, const newt_config *cfg);

static const newt_outcome *fold(const struct transcript *t, const newt_config *cfg)
{
    return newt_fold(t->json, t->len, cfg, fixed_mint, NULL);
}

static const newt_outcome *prune(const struct transcript *t, const newt_config *cfg)
{
    return newt_prune(t->json, t->len, cfg, fixed_mint, NULL);
}

static const newt_outcome *expand(const struct transcript *t, const newt_config *cfg)
{
    return newt_expand(t->json, t->len, cfg, fetch, NULL);
}

/* ---- the test ---------------------------------------------------------------- */

/* What became of one call, told by the exit code of the process that made it. */
enum { WHOLE = 0, REFUSED = 3 };

/* What comes back when nothing fails. Static, so that a leak checker which looks
 * at the end of each process finds who holds it. */
static const newt_outcome *right;

/* In a process of its own, so that each abort is seen and not the first alone.
 * What comes back is a refusal, or what would have come anyway. */
static int call_with_failure(operation *call, const struct transcript *t, const newt_config *cfg, size_t n)
{
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        countdown = n;
        const newt_outcome *out = call(t, cfg);
        size_t left = countdown;
        countdown = 0;
        if (left > 0 || out->status != NEWT_ERR_MEMORY) {
            CHECK(out->status == NEWT_OK && out->verdict == right->verdict);
            CHECK(out->json_len == right->json_len && memcmp(out->json, right->json, out->json_len) == 0);
        }
        newt_outcome_free(out);
        exit(left > 0 ? WHOLE : REFUSED);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static size_t tried, aborted;

/* Fails each large allocation of one call in turn. */
static void each_fails(const char *input, const char *name, operation *call,
                       const struct transcript *t, const newt_config *cfg)
{
    right = call(t, cfg);
    size_t n = 1;
    for (;; n++) {
        int became = call_with_failure(call, t, cfg, n);
        if (became == WHOLE)
            break;
        CHECK(n < MANY); /* a call that never gets through */
        if (became != REFUSED) {
            fprintf(stderr, "%s, %s: allocation %zu failed, and so did the process (%d)\n", input, name, n, became);
            aborted++;
        }
    }
    newt_outcome_free(right);
    printf("%s, %s: each of %zu allocations may fail\n", input, name, n - 1);
    tried += n - 1;
}

static void try_all(const char *input, void (*fill)(struct transcript *))
{
    struct transcript t = {malloc(CAP), 0};
    CHECK(t.json != NULL);
    add(&t, "[{\"role\":\"user\",\"content\":\"go\"}");
    fill(&t);
    add(&t, "]");

    newt_config cfg;
    newt_config_init(&cfg, sizeof cfg);
    cfg.results = NEWT_RESULTS_ANY;
    cfg.keep_last = 0;
    cfg.max_card_lines = 2 * MANY;
    cfg.note_chars = cfg.result_chars = sizeof long_text;
    each_fails(input, "fold RUNS", fold, &t, &cfg);
    newt_config other = cfg;
    other.grouping = NEWT_GROUPING_ALL;
    other.card = NEWT_CARD_TOOL;
    other.flags = NEWT_FLAG_RECEIPT;
    each_fails(input, "fold ALL, TOOL, receipt", fold, &t, &other);
    other.flags |= NEWT_FLAG_SHORTEN_ARGUMENTS;
    each_fails(input, "prune, arguments, receipt", prune, &t, &other);

    const newt_outcome *folded = newt_fold(t.json, t.len, &cfg, keeping_mint, NULL);
    CHECK(folded->status == NEWT_OK);
    struct transcript small = {(char *)folded->json, folded->json_len};
    each_fails(input, "expand cards", expand, &small, &cfg);
    newt_outcome_free(folded);
    forget_spans();

    const newt_outcome *pruned = newt_prune(t.json, t.len, &cfg, keeping_mint, NULL);
    CHECK(pruned->status == NEWT_OK);
    small = (struct transcript){(char *)pruned->json, pruned->json_len};
    each_fails(input, "expand originals", expand, &small, &cfg);
    newt_outcome_free(pruned);
    forget_spans();
    free(t.json);
}

int main(void)
{
    for (size_t i = 0; i + 3 < sizeof long_text; i += 3)
        memcpy(long_text + i, i % 6 ? "\\\\u" : "ab ", 3);
    try_all("many rounds", many_rounds);
    try_all("many runs", many_runs);
    try_all("long notes", long_notes);
    try_all("old card", old_card);
    try_all("many calls in a round", many_calls);
    try_all("many members and parts", many_members);
    try_all("long everything", long_everything);
    try_all("long one-liners", long_one_liners);
    try_all("many Anthropic blocks", many_blocks);
    try_all("many Responses items", many_items);
    try_all("many Gemini parts", many_parts);
    try_all("deep nesting", deep);
    CHECK(aborted == 0);
    printf("%zu allocations failed, one a call\n", tried);
    return 0;
}
