/* Memory that runs out under a limit of the address space (RLIMIT_AS) is
 * NEWT_ERR_MEMORY; the process lives and folds again once there is room. */
#define _POSIX_C_SOURCE 200809L
#include "newt_fold.h"

#include "check.h"
#include "transcript.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Bytes of address space in use: the first field of /proc/self/statm, in pages. */
static rlim_t in_use(void)
{
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    CHECK(statm != NULL && fscanf(statm, "%lu", &pages) == 1);
    fclose(statm);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static newt_status fold_within(const struct transcript *t, const newt_config *cfg, rlim_t room)
{
    struct rlimit free_limit, limit;
    CHECK(getrlimit(RLIMIT_AS, &free_limit) == 0);
    limit = free_limit;
    limit.rlim_cur = in_use() + room;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    const newt_outcome *out = newt_fold(t->json, t->len, cfg, fixed_mint, NULL);
    CHECK(setrlimit(RLIMIT_AS, &free_limit) == 0);
    newt_status status = out->status;
    CHECK(status == NEWT_OK || status == NEWT_ERR_MEMORY);
    if (status == NEWT_ERR_MEMORY)
        CHECK(out->json == NULL && out->error != NULL);
    newt_outcome_free(out);
    return status;
}

int main(void)
{
    /* 20 rounds of 1 MB, of which six stay: the outcome has 6 MB, a span 14. */
    struct transcript t = make_transcript(20, 40000);
    newt_config cfg;
    newt_config_init(&cfg, sizeof cfg);
    cfg.results = NEWT_RESULTS_ANY;

    /* Nothing folds: the outcome, as large as the input, is all that is wanted. */
    newt_config keep = cfg;
    keep.keep_last = 1000;
    CHECK(fold_within(&t, &keep, t.len / 2) == NEWT_ERR_MEMORY);
    CHECK(fold_within(&t, &keep, t.len * 2) == NEWT_OK);

    int refused = 0, folded = 0;
    for (rlim_t room = 0; room <= 2 * (rlim_t)t.len; room += 256 * 1024) {
        if (fold_within(&t, &cfg, room) == NEWT_OK)
            folded++;
        else
            refused++;
    }
    CHECK(refused > 10 && folded > 10);
    printf("address space: %d limits refused, %d folded\n", refused, folded);
    free(t.json);
    return 0;
}
