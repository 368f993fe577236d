// The names of a program: which ranges labels and tensors have, and whether lines agree on them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/internals.hpp"
#include "program/text/tree.hpp"

namespace tenfold::program_impl {

/// What the names of a program mean.
struct symbols {
    std::vector<std::string> ranges;
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

} // namespace tenfold::program_impl

/// The state behind a program.
struct tenfold::program::state {
    tenfold::program_impl::tree text;
    tenfold::program_impl::symbols names;
};
