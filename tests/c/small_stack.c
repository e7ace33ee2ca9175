/* A thread of 64 KiB folds a large transcript and refuses a deep document. */
#include "newt_fold.h"

#include "check.h"
#include "transcript.h"

#include <pthread.h>
#include <string.h>

#define DEPTH 10000

static void *run(void *unused)
{
    (void)unused;
    newt_config cfg;
    newt_config_init(&cfg, sizeof cfg);
    cfg.results = NEWT_RESULTS_ANY;
    cfg.card = NEWT_CARD_TOOL;

    struct transcript t = make_transcript(500, 50);
    const newt_outcome *out = newt_fold(t.json, t.len, &cfg, fixed_mint, NULL);
    CHECK(out->status == NEWT_OK && out->verdict == NEWT_VERDICT_FOLDED);
    newt_outcome_free(out);
    free(t.json);

    /* Deep, in every place where a value can stand: whole or open, in arrays
     * and in objects, as the document, a message, a content, an argument. */
    static const char *const heads[] = {
        "",
        "[",
        "[{\"role\":\"user\",\"content\":",
        "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":",
        "[{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"response\":",
    };
    static const char *const opens[] = {"[", "{\"a\":"};
    static const char *const closes[] = {"]", "}"};
    for (size_t head = 0; head < sizeof heads / sizeof *heads; head++)
        for (size_t kind = 0; kind < 2; kind++)
            for (int closed = 0; closed < 2; closed++) {
                size_t cap = DEPTH * 8 + 256;
                struct transcript deep = {malloc(cap), 0};
                CHECK(deep.json != NULL);
                append(&deep, cap, heads[head]);
                for (int i = 0; i < DEPTH; i++)
                    append(&deep, cap, opens[kind]);
                if (closed) {
                    append(&deep, cap, "1");
                    for (int i = 0; i < DEPTH; i++)
                        append(&deep, cap, closes[kind]);
                }
                out = newt_fold(deep.json, deep.len, &cfg, fixed_mint, NULL);
                CHECK(closed || out->status != NEWT_OK);
                newt_outcome_free(out);
                free(deep.json);
            }
    return NULL;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_setstacksize(&attr, 64 * 1024) == 0);
    CHECK(pthread_create(&thread, &attr, run, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attr);
    return 0;
}
