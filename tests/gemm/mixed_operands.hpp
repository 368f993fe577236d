// Small matrices of numbers that every input type of mixed products has.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/gemm_mixed.hpp>

namespace tenfold::testing {

template <class In> std::vector<In> numbers(const std::vector<int> &values) {
    std::vector<In> result;
    for (const int value : values)
        if constexpr (std::is_integral_v<In>)
            result.push_back(static_cast<In>(value));
        else
            result.push_back(In(static_cast<float>(value)));
    return result;
}

/// The 2 x 3 matrix of rows (1 2 3) (4 5 6) and the 3 x 2 matrix of rows (1 2) (3 4) (5 6).
template <class T> struct operands {
    std::vector<T> a = numbers<T>({1, 4, 2, 5, 3, 6});
    std::vector<T> b = numbers<T>({1, 3, 5, 2, 4, 6});
    matrix_view<const T> view_a{a.data(), 2, 3};
    matrix_view<const T> view_b{b.data(), 3, 2};
};

template <class In, class Out> struct pair_of_types {
    using in = In;
    using out = Out;
};
using mixed_type_pairs = ::testing::Types<pair_of_types<bf16, float>, pair_of_types<f16, float>,
                                          pair_of_types<std::int8_t, std::int32_t>>;

} // namespace tenfold::testing
