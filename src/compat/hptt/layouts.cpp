#include "compat/hptt/layouts.hpp"

#include <algorithm>
#include <span>
#include <string>

#include <tenfold/error.hpp>

namespace tenfold::hptt_impl {
namespace {

std::string element(const std::string &array, std::size_t mode) {
    return array + "[" + std::to_string(mode) + "]";
}

void check_arrays(const arguments &given) {
    if (given.dim < 1)
        throw error(errc::invalid_argument,
                    "dim is " + std::to_string(given.dim) + "; tensors have at least one mode");
    if (given.perm == nullptr || given.size_a == nullptr)
        throw error(errc::invalid_argument,
                    std::string(given.perm == nullptr ? "perm" : "sizeA") + " is null");
    const std::span perm(given.perm, static_cast<std::size_t>(given.dim));
    for (std::size_t mode = 0; mode < perm.size(); ++mode) {
        const int from = perm[mode];
        if (from < 0 || from >= given.dim)
            throw error(errc::invalid_argument, element("perm", mode) + " is " +
                                                    std::to_string(from) + "; A's modes are 0 to " +
                                                    std::to_string(given.dim - 1));
        for (std::size_t before = 0; before < mode; ++before)
            if (perm[before] == from)
                throw error(errc::invalid_argument,
                            element("perm", mode) + " is " + std::to_string(from) + ", and so is " +
                                element("perm", before) + "; each mode of A moves to one of B");
    }
}

/// Strides are products of the outer sizes of faster modes.
void set_strides(char tensor, const index_t *extents, const arguments &given, const int *outer,
                 index_t *strides) {
    const auto order = static_cast<std::size_t>(given.dim);
    index_t step = 1;
    for (std::size_t from_fastest = 0; from_fastest < order; ++from_fastest) {
        const std::size_t mode = given.row_major ? order - 1 - from_fastest : from_fastest;
        const index_t whole = outer == nullptr ? extents[mode] : outer[mode];
        if (whole < extents[mode])
            throw error(errc::extent_mismatch, element(std::string("outerSize") + tensor, mode) +
                                                   " is " + std::to_string(whole) + ", but mode " +
                                                   std::to_string(mode) + " of " + tensor +
                                                   " has extent " + std::to_string(extents[mode]));
        strides[mode] = step;
        // Empty tensors may have any strides.
        if (__builtin_mul_overflow(step, std::max<index_t>(whole, 1), &step))
            throw error(errc::overflow, std::string(1, tensor) +
                                            " and what surrounds it have more than 2^63 elements");
    }
}

} // namespace

shapes::shapes(const arguments &given) {
    check_arrays(given);
    order_ = static_cast<std::size_t>(given.dim);
    if (order_ > few_modes)
        many_.resize(4 * order_);
    index_t *const extents_a = numbers();
    index_t *const extents_b = extents_a + 2 * order_;
    for (std::size_t mode = 0; mode < order_; ++mode) {
        extents_a[mode] = given.size_a[mode];
        extents_b[mode] = given.size_a[given.perm[mode]];
    }
    set_strides('A', extents_a, given, given.outer_size_a, extents_a + order_);
    set_strides('B', extents_b, given, given.outer_size_b, extents_b + order_);
}

layouts make_layouts(const arguments &given) {
    const shapes made(given);
    return {made.a().to_layout(), made.b().to_layout()};
}

} // namespace tenfold::hptt_impl
