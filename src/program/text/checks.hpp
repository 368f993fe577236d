// The names of a program: which ranges labels and tensors have, and whether lines agree on them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tenfold/chem_pairs.hpp>

#include "base/internals.hpp"
#include "program/text/tree.hpp"

namespace tenfold::program_impl {

/// The range "pairs(virtual)" or "strict_pairs(virtual)".
struct pair_range {
    std::string of;
    chem::pair_kind kind;
};

/// What the names of a program mean.
struct symbols {
    std::vector<std::string> ranges; ///< those that have sizes
    std::map<std::string, pair_range>
        pair_ranges; ///< by their names, which are no names of the text
    std::map<std::string, std::string> range_of_label;
    std::vector<program_tensor> tensors;

    /// Null if there is none.
    const program_tensor *find(const std::string &name) const noexcept;
};

/// Finds the meaning of all names and checks every use of them. Throws as parse_program() does.
symbols check(const tree &whole);

/// Of the factors of a term: the tensors, without scalars.
std::vector<const named *> tensors_of(const summand &term);
/// The symmetrisers of a term.
std::vector<const exchange *> exchanges_of(const summand &term);
/// Whether a line divides its own target in place: "R[a,i] = R[a,i] / (..)".
bool divides_in_place(const assignment &line);

/// A mode of a packed tensor that stands for two modes of the whole one.
struct packed_mode {
    std::size_t mode;
    chem::pair_kind kind;
};
/// Finds such modes, in their order: "P[ab,i,j]" of "X[a,b,i,j]" has one. Throws
/// errc::unknown_label, errc::extent_mismatch, errc::order_mismatch and errc::invalid_argument
/// unless the labels of the packed tensor are those of the whole one, but for pairs.
std::vector<packed_mode> packed_modes(const named &packed, const named &whole,
                                      const symbols &names);
/// Throws unless a line of pack or unpack makes sense, as packed_modes() does; ranges of tensors
/// have been checked.
void check_pairs(const packing &line, const symbols &names);

} // namespace tenfold::program_impl

/// The state behind a program.
struct tenfold::program::state {
    tenfold::program_impl::tree text;
    tenfold::program_impl::symbols names;
};
