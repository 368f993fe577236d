// all_kinds() and nothing else: a test links a list of its own in its place.
#include "contract/choose/kinds.hpp"

#include <array>

namespace tenfold::contract_impl {

std::span<const candidate_kind *const> all_kinds() noexcept {
#define TENFOLD_ADDRESS_OF_KIND(name) &name##_kind,
    static constexpr std::array kinds{TENFOLD_CANDIDATE_KINDS(TENFOLD_ADDRESS_OF_KIND)};
#undef TENFOLD_ADDRESS_OF_KIND
    return kinds;
}

} // namespace tenfold::contract_impl
