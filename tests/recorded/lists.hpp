// Contractions, products and transpositions to plan: those of the lists in bench/, and random ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/tensor_view.hpp>

namespace tenfold::testing {

struct listed_contraction {
    std::string name;
    contraction_spec spec;
    extents_t extents; ///< by label

    extents_t extents_of(const std::vector<label_t> &labels) const;
    /// The extents of the inputs in order, then of the output.
    std::vector<extents_t> all_extents() const;
};

struct listed_transposition {
    std::string name;
    std::vector<int> permutation; ///< mode k of the output is mode permutation[k] of the input
    extents_t extents;            ///< of the input
};

/// Reads lines "name D-A-B a=48,b=36 [extents for types of 8 bytes and more]", or MxNxK, which is
/// ab=ac*cb. Throws std::invalid_argument.
std::vector<listed_contraction> read_contractions(const std::string &text, data_type type);
/// Reads lines "name 1,0 7264,7264".
std::vector<listed_transposition> read_transpositions(const std::string &text);

/// Returns the text of a list in bench/, for instance "tccg".
std::string bench_list(const std::string &name);

/// Returns the list that `tenfold-bench --random` makes: large contractions, or tiny ones.
std::string random_list(int count, bool tiny);

} // namespace tenfold::testing
