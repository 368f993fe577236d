// The value of the option --random.
#pragma once

#include <cstdint>
#include <string>

namespace tenfold::apps_impl {

struct random_request {
    int count = 0;
    std::uint32_t seed = 0;
};

/// Parses N or N:SEED; without SEED the seed is random.
random_request parse_random(const std::string &option, const std::string &text);

} // namespace tenfold::apps_impl
