// newt_fold for C++17: one header over newt_fold.h.
//
// Text goes in as std::string_view and comes out of an object that owns it,
// without a copy. A mint and a fetch are any callables; an exception thrown in
// one reaches whoever called. A refusal is thrown as newt::error.
#ifndef NEWT_FOLD_HPP
#define NEWT_FOLD_HPP

#include "newt_fold.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace newt {

// A call was refused: what() is the library's sentence.
class error : public std::runtime_error {
public:
    error(newt_status status, const char *sentence, std::size_t offset)
        : std::runtime_error(sentence), status_(status), offset_(offset) {}

    newt_status status() const noexcept { return status_; }
    const char *name() const noexcept { return newt_status_name(status_); }

    // The byte of the document at fault, where there is one.
    std::optional<std::size_t> offset() const noexcept {
        return offset_ == SIZE_MAX ? std::nullopt : std::optional(offset_);
    }

private:
    newt_status status_;
    std::size_t offset_;
};

// The defaults, to be changed field by field.
struct config : newt_config {
    config() noexcept { newt_config_init(this, sizeof(newt_config)); }
};

namespace detail {

struct free_outcome {
    void operator()(const newt_outcome *outcome) const noexcept { newt_outcome_free(outcome); }
};

struct free_text {
    void operator()(const newt_text *text) const noexcept { newt_text_free(text); }
};

struct close_store {
    void operator()(newt_store *store) const noexcept { newt_store_close(store); }
};

// The callbacks that C calls: `self` is the caller's callable.
template <class Mint>
std::int32_t mint(void *self, const char *span, std::size_t span_len, char *handle,
                  std::size_t handle_cap, std::size_t *handle_len) {
    std::optional<std::string> given = (*static_cast<Mint *>(self))(std::string_view(span, span_len));
    if (!given)
        return 1;
    std::memcpy(handle, given->data(), given->size() < handle_cap ? given->size() : handle_cap);
    *handle_len = given->size(); // one that is too long is refused by the library
    return 0;
}

template <class Fetch>
newt_status fetch(void *self, const char *handle, std::size_t handle_len, newt_sink *sink) {
    std::optional<std::string> span = (*static_cast<Fetch *>(self))(std::string_view(handle, handle_len));
    if (!span)
        return NEWT_ERR_NOT_FOUND;
    newt_sink_write(sink, span->data(), span->size());
    return NEWT_OK;
}

// A callable as the user data of a callback.
template <class Callable>
void *user_data(Callable &callable) noexcept {
    return const_cast<void *>(static_cast<const void *>(std::addressof(callable)));
}

} // namespace detail

// What a call did; owns the document it returned.
class outcome {
public:
    // Takes what a C function returned; throws newt::error if that refused.
    explicit outcome(const newt_outcome *owned) : owned_(owned) {
        if (owned->status != NEWT_OK)
            throw error(owned->status, owned->error, owned->error_offset);
    }

    // The views live as long as this object.
    std::string_view json() const noexcept { return {owned_->json, owned_->json_len}; }
    std::string_view handle() const noexcept { return {owned_->handle, owned_->handle_len}; }
    std::string_view receipt() const noexcept { return {owned_->receipt, owned_->receipt_len}; }

    newt_verdict verdict() const noexcept { return owned_->verdict; }
    bool folded() const noexcept { return verdict() == NEWT_VERDICT_FOLDED; }

    // The counts: `outcome->tokens_after`.
    const newt_outcome *operator->() const noexcept { return owned_.get(); }

private:
    std::unique_ptr<const newt_outcome, detail::free_outcome> owned_;
};

// A text that the library made; owns it.
class text {
public:
    // Takes what a C function returned; throws newt::error if that refused.
    explicit text(const newt_text *owned) : owned_(owned) {
        if (owned->status != NEWT_OK)
            throw error(owned->status, owned->error, SIZE_MAX);
    }

    std::string_view view() const noexcept { return {owned_->text, owned_->text_len}; }

private:
    std::unique_ptr<const newt_text, detail::free_text> owned_;
};

// The built-in store, open on a session. A mint and a fetch in one.
class store {
public:
    store(std::string_view path, std::string_view session)
        : owned_(newt_store_open(path.data(), path.size(), session.data(), session.size())) {
        check();
    }

    // In memory, gone with this object.
    store() : owned_(newt_store_open(nullptr, 0, nullptr, 0)) { check(); }

    // Throws the latest failure, if there was one: why a mint declined.
    void check() const { text(newt_store_state(owned_.get())); }

    text fetch(std::string_view address) const {
        return text(newt_store_fetch(owned_.get(), address.data(), address.size()));
    }

    // The text to send back for a model's call of the fetch tool.
    text answer(std::string_view arguments_json) const {
        return text(newt_store_answer(owned_.get(), arguments_json.data(), arguments_json.size()));
    }

    void forget() {
        if (newt_store_forget(owned_.get()) != NEWT_OK)
            check();
    }

    newt_store *get() const noexcept { return owned_.get(); }

private:
    std::unique_ptr<newt_store, detail::close_store> owned_;
};

// Folds with a mint of your own: anything that takes the span as a
// std::string_view and returns its handle as a std::string, or std::nullopt to
// decline.
template <class Mint>
outcome fold(std::string_view json, const config &config, Mint &&mint) {
    return outcome(newt_fold(json.data(), json.size(), &config,
                             detail::mint<std::remove_reference_t<Mint>>, detail::user_data(mint)));
}

// Folds with the built-in store as the mint.
inline outcome fold(std::string_view json, const config &config, store &store) {
    return outcome(newt_fold(json.data(), json.size(), &config, newt_store_mint, store.get()));
}

// What a fold would do. Stores nothing.
inline outcome plan(std::string_view json, const config &config) {
    return outcome(newt_fold(json.data(), json.size(), &config, nullptr, nullptr));
}

// One-lines aged results in place; the mint is as for fold.
template <class Mint>
outcome prune(std::string_view json, const config &config, Mint &&mint) {
    return outcome(newt_prune(json.data(), json.size(), &config,
                              detail::mint<std::remove_reference_t<Mint>>, detail::user_data(mint)));
}

inline outcome prune(std::string_view json, const config &config, store &store) {
    return outcome(newt_prune(json.data(), json.size(), &config, newt_store_mint, store.get()));
}

// Puts back what was folded, with a fetch of your own: anything that takes a
// handle as a std::string_view and returns its span as a std::string, or
// std::nullopt where it has none.
template <class Fetch>
outcome expand(std::string_view json, const config &config, Fetch &&fetch) {
    return outcome(newt_expand(json.data(), json.size(), &config,
                               detail::fetch<std::remove_reference_t<Fetch>>, detail::user_data(fetch)));
}

inline outcome expand(std::string_view json, const config &config, store &store) {
    return outcome(newt_expand(json.data(), json.size(), &config, newt_store_load, store.get()));
}

// The definition of the fetch tool, to stand among a request's tools.
inline text fetch_tool(const config &config) {
    return text(newt_fetch_tool_json(&config));
}

} // namespace newt

#endif
