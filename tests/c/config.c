/* A newt_config older and newer than the library, and every size between. */
#include "newt_fold.h"

#include "check.h"
#include "transcript.h"

#include <string.h>

static struct transcript t;

static newt_status fold(const void *cfg, size_t *rounds_folded)
{
    const newt_outcome *out = newt_fold(t.json, t.len, (const newt_config *)cfg, fixed_mint, NULL);
    newt_status status = out->status;
    CHECK((out->error != NULL) == (status != NEWT_OK));
    *rounds_folded = out->rounds_folded;
    newt_outcome_free(out);
    return status;
}

/* Programs built when newt_config ended on an earlier field. */
static void older(void)
{
    static const size_t ends[] = {
        offsetof(newt_config, keep_last),       offsetof(newt_config, min_rounds),
        offsetof(newt_config, format),          offsetof(newt_config, results),
        offsetof(newt_config, grouping),        offsetof(newt_config, card),
        offsetof(newt_config, max_card_lines),  offsetof(newt_config, note_chars),
        offsetof(newt_config, result_chars),    offsetof(newt_config, min_reclaim),
        offsetof(newt_config, bytes_per_token), offsetof(newt_config, flags),
        offsetof(newt_config, reserved),        offsetof(newt_config, fetch_tool),
        offsetof(newt_config, keep_tools),      offsetof(newt_config, keep_tools_len),
        sizeof(newt_config),
    };
    size_t next = 0;
    for (size_t size = 0; size <= sizeof(newt_config); size++) {
        /* Exactly as large as it says, so that a checker sees a read beyond. */
        char *cfg = malloc(size < 4 ? 4 : size);
        CHECK(cfg != NULL);
        memset(cfg, 0x5a, size < 4 ? 4 : size);
        newt_config_init((newt_config *)cfg, size);
        uint32_t struct_size = (uint32_t)size;
        if (size < 4)
            CHECK(cfg[0] == 0x5a);
        else
            CHECK(memcmp(cfg, &struct_size, 4) == 0);
        memcpy(cfg, &struct_size, 4);
        size_t rounds;
        newt_status status = fold(cfg, &rounds);
        if (next < sizeof ends / sizeof *ends && size == ends[next]) {
            CHECK(status == NEWT_OK);
            next++;
        } else {
            CHECK(status == NEWT_ERR_ARGUMENT);
        }
        free(cfg);
    }
    CHECK(next == sizeof ends / sizeof *ends);
}

/* Programs built against a header with fields that this library does not know. */
static void newer(void)
{
    struct {
        newt_config known;
        char unknown[4096 - sizeof(newt_config)];
    } cfg;
    size_t rounds;
    memset(&cfg, 0x5a, sizeof cfg);
    newt_config_init(&cfg.known, sizeof cfg);
    CHECK(cfg.known.struct_size == 4096);
    for (size_t i = 0; i < sizeof cfg.unknown; i++)
        CHECK(cfg.unknown[i] == 0);
    cfg.known.results = NEWT_RESULTS_ANY;
    CHECK(fold(&cfg, &rounds) == NEWT_OK && rounds == 14);

    /* An unknown field that is set asks for what this library cannot do. */
    cfg.unknown[sizeof cfg.unknown - 1] = 1;
    CHECK(fold(&cfg, &rounds) == NEWT_ERR_ARGUMENT);
    cfg.unknown[sizeof cfg.unknown - 1] = 0;

    newt_config plain;
    memset(&plain, 0x5a, sizeof plain);
    newt_config_init(&plain, 4097);
    CHECK(((char *)&plain)[0] == 0x5a);
    newt_config_init(NULL, sizeof plain);
    newt_config_init(&plain, sizeof plain);
    plain.struct_size = 4097;
    CHECK(fold(&plain, &rounds) == NEWT_ERR_ARGUMENT);
}

int main(void)
{
    CHECK(newt_abi_version() == NEWT_FOLD_ABI_VERSION);
    CHECK(newt_version_number() == NEWT_FOLD_VERSION_NUMBER);
    t = make_transcript(20, 100);
    older();
    newer();
    free(t.json);
    return 0;
}
