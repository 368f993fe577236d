// Compares one transposition with nested loops, bit for bit, on every instruction set.
#pragma once

#include <vector>

#include "arrays.hpp"
#include "transpose/plan/schedule.hpp"

namespace tenfold::testing {

struct type_pair {
    data_type a, b;
};

/// All pairs of types that a transposition supports.
const std::vector<type_pair> &type_pairs();

struct transposition {
    type_pair type;
    std::vector<int> permutation;
    layout a;
    layout b;
    bool conjugate = false;
    scalar alpha = 1.0;
    scalar beta = 0.0;
    transpose_impl::schedule_options choices;
    int threads = 1;
    index_t shift = 0; ///< of B, in components past a cache line
};

/// B's extents: mode k of B is mode permutation[k] of A.
extents_t permuted(const extents_t &a, const std::vector<int> &permutation);

/// Fails the test if elements, or bytes that belong to no element, differ.
void expect_as_by_reference(const transposition &given, random_source &random);

} // namespace tenfold::testing
