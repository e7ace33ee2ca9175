// What newt_fold.hpp promises, each as a check.
#include "newt_fold.hpp"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <thread>
#include <vector>

static int tests = 0;

static void check(bool holds, const char *what) {
    if (!holds) {
        std::cerr << "does not hold: " << what << "\n";
        std::exit(1);
    }
    std::cout << "ok " << ++tests << " " << what << "\n";
}

struct disk_full : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A callable that can be neither copied nor called when const.
struct counting_mint {
    int spans = 0;
    std::unique_ptr<int> unique = std::make_unique<int>(0);
    std::string operator()(std::string_view) { return "span-" + std::to_string(spans++); }
};

template <class Call>
static newt_status refusal(Call call) {
    try {
        call();
        return NEWT_OK;
    } catch (const newt::error &error) {
        return error.status();
    }
}

int main(int argc, char **argv) {
    std::ifstream file(argc > 1 ? argv[1] : "../golden/transcript.json", std::ios::binary);
    const std::string transcript((std::istreambuf_iterator<char>(file)), {});
    newt::config config;
    config.results = NEWT_RESULTS_ANY;

    counting_mint counting;
    newt::outcome folded = newt::fold(transcript, config, counting);
    check(folded.folded() && counting.spans == 2, "a callable with state is the mint");
    check(folded.handle() == "span-1", "the handle is the newest card's");
    check(folded.json().data() == folded->json, "the text is the library's, not a copy");

    newt::outcome moved = std::move(folded);
    check(moved->messages_after == 19 && moved.json().size() < transcript.size(), "an outcome moves");

    std::function<std::string(std::string_view)> function = std::ref(counting);
    check(newt::fold(transcript, config, function).folded(), "a std::function is a mint");
    check(newt::fold(transcript, config, counting_mint()).folded(), "a temporary is a mint");

    auto declines = [](std::string_view) -> std::optional<std::string> { return std::nullopt; };
    newt::outcome declined = newt::fold(transcript, config, declines);
    check(declined.verdict() == NEWT_VERDICT_DECLINED && declined.json() == transcript,
          "std::nullopt declines");

    for (int spans = 0; spans < 2; spans++) {
        bool caught = false;
        try {
            newt::fold(transcript, config, [left = spans](std::string_view span) mutable {
                std::string copy(span);
                if (left-- == 0)
                    throw disk_full("no room for " + std::to_string(copy.size()) + " bytes");
                return std::string("handle");
            });
        } catch (const disk_full &) {
            caught = true;
        }
        check(caught, "an exception thrown in the mint reaches the caller of fold");
    }

    bool caught = false;
    try {
        newt::expand(moved.json(), config,
                     [](std::string_view) -> std::optional<std::string> { throw disk_full("gone"); });
    } catch (const disk_full &) {
        caught = true;
    }
    check(caught, "an exception thrown in the fetch reaches the caller of expand");

    auto mint = [](std::string_view) { return std::string("h"); };
    try {
        newt::fold("[1, oops]", config, mint);
        check(false, "broken JSON is refused");
    } catch (const newt::error &error) {
        check(error.status() == NEWT_ERR_JSON && error.offset() == 4u && *error.what() != '\0',
              "broken JSON is refused, with its place");
    }
    check(refusal([&] { newt::fold("", config, mint); }) == NEWT_ERR_JSON, "an empty view is a document");
    check(refusal([&] { newt::fold({}, config, mint); }) == NEWT_ERR_JSON, "so is a view of nothing");
    check(refusal([&] { newt::fold(transcript, config, [](auto) { return std::string(300, 'x'); }); }) ==
              NEWT_ERR_HANDLE,
          "a handle that is too long is refused");

    newt::outcome planned = newt::plan(transcript, config);
    check(planned.verdict() == NEWT_VERDICT_PLANNED && planned.json() == transcript, "a plan changes nothing");

    newt::store store;
    newt::outcome kept = newt::fold(transcript, config, store);
    check(newt::expand(kept.json(), config, store).json() == transcript, "a store folds and expands");
    check(!store.fetch(kept.handle()).view().empty(), "a store fetches by the handle");
    std::string arguments = "{\"address\":\"compaction:" + std::string(kept.handle()) + "\",\"grep\":\"gauge_test\"}";
    check(store.answer(arguments).view().find("gauge_test") != std::string_view::npos,
          "a store answers the model");
    newt::outcome pruned = newt::prune(transcript, config, store);
    check(pruned.folded() && newt::expand(pruned.json(), config, store).json() == transcript,
          "a store prunes and expands");
    store.forget();
    check(refusal([&] { store.fetch(kept.handle()); }) == NEWT_ERR_NOT_FOUND, "a store forgets");
    check(refusal([] { newt::store("/no/such/folder/spans.db", "s"); }) == NEWT_ERR_STORE,
          "a store that cannot open says so");
    check(newt::fetch_tool(config).view().find("memory_fetch") != std::string_view::npos,
          "the fetch tool is declared");

    std::vector<std::thread> threads;
    std::vector<std::string> results(8);
    for (auto &result : results)
        threads.emplace_back([&] { result = newt::fold(transcript, config, mint).json(); });
    for (auto &thread : threads)
        thread.join();
    bool same = true;
    for (auto &result : results)
        same = same && result == results[0] && !result.empty();
    check(same, "eight threads fold to the same bytes");

    std::cout << tests << " tests\n";
}
