// The exception that planning throws if memory_per_rank is too small.
#pragma once

#include <string>

#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

#include "base/text.hpp"

namespace tenfold::dist_impl {

/// errc::workspace_too_small, with the smallest limit that suffices.
class memory_refusal : public error {
public:
    /// `of` names the candidates that were tried, if these are not all.
    memory_refusal(byte_count least, byte_count limit, const std::string &of = "")
        : error(errc::workspace_too_small, "memory per rank: " + base::describe(limit) +
                                               " is not enough; the least" + of + " is " +
                                               base::describe(least) + " (" +
                                               std::to_string(least.value) + " bytes)"),
          least_(least) {}
    byte_count least() const noexcept { return least_; }

private:
    byte_count least_;
};

} // namespace tenfold::dist_impl
