// A contraction as the command line asks for it, and what follows from that: types and layouts.
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
    std::string a_file, b_file, c_file;  ///< empty: not from a file
    std::vector<std::string> more_files; ///< inputs after those, in the expression's order
    std::string out_file;

    bool from_files() const noexcept {
        return !a_file.empty() || !b_file.empty() || !c_file.empty() || !more_files.empty();
    }
    /// The inputs' files, in order.
    std::vector<std::string> input_files() const;
};

/// Binds the options that describe a contraction to `request`: those of `tenfold contract` and
/// `tenfold explain`.
void add_contraction_options(command_line &line, contraction_request &request);

/// The contraction with everything resolved; no data yet.
struct resolved_contraction {
    contraction_spec spec;
    data_type type;           ///< of the inputs
    labelled_extents extents; ///< in the order of spec.label_names
    std::vector<layout> inputs;
    layout c;
    layout d;
    scalar alpha; ///< without the expression's own factor
    scalar beta;

    /// Of C and D: f32 where the inputs are bf16 or f16, else the inputs'.
    data_type output_type() const noexcept;
    bool reads_c() const noexcept { return beta != 0.0; }
    /// Bytes of all tensors that the run holds. Throws errc::overflow.
    index_t tensor_bytes() const;
};

/// Inputs may be bf16 and f16 where a contraction runs on one process. Elsewhere float16 files are
/// widened to f32, and --type bf16 and f16 are refused.
enum class half_precision : std::uint8_t { kept, widened };

/// Parses the expression and finds type and extents in the headers of the files or in the options.
/// Throws usage_error, and tenfold::error from the parser and from malformed files.
resolved_contraction resolve(const contraction_request &request, half_precision halves);

/// The plan for it; throws as make_plan() does.
contraction_plan plan_for(const contraction_request &request, const resolved_contraction &resolved);

/// Contractions across ranks are not tuned: throws usage_error if that was asked for.
void refuse_tuning(const contraction_request &request);

/// "[t,u]" style labels as they stand in the expression, for messages: "abc" or "t,u".
std::string labels_of(const contraction_spec &spec, const std::vector<label_t> &labels);

} // namespace tenfold::apps_impl
