// What the arguments of HPTT's interface mean: the layouts of A and B. Mode k of B is mode perm[k]
// of A.
#pragma once

#include <tenfold/tensor_view.hpp>

namespace tenfold::hptt_impl {

/// Arguments as HPTT's functions take them; arrays have one number per mode.
struct arguments {
    const int *perm;
    int dim;
    const int *size_a;
    const int *outer_size_a; ///< null: size_a
    const int *outer_size_b; ///< null: the sizes of B
    bool row_major;
};

struct layouts {
    layout a, b;
};

/// Throws tenfold::error: errc::invalid_argument (no modes, a null pointer, not a permutation, a
/// negative size), errc::extent_mismatch (an outer size less than the size), errc::overflow.
layouts make_layouts(const arguments &given);

} // namespace tenfold::hptt_impl
