/* What a fold would win under each recommended profile.
 *
 *     profiles [transcript.json]
 *
 * Plans, and changes nothing: with a NULL mint there is no fold. Why the
 * numbers are what they are stands in profile.rs beside this file, which is the
 * same in Rust and prints the same. */
#include "newt_fold.h"

#include <stdio.h>
#include <stdlib.h>

/* Hours of work, few words of the user, a provider that caches by prefix. */
static void coding_agent(newt_config *cfg)
{
    newt_config_init(cfg, sizeof *cfg);
    cfg->results = NEWT_RESULTS_ANY;
    cfg->min_reclaim = 4000;
}

/* A few tool calls between two messages of the user. */
static void chat_with_tools(newt_config *cfg)
{
    newt_config_init(cfg, sizeof *cfg);
    cfg->results = NEWT_RESULTS_ANY;
    cfg->grouping = NEWT_GROUPING_ALL;
    cfg->card = NEWT_CARD_TOOL;
    cfg->min_reclaim = 8000;
}

/* A window of some 8,000 tokens on one's own machine. */
static void small_local_model(newt_config *cfg)
{
    newt_config_init(cfg, sizeof *cfg);
    cfg->keep_last = 6;
    cfg->min_rounds = 5;
    cfg->results = NEWT_RESULTS_ANY;
    cfg->grouping = NEWT_GROUPING_ALL;
    cfg->card = NEWT_CARD_TOOL;
    cfg->max_card_lines = 24;
    cfg->note_chars = 60;
    cfg->bytes_per_token = 3;
}

static const struct profile {
    const char *name;
    void (*init)(newt_config *);
} profiles[] = {
    {"coding agent", coding_agent},
    {"chat with tools", chat_with_tools},
    {"small local model", small_local_model},
};

/* The whole file, or NULL. */
static char *read_file(const char *path, size_t *len)
{
    char *bytes = NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        if (size >= 0)
            bytes = malloc((size_t)size + 1);
        if (bytes != NULL)
            *len = fread(bytes, 1, (size_t)size, file);
    }
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "examples/golden/transcript.json";
    size_t len = 0, i;
    char *json = read_file(path, &len);
    int failed = json == NULL;
    if (failed)
        fprintf(stderr, "profiles: %s cannot be read\n", path);
    for (i = 0; !failed && i < sizeof profiles / sizeof profiles[0]; i++) {
        newt_config cfg;
        const newt_outcome *out;
        profiles[i].init(&cfg);
        out = newt_fold(json, len, &cfg, NULL, NULL);
        failed = out->status != NEWT_OK;
        if (failed)
            fprintf(stderr, "profiles: %s: %s\n", newt_status_name(out->status), out->error);
        else
            printf("%s: %zu of %zu tokens, %zu of %zu messages, %zu cards\n", profiles[i].name,
                   out->tokens_after, out->tokens_before, out->messages_after,
                   out->messages_before, out->cards);
        newt_outcome_free(out);
    }
    free(json);
    return failed;
}
