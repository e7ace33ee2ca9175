/* Transcripts made in C: `rounds` aged rounds whose results have `lines` lines. */
#ifndef TRANSCRIPT_H
#define TRANSCRIPT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct transcript {
    char *json;
    size_t len;
};

static inline void append(struct transcript *t, size_t cap, const char *text)
{
    size_t len = strlen(text);
    if (t->len + len >= cap)
        abort();
    memcpy(t->json + t->len, text, len + 1);
    t->len += len;
}

static inline struct transcript make_transcript(size_t rounds, size_t lines)
{
    static const char line[] = "level 2.41 m, \\\"steady\\\"\\n";
    size_t cap = 256 + rounds * (400 + lines * sizeof line);
    struct transcript t = {(char *)malloc(cap), 0};
    char text[400];
    if (t.json == NULL)
        abort();
    append(&t, cap, "[{\"role\":\"user\",\"content\":\"go\"}");
    for (size_t i = 0; i < rounds; i++) {
        snprintf(text, sizeof text,
                 ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c%zu\","
                 "\"type\":\"function\",\"function\":{\"name\":\"read\","
                 "\"arguments\":\"{\\\"path\\\":\\\"f%zu\\\"}\"}}]},"
                 "{\"role\":\"tool\",\"tool_call_id\":\"c%zu\",\"content\":\"",
                 i, i, i);
        append(&t, cap, text);
        for (size_t k = 0; k < lines; k++)
            append(&t, cap, line);
        append(&t, cap, "\"}");
    }
    append(&t, cap, "]");
    return t;
}

/* A newt_mint_fn that keeps nothing. */
static inline int32_t fixed_mint(void *user_data, const char *span, size_t span_len,
                                 char *handle, size_t handle_cap, size_t *handle_len)
{
    (void)user_data;
    if (span == NULL || span_len == 0 || handle_cap < 8)
        return 1;
    memcpy(handle, "h7q2kx3m", 8);
    *handle_len = 8;
    return 0;
}

#endif
