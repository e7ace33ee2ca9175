/* A harness in miniature: folds a transcript, keeps each span in a file named
 * by its content, and proves that nothing was lost.
 *
 *     harness [transcript.json [directory]]
 *
 * The transcript is a JSON array of messages; without one, the golden
 * transcript beside this example is folded. Spans go to `spans/`. */
#define _POSIX_C_SOURCE 200809L

#include "newt_fold.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct text {
    char *bytes; /* a NUL stands behind the last one */
    size_t len;
};

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "harness: %s: %s\n", what, why);
    return -1;
}

/* The whole file; `bytes` is NULL if it cannot be read. */
static struct text read_file(const char *path)
{
    struct text text = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return text;
    if (fseek(file, 0, SEEK_END) == 0) {
        long len = ftell(file);
        rewind(file);
        if (len >= 0)
            text.bytes = malloc((size_t)len + 1);
        if (text.bytes != NULL) {
            text.len = fread(text.bytes, 1, (size_t)len, file);
            text.bytes[text.len] = '\0';
        }
    }
    fclose(file);
    return text;
}

static void span_path(char *path, size_t cap, const char *directory, const char *handle)
{
    snprintf(path, cap, "%s/%s.jsonl", directory, handle);
}

/* ---- the mint ---------------------------------------------------------- */

/* FNV-1a, 64 bits: a few lines in any language, so every host's example gives
 * the golden transcript the same handles. Two contents may share one, which
 * the mint below refuses; a host at scale takes a cryptographic hash. */
static uint64_t fnv1a(const char *bytes, size_t len)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Durable before the handle exists: written beside its place, synced, renamed. */
static int write_durably(const char *path, const char *bytes, size_t len)
{
    char fresh[4096];
    if (snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid()) >= (int)sizeof fresh)
        return -1;
    FILE *file = fopen(fresh, "wb");
    if (file == NULL)
        return -1;
    int kept = fwrite(bytes, 1, len, file) == len && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (fclose(file) != 0 || !kept || rename(fresh, path) != 0) {
        remove(fresh);
        return -1;
    }
    return 0;
}

/* A newt_mint_fn; `directory` is its user data. */
static int32_t mint(void *directory, const char *span, size_t span_len,
                    char *handle, size_t handle_cap, size_t *handle_len)
{
    int len = snprintf(handle, handle_cap, "%016" PRIx64, fnv1a(span, span_len));
    char path[4096];
    span_path(path, sizeof path, directory, handle);
    struct text old = read_file(path);
    if (old.bytes != NULL) {
        int same = old.len == span_len && memcmp(old.bytes, span, span_len) == 0;
        free(old.bytes);
        if (!same)
            return 1; /* another span has this name: decline */
    } else if (write_durably(path, span, span_len) != 0) {
        return 1;
    }
    *handle_len = (size_t)len;
    return 0;
}

/* ---- just enough JSON to walk from message to message ------------------- */

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* Behind the value at `p`. The library has read the document, so it is JSON. */
static const char *skip_value(const char *p)
{
    size_t depth = 0;
    do {
        if (*p == '"') {
            for (p++; *p != '"'; p++)
                if (*p == '\\')
                    p++;
            p++;
        } else if (*p == '{' || *p == '[') {
            depth++;
            p++;
        } else if (*p == '}' || *p == ']') {
            depth--;
            p++;
        } else {
            p += strcspn(p + 1, "\"{}[],") + 1;
        }
    } while (depth > 0);
    return p;
}

/* The first message of an array, or its closing bracket. */
static const char *first_message(const char *json)
{
    return skip_space(strchr(json, '[') + 1);
}

/* The message behind one that ends at `end`, or the closing bracket. */
static const char *next_message(const char *end)
{
    end = skip_space(end);
    return *end == ',' ? skip_space(end + 1) : end;
}

/* Whether a line of a span is this message: byte for byte, but that a message
 * laid out over several lines is put on one. */
static int is_message(const char *line, const char *line_end, const char *message, const char *end)
{
    while (line < line_end && message < end) {
        if (*line == *message) {
            line++;
            message++;
        } else if (strchr(" \t\r\n", *message) != NULL) {
            message = skip_space(message);
        } else {
            return 0;
        }
    }
    return line == line_end && message == end;
}

/* ---- the card ------------------------------------------------------------ */

/* Prints the card that stands in a message, and finds its handle: behind the
 * last `compaction:`, which no line above the last can hold. */
static int read_card(const char *message, const char *end, char *handle, size_t cap)
{
    const char *card = strstr(message, "[NEWT FOLDED TOOL ROUNDS]");
    if (card == NULL || card >= end)
        return fail("proof", "a message was neither kept nor replaced by a card");
    const char *address = NULL;
    putchar('\n');
    for (const char *p = card; *p != '"'; p++) {
        if (strncmp(p, "compaction:", 11) == 0)
            address = p + 11;
        if (*p == '\\')
            p++;
        putchar(p[-1] == '\\' && *p == 'n' ? '\n' : *p);
    }
    putchar('\n');
    size_t len = address != NULL ? strcspn(address, "\\\"]") : 0;
    if (len == 0 || len >= cap)
        return fail("proof", "a card names no handle");
    memcpy(handle, address, len);
    handle[len] = '\0';
    return 0;
}

/* ---- the proof ----------------------------------------------------------- */

/* Walks both documents side by side. A message stands in both, or a card
 * stands for as many messages as its span has lines, and these are they. */
static int prove(const char *before, const char *after, const char *directory)
{
    const char *was = first_message(before);
    const char *is = first_message(after);
    while (*is != ']') {
        const char *is_end = skip_value(is);
        const char *was_end = *was != ']' ? skip_value(was) : was;
        if (is_end - is == was_end - was && memcmp(is, was, (size_t)(is_end - is)) == 0) {
            was = next_message(was_end);
        } else {
            char handle[257], path[4096];
            if (read_card(is, is_end, handle, sizeof handle) != 0)
                return -1;
            span_path(path, sizeof path, directory, handle);
            struct text span = read_file(path);
            if (span.bytes == NULL)
                return fail(path, strerror(errno));
            size_t removed = 0;
            for (char *line = span.bytes; line != NULL; removed++) {
                char *feed = strchr(line, '\n');
                char *line_end = feed != NULL ? feed : span.bytes + span.len;
                was_end = *was != ']' ? skip_value(was) : was;
                if (!is_message(line, line_end, was, was_end)) {
                    free(span.bytes);
                    return fail(path, "a line is not the message that was removed");
                }
                was = next_message(was_end);
                line = feed != NULL ? feed + 1 : NULL;
            }
            free(span.bytes);
            printf("-> %s holds the %zu messages that went\n", path, removed);
        }
        is = next_message(is_end);
    }
    return *was == ']' ? 0 : fail("proof", "messages went without a card");
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "../golden/transcript.json";
    char *directory = argc > 2 ? argv[2] : "spans";

    struct text transcript = read_file(path);
    if (transcript.bytes == NULL)
        return fail(path, strerror(errno)), EXIT_FAILURE;
    if (mkdir(directory, 0700) != 0 && errno != EEXIST) {
        fail(directory, strerror(errno));
        free(transcript.bytes);
        return EXIT_FAILURE;
    }

    newt_config config;
    newt_config_init(&config, sizeof config);
    config.results = NEWT_RESULTS_ANY;
    const newt_outcome *folded = newt_fold(transcript.bytes, transcript.len, &config, mint, directory);

    int proven = -1;
    if (folded->status != NEWT_OK) {
        fail(newt_status_name(folded->status), folded->error);
    } else if (transcript.bytes[strspn(transcript.bytes, "\xef\xbb\xbf \t\r\n")] != '[') {
        fail(path, "this example walks an array of messages, not a request body");
    } else {
        printf("before: %zu messages, %zu tokens\n", folded->messages_before, folded->tokens_before);
        printf("after:  %zu messages, %zu tokens; %zu rounds in %zu cards\n", folded->messages_after,
               folded->tokens_after, folded->rounds_folded, folded->cards);
        proven = prove(transcript.bytes, folded->json, directory);
    }
    newt_outcome_free(folded);
    free(transcript.bytes);
    return proven == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
