// The kernels of one source, by what it is compiled for, and which of them serve an ISA.
#pragma once

#include <initializer_list>

#include "simd/bounded_list.hpp"
#include "simd/variant.hpp"
#include "simd/variants.hpp"

namespace tenfold::simd {

template <class Kernels> struct table_entry {
    simd::variant variant;
    const Kernels *kernels;
};

/// Best first.
template <class Kernels> class kernel_table {
public:
    kernel_table(std::initializer_list<table_entry<Kernels>> entries) noexcept
        : entries_(entries) {}

    auto begin() const noexcept { return entries_.begin(); }
    auto end() const noexcept { return entries_.end(); }

    /// The best for an ISA. Every kernel that needs no feature is there for generic.
    const table_entry<Kernels> &find(isa wanted) const noexcept {
        for (const table_entry<Kernels> &one : entries_)
            if (serves(one.variant, wanted) && finds_what_it_needs(one.variant, nullptr))
                return one;
        return entries_.back();
    }
    /// Those compiled for a variant; null: there are none.
    const Kernels *compiled_for(const variant &wanted) const noexcept {
        for (const table_entry<Kernels> &one : entries_)
            if (one.variant.name == wanted.name)
                return one.kernels;
        return nullptr;
    }

private:
    bounded_list<table_entry<Kernels>, most_variants> entries_;
};

} // namespace tenfold::simd

/// Declares a kernel source's entries: `source` is <module>_<source>, `type` what they return the
/// address of, from the global namespace on. At global scope.
#define TENFOLD_DECLARE_KERNELS(source, type)                                                      \
    using tenfold_##source##_kernels = type;                                                       \
    TENFOLD_VARIANTS_OF_##source(TENFOLD_DECLARE_KERNEL_, source)
#define TENFOLD_DECLARE_KERNEL_(source, variant_name, isa, bytes, feature)                         \
    extern "C" const tenfold_##source##_kernels *tenfold_##source##_##variant_name();

/// Their table, a value.
#define TENFOLD_KERNEL_TABLE(source)                                                               \
    tenfold::simd::kernel_table<tenfold_##source##_kernels> {                                      \
        TENFOLD_VARIANTS_OF_##source(TENFOLD_LIST_KERNEL_, source)                                 \
    }
#define TENFOLD_LIST_KERNEL_(source, variant_name, set, bytes, feature)                            \
    {{#variant_name, tenfold::isa::set, bytes, feature}, tenfold_##source##_##variant_name()},
