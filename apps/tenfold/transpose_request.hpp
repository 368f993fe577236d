// A transposition as the command line describes it, and the types and layouts that follow.
#pragma once

#include "apps/common/conversions.hpp"
#include "apps/tenfold/contraction_request.hpp"

namespace tenfold::apps_impl {

/// The position of an operand in a larger, dense tensor.
struct enclosing_tensor {
    labelled_extents extents; ///< of labels whose outer extent is larger than their own
    labelled_extents offsets; ///< of labels that do not begin at 0

    bool is_larger() const noexcept { return !extents.empty() || !offsets.empty(); }
};

struct transpose_request {
    contraction_request operands; ///< A is the input, `out` the output
    std::optional<element_types> types;
    enclosing_tensor around_a, around_b;
    tenfold::tuning tuning = tuning::estimate;
    std::optional<double> tuning_seconds;
    run_options run;
    bool explain = false;
};

/// Binds the options of `tenfold transpose` to `request`.
void add_transpose_options(command_line &line, transpose_request &request);

/// An operand: a whole dense array or a part of it.
struct array_part {
    data_type type;
    layout whole;
    extents_t offsets;
    layout part; ///< with the strides of the whole

    index_t origin() const noexcept { return whole.offset_of(offsets); }
};

struct resolved_transpose {
    contraction_spec spec;
    labelled_extents extents;
    std::vector<int> permutation; ///< mode k of B is mode permutation[k] of A
    array_part a, b;
    scalar alpha; ///< with the expression's own factor and sign
    scalar beta;

    bool converts() const noexcept { return a.type != b.type; }
    bool reads_b() const noexcept { return beta != 0.0; }
    /// Returns "f64" or "f32-f64".
    std::string type_name() const;
};

/// Throws usage_error, and tenfold::error as resolve() of contractions does.
resolved_transpose resolve(const transpose_request &request);

} // namespace tenfold::apps_impl
