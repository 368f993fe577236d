// The kernels of one source, by what it is compiled for, and which of them serve an ISA.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>

#include "simd/variant.hpp"
#include "simd/variants.hpp"

namespace tenfold::simd {

constexpr std::size_t most_variants = 16; ///< variants.cpp asserts it

/// A list of at most `Most` elements that needs no memory of its own: tables of kernels are made in
/// functions that must not fail.
template <class T, std::size_t Most> class bounded_list {
public:
    bounded_list() = default;
    bounded_list(std::initializer_list<T> elements) {
        for (const T &one : elements)
            push_back(one);
    }
    void push_back(const T &one) noexcept { elements_[size_++] = one; }

    const T *data() const noexcept { return elements_.data(); }
    std::size_t size() const noexcept { return size_; }
    const T *begin() const noexcept { return data(); }
    const T *end() const noexcept { return data() + size_; }
    const T &back() const noexcept { return elements_[size_ - 1]; }

private:
    std::array<T, Most> elements_{};
    std::size_t size_ = 0;
};

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

    /// The best for an ISA. Every kernel that needs no feature is there for the last variant, which
    /// serves all.
    const table_entry<Kernels> &find(isa wanted) const noexcept {
        const auto *const found = first_that_serves(entries_, wanted);
        return found != nullptr ? *found : entries_.back();
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
