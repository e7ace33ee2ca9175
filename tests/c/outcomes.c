/* Prints all that the library says of the documents on the command line: folds
 * in every grouping and form of card, prunes, what is stored and what comes
 * back. .ci/portable.sh compares it between machines. */
#include "newt_fold.h"

#include "check.h"

#include <string.h>

struct text {
    char *bytes;
    size_t len;
};

/* What was minted from the document at hand; a handle is a place here. */
static struct text spans[1000];
static size_t minted;

static struct text copy(const char *bytes, size_t len)
{
    struct text text = {(char *)malloc(len + 1), len};
    CHECK(text.bytes != NULL);
    memcpy(text.bytes, bytes, len);
    return text;
}

static void print(const char *name, const char *bytes, size_t len)
{
    printf("%s: ", name);
    fwrite(bytes, 1, len, stdout);
    putchar('\n');
}

static int32_t mint(void *user_data, const char *span, size_t span_len, char *handle,
                    size_t handle_cap, size_t *handle_len)
{
    (void)user_data;
    CHECK(minted < sizeof spans / sizeof *spans);
    print("span", span, span_len);
    *handle_len = (size_t)snprintf(handle, handle_cap, "%08zu", minted);
    spans[minted++] = copy(span, span_len);
    return 0;
}

static newt_status fetch(void *user_data, const char *handle, size_t handle_len, newt_sink *sink)
{
    (void)user_data;
    char *end;
    size_t place = strtoul(handle, &end, 10);
    if (end != handle + handle_len || place >= minted)
        return NEWT_ERR_NOT_FOUND;
    newt_sink_write(sink, spans[place].bytes, spans[place].len);
    return NEWT_OK;
}

/* Everything in an outcome, which is freed; returns its document. */
static struct text show(const char *call, const newt_outcome *out, struct text before)
{
    printf("%s: %s, verdict %u, %zu eligible, %zu folded, %zu cards, messages %zu to %zu, "
           "tokens %zu to %zu, prefix %zu\n",
           call, newt_status_name(out->status), out->verdict, out->rounds_eligible,
           out->rounds_folded, out->cards, out->messages_before, out->messages_after,
           out->tokens_before, out->tokens_after, out->prefix_len);
    if (out->error)
        printf("error at %zu: %s\n", out->error_offset, out->error);
    if (out->receipt)
        print("receipt", out->receipt, out->receipt_len);
    struct text after = copy(out->json ? out->json : "", out->json_len);
    if (after.len == before.len && memcmp(after.bytes, before.bytes, after.len) == 0)
        puts("document: as before");
    else
        print("document", after.bytes, after.len);
    newt_outcome_free(out);
    return after;
}

static size_t there_and_back(const char *call, struct text json, const newt_config *cfg,
                             const newt_outcome *out)
{
    size_t rounds = out->rounds_folded;
    struct text after = show(call, out, json);
    struct text back =
        show("expand", newt_expand(after.bytes, after.len, cfg, fetch, NULL), json);
    free(back.bytes);
    free(after.bytes);
    while (minted > 0)
        free(spans[--minted].bytes);
    return rounds;
}

static struct text read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    long len = ftell(file);
    CHECK(len >= 0);
    struct text text = {(char *)malloc((size_t)len + 1), (size_t)len};
    rewind(file);
    CHECK(text.bytes != NULL && fread(text.bytes, 1, text.len, file) == text.len);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    size_t rounds = 0, calls = 0;
    for (int i = 1; i < argc; i++) {
        struct text json = read_file(argv[i]);
        printf("%s\n", argv[i]);
        newt_config cfg;
        newt_config_init(&cfg, sizeof cfg);
        cfg.keep_last = 2;
        cfg.flags = NEWT_FLAG_RECEIPT | NEWT_FLAG_SHORTEN_ARGUMENTS;
        rounds += there_and_back("prune", json, &cfg,
                                 newt_prune(json.bytes, json.len, &cfg, mint, NULL));
        calls++;
        for (int form = 0; form < 12; form++, calls++) {
            cfg.results = form % 2 ? NEWT_RESULTS_ANY : NEWT_RESULTS_ONE_LINED;
            cfg.grouping = form / 2 % 2 ? NEWT_GROUPING_ALL : NEWT_GROUPING_RUNS;
            cfg.card = (uint32_t[]){NEWT_CARD_USER, NEWT_CARD_ASSISTANT, NEWT_CARD_TOOL}[form / 4];
            printf("results %u, grouping %u, card %u\n", cfg.results, cfg.grouping, cfg.card);
            rounds += there_and_back("fold", json, &cfg,
                                     newt_fold(json.bytes, json.len, &cfg, mint, NULL));
        }
        free(json.bytes);
    }
    printf("%d documents, %zu calls, %zu rounds\n", argc - 1, calls, rounds);
    return rounds == 0;
}
