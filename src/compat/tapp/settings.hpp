// Handles and executors: what attributes set.
#pragma once

#include <memory>
#include <optional>

#include <tenfold/context.hpp>
#include <tenfold/contract.hpp>

#include "compat/tapp/objects.hpp"
#include "tenfold/tapp/tapp/attributes.h"

namespace tenfold::tapp_impl {

/// What handles and executors have in common. What is empty was not set.
struct choices {
    std::optional<int> threads = {};
    std::optional<byte_count> workspace_limit = {};
    std::optional<bool> reproducible = {};
    std::optional<tenfold::tuning> tuning = {};

    friend bool operator==(const choices &, const choices &) = default;
};

/// Where and how a product is planned.
struct surroundings {
    std::shared_ptr<const tenfold::context> context;
    choices chosen = {};

    contract_options options() const;
    friend bool operator==(const surroundings &, const surroundings &) = default;
};

struct handle : object {
    static constexpr kind own_kind = kind::handle;

    choices chosen = {};
    std::optional<tenfold::isa> isa = {};
    std::optional<tenfold::backend> backend = {};
    std::optional<std::string> wisdom = {};
    /// Has all of that but the tuning among its settings.
    std::shared_ptr<const tenfold::context> context;

    handle();
    void set(TAPP_key key, std::intptr_t value);
    std::intptr_t get(TAPP_key key) const;
    void clear(TAPP_key key);

    /// For products that are planned with this handle.
    surroundings as_surroundings() const { return {context, {.tuning = chosen.tuning}}; }
};

struct executor : object {
    static constexpr kind own_kind = kind::executor;

    choices chosen = {};
    std::intptr_t handle_number = 0; ///< of the handle that gave the context; 0: none did
    surroundings of_handle = {};

    void set(TAPP_key key, std::intptr_t value);
    std::intptr_t get(TAPP_key key) const;
    void clear(TAPP_key key);

    bool is_plain() const noexcept { return handle_number == 0 && chosen == choices(); }
    /// For a product that was planned in `own`.
    surroundings in_place_of(const surroundings &own) const;
};

} // namespace tenfold::tapp_impl
