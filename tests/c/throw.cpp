// An exception thrown in a mint reaches whoever called newt_fold; what the
// library held is freed on its way (LeakSanitizer counts).
#include "newt_fold.h"

#include "check.h"
#include "transcript.h"

#include <stdexcept>
#include <string>

struct mint_state {
    int calls;
    int throw_at;
};

static int32_t throwing_mint(void *user_data, const char *span, size_t span_len, char *handle,
                             size_t handle_cap, size_t *handle_len)
{
    mint_state *state = static_cast<mint_state *>(user_data);
    std::string copy(span, span_len); // its destructor must run as well
    if (state->calls++ == state->throw_at)
        throw std::runtime_error("the disk of " + std::to_string(copy.size()) + " bytes is full");
    return fixed_mint(user_data, span, span_len, handle, handle_cap, handle_len);
}

int main()
{
    transcript runs[2] = {make_transcript(40, 60), make_transcript(40, 60)};
    // Two runs, two cards: the exception passes with one card made already.
    std::string json(runs[0].json, runs[0].len - 1);
    json += "," + std::string(runs[1].json + 1, runs[1].len - 1);
    free(runs[0].json);
    free(runs[1].json);

    newt_config cfg;
    newt_config_init(&cfg, sizeof cfg);
    cfg.results = NEWT_RESULTS_ANY;
    for (int repeat = 0; repeat < 100; repeat++)
        for (int throw_at = 0; throw_at < 2; throw_at++) {
            mint_state state = {0, throw_at};
            bool caught = false;
            try {
                newt_outcome_free(newt_fold(json.data(), json.size(), &cfg, throwing_mint, &state));
            } catch (const std::runtime_error &error) {
                caught = std::string(error.what()).find("is full") != std::string::npos;
            }
            CHECK(caught && state.calls == throw_at + 1);
        }

    // The library is as good as new.
    mint_state state = {0, -1};
    const newt_outcome *out = newt_fold(json.data(), json.size(), &cfg, throwing_mint, &state);
    CHECK(out->status == NEWT_OK && state.calls == 2 && out->cards == 2);
    newt_outcome_free(out);
    return 0;
}
