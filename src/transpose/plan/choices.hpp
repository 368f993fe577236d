// The fields of schedule_options as a list, which tuning varies, wisdom keeps and explain() names.
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
    index_t least; ///< the least value that is not the default
    index_t most;  ///< larger values have no effect; a file with one is damaged
};

std::span<const choice> all_choices() noexcept;

/// Values of stream_threshold: stores go past the cache whatever the size of B, or never.
constexpr index_t always_streams = 0;
constexpr index_t never_streams = INT64_MAX;
/// The threshold that makes every B bypass the caches, or none.
constexpr index_t streams_if(bool bypass_caches) noexcept {
    return bypass_caches ? always_streams : never_streams;
}

/// Returns "strip 32, ahead 4, streaming off", or "the estimate" if nothing differs from the
/// defaults.
std::string describe(const schedule_options &options);

} // namespace tenfold::transpose_impl
