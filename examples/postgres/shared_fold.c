/* Folds or expands transcripts, with their spans in PostgreSQL.
 *
 *     shared_fold fold   SESSION OUT_DIR TRANSCRIPT.json…
 *     shared_fold expand SESSION OUT_DIR FOLDED.json…
 *
 * The server is where libpq's environment variables say (PGHOST, PGSERVICE, …).
 * Exits with 1 if a document came out as it went in because something failed. */
#include "shared_mint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long size;
    if (file && !fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0) {
        rewind(file);
        bytes = malloc((size_t)size + 1);
        if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
            free(bytes);
            bytes = NULL;
        }
        *len = (size_t)size;
    }
    if (file)
        fclose(file);
    return bytes;
}

static int write_file(const char *folder, const char *name, const char *bytes, size_t len)
{
    char path[4096];
    int fits = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path;
    FILE *file = fits ? fopen(path, "wb") : NULL;
    if (!file)
        return 0;
    size_t written = fwrite(bytes, 1, len, file);
    return !fclose(file) && written == len;
}

static int convert(struct shared_mint *shared, int fold, const char *path, const char *folder)
{
    size_t len = 0;
    char *json = read_file(path, &len);
    if (!json) {
        perror(path);
        return 0;
    }
    newt_config config;
    newt_config_init(&config, sizeof config);
    config.results = NEWT_RESULTS_ANY;
    const newt_outcome *out = fold ? newt_fold(json, len, &config, shared_mint_keep, shared)
                                   : newt_expand(json, len, &config, shared_mint_load, shared);
    int done = out->status == NEWT_OK && out->verdict != NEWT_VERDICT_DECLINED;
    if (!done)
        fprintf(stderr, "%s: %s\n%s", path, out->error ? out->error : "the mint declined",
                PQerrorMessage(shared->connection));
    const char *slash = strrchr(path, '/');
    const char *kept = out->json ? out->json : json;
    size_t kept_len = out->json ? out->json_len : len;
    if (!write_file(folder, slash ? slash + 1 : path, kept, kept_len)) {
        perror(folder);
        done = 0;
    }
    newt_outcome_free(out);
    free(json);
    return done;
}

int main(int argc, char **argv)
{
    int fold = argc > 1 && !strcmp(argv[1], "fold");
    if (argc < 5 || (!fold && strcmp(argv[1], "expand"))) {
        fprintf(stderr, "shared_fold fold|expand SESSION OUT_DIR FILE…\n");
        return 2;
    }
    struct shared_mint shared = {PQconnectdb(""), argv[2]};
    int failed = PQstatus(shared.connection) != CONNECTION_OK;
    if (failed)
        fprintf(stderr, "%s", PQerrorMessage(shared.connection));
    for (int i = 4; i < argc && PQstatus(shared.connection) == CONNECTION_OK; i++)
        failed |= !convert(&shared, fold, argv[i], argv[3]);
    PQfinish(shared.connection);
    return failed;
}
