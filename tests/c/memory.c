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
#define MANY 3000

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

#define CAP ((size_t)64 << 20)

/* Long text with escapes, so that decoding it needs memory of its own. */
static char long_text[60000];

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
    static char brackets[2][400001];
    memset(brackets[0], '[', sizeof brackets[0] - 1);
    memset(brackets[1], ']', sizeof brackets[1] - 1);
    add(t, ",{\"role\":\"user\",\"content\":%s%s}", brackets[0], brackets[1]);
}

/* ---- the test --------------------------------------------------------------- */

/* What became of one call, told by the exit code of the process that made it. */
enum { WHOLE = 0, REFUSED = 3 };

/* In a process of its own, so that each abort is seen and not the first alone. */
static int fold_with_failure(const struct transcript *t, const newt_config *cfg, size_t n)
{
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        countdown = n;
        const newt_outcome *out = newt_fold(t->json, t->len, cfg, fixed_mint, NULL);
        size_t left = countdown;
        countdown = 0;
        CHECK(out->status == (left > 0 ? NEWT_OK : NEWT_ERR_MEMORY));
        newt_outcome_free(out);
        exit(left > 0 ? WHOLE : REFUSED);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static size_t aborted;

/* Fails each large allocation of one call in turn; returns how many there are. */
static size_t each_fails(const char *name, const struct transcript *t, const newt_config *cfg)
{
    for (size_t n = 1;; n++) {
        int became = fold_with_failure(t, cfg, n);
        if (became == WHOLE)
            return n - 1;
        if (became != REFUSED) {
            fprintf(stderr, "%s: allocation %zu failed, and so did the process (%d)\n", name, n, became);
            aborted++;
        }
    }
}

static void try_all(const char *name, void (*fill)(struct transcript *))
{
    static const char *const groupings[] = {"RUNS", "ALL"};
    struct transcript t = {malloc(CAP), 0};
    CHECK(t.json != NULL);
    add(&t, "[{\"role\":\"user\",\"content\":\"go\"}");
    fill(&t);
    add(&t, "]");
    for (uint32_t grouping = 0; grouping < 2; grouping++) {
        newt_config cfg;
        newt_config_init(&cfg, sizeof cfg);
        cfg.results = NEWT_RESULTS_ANY;
        cfg.grouping = grouping;
        cfg.keep_last = 0;
        cfg.max_card_lines = MANY;
        cfg.note_chars = cfg.result_chars = sizeof long_text;
        printf("%s, %s: each of %zu allocations may fail\n", name, groupings[grouping],
               each_fails(name, &t, &cfg));
    }
    free(t.json);
}

int main(void)
{
    for (size_t i = 0; i + 3 < sizeof long_text; i += 3)
        memcpy(long_text + i, i % 6 ? "\\\\u" : "ab ", 3);
    try_all("many rounds", many_rounds);
    try_all("many runs", many_runs);
    try_all("many calls in a round", many_calls);
    try_all("many members and parts", many_members);
    try_all("long everything", long_everything);
    try_all("long one-liners", long_one_liners);
    try_all("many Anthropic blocks", many_blocks);
    try_all("many Responses items", many_items);
    try_all("many Gemini parts", many_parts);
    try_all("deep nesting", deep);
    CHECK(aborted == 0);
    return 0;
}
