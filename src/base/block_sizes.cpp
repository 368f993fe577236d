#include "base/block_sizes.hpp"

#include <charconv>

namespace tenfold::base {
namespace {

/// Returns the member named "kc", "mc" or "nc"; null for any other name.
index_t *member(block_sizes &sizes, std::string_view name) noexcept {
    return name == "kc" ? &sizes.kc : name == "mc" ? &sizes.mc : name == "nc" ? &sizes.nc : nullptr;
}

} // namespace

std::optional<block_sizes> parse_block_sizes(std::string_view text) noexcept {
    block_sizes sizes;
    for (bool more = true; more;) {
        const std::size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        more = comma != std::string_view::npos;
        text.remove_prefix(more ? comma + 1 : text.size());

        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos)
            return std::nullopt;
        index_t *const size = member(sizes, item.substr(0, equals));
        if (size == nullptr || *size != 0)
            return std::nullopt;
        const char *const end = item.data() + item.size();
        const auto [rest, status] = std::from_chars(item.data() + equals + 1, end, *size);
        if (status != std::errc() || rest != end || *size < 1 || *size > largest_block)
            return std::nullopt;
    }
    return sizes;
}

} // namespace tenfold::base
