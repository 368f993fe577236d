// What kernel sources are compiled for.
#pragma once

#include <span>
#include <string_view>

#include <tenfold/types.hpp>

#include "base/machine.hpp"

namespace tenfold::simd {

/// An instruction set as a kernel source is compiled for it: registers of one length, and perhaps
/// one more feature.
struct variant {
    std::string_view name; ///< "avx512vnni": what names of kernels end in
    tenfold::isa isa;
    int register_bytes;
    /// What the processor must have beside the instruction set; null: nothing.
    bool base::machine::*feature;
};

/// All of this build, best first: a processor that runs one runs those that follow, but for
/// registers of another length and for features. The last one, generic or neon, runs on all
/// processors of the architecture.
std::span<const variant> variants() noexcept;

/// Whether a variant's kernels may serve an ISA: those of the ISA and, where it has none for the
/// processor's registers, of what follows it in the list. The last variant serves every ISA:
/// generic, and those of other processors.
bool serves(const variant &offered, isa wanted) noexcept;

/// Whether `machine` has the variant's feature, and this processor its registers; asked of machines
/// that have its instruction set. Null: no feature can be relied on.
bool finds_what_it_needs(const variant &one, const base::machine *machine) noexcept;

/// The first element of `list`, best first, that `fits` and whose `variant` serves an ISA and finds
/// what it needs; null: there is none.
template <class List, class Condition>
auto first_that_serves(const List &list, isa wanted, const base::machine *machine,
                       Condition fits) noexcept -> decltype(&*list.begin()) {
    for (const auto &one : list)
        if (fits(one) && serves(one.variant, wanted) && finds_what_it_needs(one.variant, machine))
            return &one;
    return nullptr;
}

/// The same where any element fits and no feature can be relied on.
template <class List> auto first_that_serves(const List &list, isa wanted) noexcept {
    return first_that_serves(list, wanted, nullptr, [](const auto &) { return true; });
}

/// Whether `machine`, which is this one, runs its kernels.
bool runs(const base::machine &machine, const variant &one) noexcept;

} // namespace tenfold::simd
