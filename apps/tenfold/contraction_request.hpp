// A contraction as the command line describes it, and the types and layouts that follow.
#pragma once

#include <string>
#include <vector>

#include <tenfold/contract.hpp>

#include "apps/common/option_groups.hpp"

namespace tenfold::apps_impl {

struct contraction_request {
    std::string spec;
    problem_options problem;
    execution_options execution;
    bool f64_sums = false;
    std::string a_file, b_file, c_file;  ///< empty: there is no file
    std::vector<std::string> more_files; ///< further inputs, in the expression's order
    std::string out_file;

    bool from_files() const noexcept {
        return !a_file.empty() || !b_file.empty() || !c_file.empty() || !more_files.empty();
    }
    /// The files of all inputs, in order.
    std::vector<std::string> input_files() const;
};

/// Binds to `request` the options that describe a contraction in `tenfold contract` and `tenfold
/// explain`.
void add_contraction_options(command_line &line, contraction_request &request);

/// A contraction with types and extents resolved, but without data.
struct resolved_contraction {
    contraction_spec spec;
    contraction_types types;  ///< see type_of_input()
    labelled_extents extents; ///< in the order of spec.label_names
    std::vector<layout> inputs;
    layout c;
    layout d;
    scalar alpha; ///< without the expression's own factor
    scalar beta;

    bool reads_c() const noexcept { return beta != 0.0; }
    data_type type_of_input(std::size_t number) const { return types.of_input(number); }
    /// Bytes of all tensors that the run holds in memory. Throws errc::overflow.
    index_t tensor_bytes() const;
};

/// Whether float16 files stay f16 where no option says a type, or are widened to f32.
enum class half_precision : std::uint8_t { kept, widened };

/// Parses the expression, and takes type and extents from the headers of the files or from the
/// options. Throws usage_error, and tenfold::error from the parser and from malformed files.
resolved_contraction resolve(const contraction_request &request, half_precision halves);

/// Makes the plan. Throws as make_plan() does.
contraction_plan plan_for(const contraction_request &request, const resolved_contraction &resolved);

/// Throws usage_error for options that contractions across ranks do not have: --tuning, --f64-sums.
void refuse_across_ranks(const contraction_request &request);

/// The labels as they stand in the expression, for messages: "abc", or "t,u" for labels in
/// brackets.
std::string labels_of(const contraction_spec &spec, const std::vector<label_t> &labels);

} // namespace tenfold::apps_impl
