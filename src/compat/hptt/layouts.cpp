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

/// The layout of one tensor: strides are products of the outer sizes of faster modes.
layout make_layout(char tensor, extents_t extents, const int *outer, bool row_major) {
    extents_t strides(extents.size());
    index_t step = 1;
    for (std::size_t from_fastest = 0; from_fastest < extents.size(); ++from_fastest) {
        const std::size_t mode = row_major ? extents.size() - 1 - from_fastest : from_fastest;
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
    return {std::move(extents), std::move(strides)};
}

} // namespace

layouts make_layouts(const arguments &given) {
    check_arrays(given);
    extents_t extents_a(given.size_a, given.size_a + given.dim), extents_b;
    extents_b.reserve(extents_a.size());
    for (int mode = 0; mode < given.dim; ++mode)
        extents_b.push_back(given.size_a[given.perm[mode]]);
    return {make_layout('A', std::move(extents_a), given.outer_size_a, given.row_major),
            make_layout('B', std::move(extents_b), given.outer_size_b, given.row_major)};
}

} // namespace tenfold::hptt_impl
