/* An agent loop in miniature, with the built-in store: a scripted model calls
 * tools for 300 rounds, the host folds before every request, answers the
 * model's memory_fetch calls from the store, and at the end turns the folded
 * transcript back into its own full log.
 *
 *     loop [store.db] */
#include "newt_fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 300

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "loop: %s: %s\n", what, why != NULL ? why : "no reason given");
    exit(EXIT_FAILURE);
}

/* ---- a growing text -------------------------------------------------------- */

struct text {
    char *bytes; /* a NUL stands behind the last one */
    size_t len, cap;
};

static void append(struct text *text, const char *bytes, size_t len)
{
    if (text->len + len >= text->cap) {
        text->cap = 2 * (text->len + len) + 1024;
        text->bytes = realloc(text->bytes, text->cap);
        if (text->bytes == NULL)
            stop("memory", "it ran out");
    }
    memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
    text->bytes[text->len] = '\0';
}

static void append_string(struct text *text, const char *string)
{
    append(text, string, strlen(string));
}

/* As a JSON string, quotes and all. */
static void append_json(struct text *text, const char *bytes, size_t len)
{
    append(text, "\"", 1);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        char escape[8];
        if (c == '"' || c == '\\')
            snprintf(escape, sizeof escape, "\\%c", c);
        else if (c < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", c);
        else
            snprintf(escape, sizeof escape, "%c", c);
        append_string(text, escape);
    }
    append(text, "\"", 1);
}

static void set(struct text *text, const char *bytes, size_t len)
{
    text->len = 0;
    append(text, bytes, len);
}

/* Puts a message at the end of `[…]`. */
static void say(struct text *transcript, const struct text *message)
{
    int first = transcript->len <= 2;
    transcript->len = first ? 0 : transcript->len - 1;
    append_string(transcript, first ? "[" : ",");
    append(transcript, message->bytes, message->len);
    append_string(transcript, "]");
}

/* ---- the model, from a script ---------------------------------------------- */

struct call {
    char id[24];
    char tool[16];
    char arguments[400];
};

/* The address in the oldest card that the model sees. */
static void oldest_address(const struct text *transcript, char *address, size_t cap)
{
    const char *at = strstr(transcript->bytes, "memory_fetch(\\\"compaction:");
    if (at == NULL)
        stop("model", "there is no card to fetch from");
    at += strlen("memory_fetch(\\\"");
    snprintf(address, cap, "%.*s", (int)strcspn(at, "\\"), at);
}

static struct call ask_model(const struct text *transcript, int round)
{
    struct call call;
    snprintf(call.id, sizeof call.id, "call_%d", round);
    if (round % 50 == 49) { /* it wants to know again what round 3 said */
        char address[300];
        oldest_address(transcript, address, sizeof address);
        strcpy(call.tool, "memory_fetch");
        snprintf(call.arguments, sizeof call.arguments, "{\"address\":\"%s\",\"grep\":\"licence\"}", address);
    } else {
        strcpy(call.tool, "read_file");
        snprintf(call.arguments, sizeof call.arguments, "{\"path\":\"src/part_%d.c\"}", round);
    }
    return call;
}

/* ---- the host's tools -------------------------------------------------------- */

static void read_file_tool(int round, struct text *result)
{
    char line[100];
    result->len = 0;
    for (int n = 0; n < 40 + round % 7; n++) {
        snprintf(line, sizeof line, "%3d |     pond_step(pond, %d, \"part %d\");\n", n, n * round, round);
        append_string(result, line);
    }
    if (round == 3)
        append_string(result, "    /* licence number NEWT-0042 */\n");
}

static void memory_fetch_tool(newt_store *store, const struct call *call, struct text *result)
{
    const newt_text *answer = newt_store_answer(store, call->arguments, strlen(call->arguments));
    if (answer->status != NEWT_OK)
        stop("memory_fetch", answer->error);
    set(result, answer->text, answer->text_len);
    newt_text_free(answer);
    if (strstr(result->bytes, "NEWT-0042") == NULL)
        stop("memory_fetch", "the answer does not hold what round 3 said");
}

/* ---- the loop ---------------------------------------------------------------- */

static newt_store *open_store(const char *path)
{
    newt_store *store = newt_store_open(path, strlen(path), "loop", 4);
    const newt_text *state = newt_store_state(store);
    if (state->status != NEWT_OK)
        stop(path, state->error);
    newt_text_free(state);
    return store;
}

int main(int argc, char **argv)
{
    newt_store *store = open_store(argc > 1 ? argv[1] : "loop.db");
    newt_config config;
    newt_config_init(&config, sizeof config);
    config.results = NEWT_RESULTS_ANY;

    struct text log = {NULL, 0, 0};        /* all that was ever said */
    struct text transcript = {NULL, 0, 0}; /* what the model is sent */
    struct text message = {NULL, 0, 0}, result = {NULL, 0, 0};
    size_t sent = 0, sent_unfolded = 0, largest = 0, fetched = 0;

    for (int round = 0; round < ROUNDS; round++) {
        if (round % 60 == 0) {
            set(&message, "", 0);
            append_string(&message, "{\"role\":\"user\",\"content\":\"Go on with the next part.\"}");
            say(&log, &message);
            say(&transcript, &message);
        }

        const newt_outcome *folded =
            newt_fold(transcript.bytes, transcript.len, &config, newt_store_mint, store);
        if (folded->status != NEWT_OK)
            stop(newt_status_name(folded->status), folded->error);
        if (folded->verdict == NEWT_VERDICT_DECLINED)
            stop("store", newt_store_state(store)->error);
        set(&transcript, folded->json, folded->json_len);
        sent += folded->tokens_after;
        sent_unfolded += newt_estimate_tokens(log.bytes, log.len, &config);
        largest = folded->tokens_after > largest ? folded->tokens_after : largest;
        newt_outcome_free(folded);

        struct call call = ask_model(&transcript, round);
        set(&message, "", 0);
        append_string(&message, "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"");
        append_string(&message, call.id);
        append_string(&message, "\",\"type\":\"function\",\"function\":{\"name\":\"");
        append_string(&message, call.tool);
        append_string(&message, "\",\"arguments\":");
        append_json(&message, call.arguments, strlen(call.arguments));
        append_string(&message, "}}]}");
        say(&log, &message);
        say(&transcript, &message);

        if (strcmp(call.tool, "memory_fetch") == 0) {
            memory_fetch_tool(store, &call, &result);
            fetched++;
        } else {
            read_file_tool(round, &result);
        }
        set(&message, "", 0);
        append_string(&message, "{\"role\":\"tool\",\"tool_call_id\":\"");
        append_string(&message, call.id);
        append_string(&message, "\",\"content\":");
        append_json(&message, result.bytes, result.len);
        append_string(&message, "}");
        say(&log, &message);
        say(&transcript, &message);
    }

    const newt_outcome *expanded =
        newt_expand(transcript.bytes, transcript.len, &config, newt_store_load, store);
    if (expanded->status != NEWT_OK)
        stop(newt_status_name(expanded->status), expanded->error);
    if (expanded->json_len != log.len || memcmp(expanded->json, log.bytes, log.len) != 0)
        stop("newt_expand", "the transcript does not come back as it was");

    printf("%d requests: %zu tokens sent, %zu without folding; the largest had %zu\n", ROUNDS, sent,
           sent_unfolded, largest);
    printf("%zu memory_fetch calls answered from the store\n", fetched);
    printf("expanded to %zu messages, %zu bytes: equal to the log, byte for byte\n",
           expanded->messages_after, expanded->json_len);

    newt_outcome_free(expanded);
    newt_store_close(store);
    free(log.bytes);
    free(transcript.bytes);
    free(message.bytes);
    free(result.bytes);
    return EXIT_SUCCESS;
}
