// Folds a transcript with a mint that is a lambda, prints the cards, and puts
// everything back.
//
//     fold [transcript.json]
#include "newt_fold.hpp"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

// FNV-1a, 64 bits, as every host's example: enough for an example's handles.
static std::string name_by_content(std::string_view span) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (char byte : span)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    char name[17];
    std::snprintf(name, sizeof name, "%016" PRIx64, hash);
    return name;
}

// Prints each card of a folded document: a JSON string that begins with its mark.
static void print_cards(std::string_view json) {
    constexpr std::string_view mark = "\"[NEWT FOLDED TOOL ROUNDS]";
    for (auto at = json.find(mark); at != json.npos; at = json.find(mark, at)) {
        for (at++; json[at] != '"'; at++) {
            bool escaped = json[at] == '\\';
            at += escaped;
            std::cout << (escaped && json[at] == 'n' ? '\n' : json[at]);
        }
        std::cout << "\n";
    }
}

int main(int argc, char **argv) {
    std::ifstream file(argc > 1 ? argv[1] : "../golden/transcript.json", std::ios::binary);
    std::string transcript((std::istreambuf_iterator<char>(file)), {});

    std::map<std::string, std::string, std::less<>> spans;
    newt::config config;
    config.results = NEWT_RESULTS_ANY;
    try {
        newt::outcome folded = newt::fold(transcript, config, [&](std::string_view span) {
            return spans.emplace(name_by_content(span), span).first->first;
        });
        std::cout << "before: " << folded->messages_before << " messages, " << folded->tokens_before
                  << " tokens\nafter:  " << folded->messages_after << " messages, "
                  << folded->tokens_after << " tokens\n";
        print_cards(folded.json());

        newt::outcome expanded =
            newt::expand(folded.json(), config, [&](std::string_view handle) -> std::optional<std::string> {
                auto span = spans.find(handle);
                return span == spans.end() ? std::nullopt : std::optional(span->second);
            });
        if (expanded.json() != transcript) {
            std::cerr << "the transcript does not come back as it was\n";
            return 1;
        }
        std::cout << "expanded: equal to the transcript, byte for byte\n";
    } catch (const newt::error &refusal) {
        std::cerr << refusal.name() << ": " << refusal.what() << "\n";
        return 1;
    }
}
