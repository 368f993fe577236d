// The cases of a suite, by name, from the lists that are compiled in or from a file.
#pragma once

#include <string>
#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/tensor_view.hpp>

namespace tenfold::apps_impl {

struct builtin_list {
    const char *suite;
    const char *text;
};
const std::vector<builtin_list> &builtin_lists();

/// One contraction of dense column-major tensors. A transposition has one input; a matrix product
/// is ab=ac*cb.
struct bench_case {
    std::string suite;
    std::string name;
    std::string text; ///< the expression
    contraction_spec spec;
    extents_t extents; ///< by label

    /// For a transposition: mode k of the output is mode permutation()[k] of the input.
    std::vector<int> permutation() const;
    extents_t extents_of(const std::vector<label_t> &labels) const;
    bool is_batch(label_t label) const;    ///< in both inputs and the output
    bool is_isolated(label_t label) const; ///< in one input only: summed before the product
    bool has_repeated_labels() const;      ///< one tensor has a label twice

    /// Real flops of the product; 0 for a transposition.
    double flops(data_type type) const;
    /// Bytes of A, B and D, and of C if it is read, each once; a tensor with a repeated label
    /// counts only its diagonal. Takes the bytes of the elements.
    double bytes(index_t input_element, index_t output_element, bool reads_c) const;
};

/// `permutation` as above; `extents` are those of the input. Throws usage_error.
bench_case transposition(const std::string &name, const extents_t &permutation,
                         const extents_t &extents);

/// Returns the cases of `suite` whose names match `patterns` (globs separated by commas; empty:
/// all), from the file if one is named. A pattern of gemm or small that is a plain MxNxK is a case
/// of its own. One line per case, '#' begins a comment:
///     ttc          name  permutation  extents of the input
///     tccg, dist, small --contract, interfaces
///                  name  expression  extents  [extents for types of 8 bytes and more]
///     gemm, small  [name]  MxNxK
/// Throws usage_error if nothing matches, and tenfold::error (errc::io) with the line for a
/// malformed file.
///
/// The second function selects from cases that did not come from a list.
std::vector<bench_case> select_cases(const std::string &suite, const std::string &patterns,
                                     const std::string &file, data_type type);
std::vector<bench_case> select_cases(const std::string &suite, const std::string &patterns,
                                     const std::vector<bench_case> &all);

/// Reads all cases of a list; messages call it `source`.
std::vector<bench_case> read_cases(const std::string &suite, const std::string &source,
                                   const std::string &text, data_type type);

} // namespace tenfold::apps_impl
