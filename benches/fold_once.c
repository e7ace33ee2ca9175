/* Folds one document once: fold_once DOCUMENT CARD. */
#include "../include/newt_fold.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t mint(void *user_data, const char *span, size_t span_len, char *handle,
                    size_t handle_cap, size_t *handle_len) {
    (void)user_data, (void)span, (void)span_len, (void)handle_cap;
    memcpy(handle, "h7q2kx3m", *handle_len = 8);
    return 0;
}

int main(int argc, char **argv) {
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END)) return 2;
    long len = ftell(file);
    char *json = malloc((size_t)len);
    rewind(file);
    if (!json || fread(json, 1, (size_t)len, file) != (size_t)len) return 2;
    newt_config config;
    newt_config_init(&config, sizeof config);
    config.results = NEWT_RESULTS_ANY;
    config.card = (uint32_t)atoi(argv[2]);
    const newt_outcome *outcome = newt_fold(json, (size_t)len, &config, mint, NULL);
    printf("%zu rounds folded, status %d\n", outcome->rounds_folded, outcome->status);
    newt_outcome_free(outcome);
    free(json);
    return fclose(file);
}
