#include "simd/variants.hpp"

#include <algorithm>
#include <array>

#include "simd/kernel_table.hpp"

namespace tenfold::simd {
namespace {

#define TENFOLD_LIST(source, variant_name, set, bytes, feature)                                    \
    variant{#variant_name, isa::set, bytes, feature},
constexpr std::array all{TENFOLD_VARIANTS(TENFOLD_LIST, )};
static_assert(all.size() <= most_variants);

/// Where the variants of an ISA begin.
std::ptrdiff_t place_of(isa set) noexcept {
    const auto *const found =
        std::find_if(all.begin(), all.end(), [&](const variant &one) { return one.isa == set; });
    return found - all.begin();
}

} // namespace

std::span<const variant> variants() noexcept { return all; }

bool serves(const variant &offered, isa wanted) noexcept {
    return offered.isa == isa::generic || offered.isa == all.back().isa ||
           place_of(offered.isa) >= place_of(wanted);
}

bool finds_what_it_needs(const variant &one, const base::machine *machine) noexcept {
    return (one.feature == nullptr || (machine != nullptr && machine->*one.feature)) &&
           base::has_registers_of(one.isa, one.register_bytes);
}

bool runs(const base::machine &machine, const variant &one) noexcept {
    return machine.supports(one.isa) && finds_what_it_needs(one, &machine);
}

} // namespace tenfold::simd
