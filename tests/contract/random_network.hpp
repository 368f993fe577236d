// Random contractions of many inputs: labels of one to all inputs, diagonals, scalars, any strides,
// all types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tenfold/tenfold.hpp>

#include "support/fenced.hpp"
#include "support/random.hpp"

namespace tenfold::testing {

/// Small integers at the positions of `shape`, in a buffer with a margin around it, or without a
/// margin next to a protected page.
struct network_tensor {
    layout shape;
    data_type type = data_type::f64;
    bool conjugated = false;
    fenced_bytes buffer;
    index_t origin = 0; ///< bytes before position 0

    void *data() { return buffer.data() + origin; }
    const void *data() const { return buffer.data() + origin; }
    input in() const {
        const input operand(type, data(), shape);
        return conjugated ? conj(operand) : operand;
    }
    output out() { return {type, data(), shape}; }
};

struct random_network_problem {
    contraction_spec spec;
    std::vector<network_tensor> inputs;
    network_tensor c, d;
    bool in_place = false; ///< D starts as C and serves as both
    scalar alpha, beta;

    std::vector<input> operands() const;
    std::string describe() const;
};

/// Makes a problem of `inputs` inputs with at most about `most_products` positions of all labels
/// together. Values are so small that sums are exact in every type and order. `type` is that of the
/// inputs; empty: any.
random_network_problem make_random_network(random_source &random, int inputs,
                                           std::int64_t most_products,
                                           std::optional<data_type> type = std::nullopt);

/// Sets all bytes, which is NaN in every type.
void poison(network_tensor &tensor);

/// Whether two buffers of one type hold the same numbers; -0 equals 0, and NaN equals NaN.
bool same_values(const network_tensor &x, const network_tensor &y);

} // namespace tenfold::testing
