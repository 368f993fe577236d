// The fields of schedule_options as a list: tuning varies them, wisdom keeps them, explain() names
// them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <tenfold/types.hpp>

#include "transpose/plan/schedule.hpp"

namespace tenfold::transpose_impl {

struct choice {
    const char *name;
    index_t schedule_options::*field;
    index_t least; ///< of a value that is not the default
    index_t most;  ///< beyond, nothing would change any more; a file that says so is broken
};

std::span<const choice> all_choices() noexcept;

/// Stores go past the cache whatever the size of B, or never.
constexpr index_t always_streams = 0;
constexpr index_t never_streams = INT64_MAX;

/// "strip 32, ahead 4, streaming off"; "the estimate" where nothing differs from the defaults.
std::string describe(const schedule_options &options);

} // namespace tenfold::transpose_impl
