/* A host that links an SQLite of its own beside the store's: two engines, two
 * versions, one program. */
#include "newt_fold.h"

#include "check.h"
#include "transcript.h"

#include <sqlite3.h>
#include <string.h>

static int first_value(void *theirs, int columns, char **values, char **names)
{
    (void)columns;
    (void)names;
    snprintf((char *)theirs, 32, "%s", values[0]);
    return 0;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    newt_store *store = newt_store_open(argv[1], strlen(argv[1]), "own", 3);
    newt_config cfg;
    newt_config_init(&cfg, sizeof cfg);
    cfg.results = NEWT_RESULTS_ANY;
    struct transcript t = make_transcript(20, 100);
    const newt_outcome *out = newt_fold(t.json, t.len, &cfg, newt_store_mint, store);
    CHECK(out->status == NEWT_OK && out->verdict == NEWT_VERDICT_FOLDED);

    /* The host's own engine reads what the store's wrote, while it is open. */
    char version[32] = "", spans[32] = "";
    sqlite3 *database;
    CHECK(sqlite3_open(argv[1], &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, "SELECT sqlite_version()", first_value, version, NULL) == SQLITE_OK);
    CHECK(strcmp(version, SQLITE_VERSION) == 0);
    CHECK(sqlite3_exec(database, "SELECT count(*) FROM spans", first_value, spans, NULL) == SQLITE_OK);
    CHECK(strcmp(spans, "1") == 0);
    CHECK(sqlite3_close(database) == SQLITE_OK);

    const newt_text *span = newt_store_fetch(store, out->handle, out->handle_len);
    CHECK(span->status == NEWT_OK && span->text_len > 0);
    newt_text_free(span);
    newt_outcome_free(out);
    newt_store_close(store);
    free(t.json);
    printf("own SQLite %s beside the store's\n", version);
    return 0;
}
