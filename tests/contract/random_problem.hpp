// Random contractions of every kind: all classes of labels, all types, strides of any sign, zero
// strides, gaps, diagonals, extents 0 and 1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tenfold/tenfold.hpp>

#include "support/fenced.hpp"
#include "support/random.hpp"

namespace tenfold::testing {

/// A tensor of small integers, in a buffer with a margin around it, or without a margin next to a
/// protected page.
struct random_tensor {
    layout shape;
    data_type type = data_type::f64;
    fenced_bytes buffer;
    index_t origin = 0; ///< element of the buffer that has position 0

    void *data() { return buffer.data() + origin * size_of(type); }
    const void *data() const { return buffer.data() + origin * size_of(type); }
    index_t elements() const { return static_cast<index_t>(buffer.size()) / size_of(type); }
};

struct random_problem {
    contraction_spec spec;
    std::vector<random_tensor> inputs; ///< one or two
    random_tensor c, d;
    bool in_place = false; ///< D starts as C and serves as both
    bool conjugate_a = false, conjugate_b = false, conjugate_c = false;
    scalar alpha, beta;
    bool diagonal_output = false;

    std::string describe() const;
};

/// Makes a problem small enough for the reference: at most about `most_products` multiply-adds.
/// Values and scalars are small integers, so that sums are exact in every type and order. `type` is
/// that of the inputs; empty: any, also different ones.
random_problem make_random_problem(random_source &random, std::int64_t most_products,
                                   std::optional<data_type> type = std::nullopt);

/// A tensor of small integers with random strides: any order of modes, gaps, some negative, and
/// zero if `zeros` is set.
random_tensor make_random_tensor(const extents_t &extents, data_type type, bool zeros,
                                 random_source &random);

/// Whether two buffers of tensors with the same layout hold the same numbers; -0 equals 0, and NaN
/// equals NaN.
bool same_values(const random_tensor &x, const random_tensor &y);

} // namespace tenfold::testing
