#include "apps/bench/random_request.hpp"

#include <charconv>
#include <optional>
#include <random>

#include "apps/common/program.hpp"
#include "apps/common/values.hpp"

namespace tenfold::apps_impl {
namespace {

std::optional<std::uint32_t> seed_in(const std::string &text) {
    std::uint32_t seed = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (status != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return seed;
}

} // namespace

random_request parse_random(const std::string &option, const std::string &text) {
    const std::size_t colon = text.find(':');
    random_request request;
    request.count = parse_count(option, text.substr(0, colon));
    const auto seed = colon == std::string::npos ? std::optional(std::random_device()())
                                                 : seed_in(text.substr(colon + 1));
    if (!seed)
        throw usage_error(option + " '" + text + "': expected N or N:SEED, a seed below 2^32");
    request.seed = *seed;
    return request;
}

} // namespace tenfold::apps_impl
