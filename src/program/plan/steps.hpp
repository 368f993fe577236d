// What a program does, step by step, for given sizes: each step is one operation that the library
// has. Plans price the steps, and run_program() runs them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <tenfold/program.hpp>

#include "program/text/checks.hpp"

namespace tenfold::program_impl {

/// A number times scalars, over a sum of such: known when the program runs.
struct coefficient {
    double number = 1;
    std::vector<std::string> scalars;
    std::vector<coefficient> divisor; ///< empty: 1
};

/// output (=, +=) factor * inputs[0] * inputs[1], by contract().
struct contraction_step {
    std::string expression;          ///< "R[a,b]=T[a,c]*V[c,b]", with '=' in any case
    std::vector<std::string> inputs; ///< one or two
    std::string output;
    coefficient factor;
    bool adds = false;
};

/// tensor = factor * tensor / (sum of parts), element by element, where each rank has it. Without
/// parts it is not divided.
struct division_step {
    struct part {
        coefficient factor;
        std::string vector;   ///< empty: a number
        std::size_t mode = 0; ///< of the tensor, over which the vector goes
    };
    std::string tensor;
    coefficient factor;
    std::vector<part> parts;
};

/// Packs two modes of a tensor as pairs, or adds such pairs to it, by pack_pairs() and
/// unpack_pairs(); of two packed tensors by pack_pair_matrices() and unpack_pair_matrices().
struct packing_step {
    bool unpacks = false;
    std::string whole;
    std::vector<std::string> packed;
    int mode = 0; ///< the first of the whole tensor, if one tensor is packed
    chem::pair_kind kind = chem::pair_kind::symmetric; ///< likewise
    bool half_diagonal = false;

    bool makes_matrices() const noexcept { return packed.size() > 1; }
};

/// All elements of a tensor become one number.
struct filling_step {
    std::string tensor;
    coefficient value;
};

/// A scalar (=, +=) a sum of coefficients.
struct scalar_step {
    std::string scalar;
    std::vector<coefficient> terms;
    bool adds = false;
};

/// Of a repeated block, which `block` names by its first step.
struct extrapolation_step {
    std::vector<std::string> tensors;
    std::vector<std::string> errors;
    int keep = 0;
    std::size_t block = 0;
};

struct block_begin {
    std::size_t end = 0; ///< its block_end
};

struct scalar_test {
    enum class function : std::uint8_t { none, abs, sqrt };
    function applied = function::none; ///< to the left side
    std::vector<coefficient> left;
    bool less = true;
    std::vector<coefficient> right;
};

/// Goes back to the step behind `begin` until all tests hold, at most so many times.
struct block_end {
    std::size_t begin = 0;
    std::vector<scalar_test> tests;
    int most = 1;
};

struct step {
    std::size_t line; ///< of lowered::lines
    std::variant<contraction_step, division_step, filling_step, scalar_step, extrapolation_step,
                 packing_step, block_begin, block_end>
        what;
};

struct lowered_line {
    int line;
    std::string text;
    std::int64_t times;
};

struct lowered {
    std::vector<lowered_line> lines;
    std::vector<step> steps;
    std::map<std::string, extents_t> extents; ///< of all tensors, and, without modes, of scalars
    std::set<std::string> vectors;            ///< that divide: each rank needs all of them
};

/// Makes the steps. Products of more than two tensors become several, in the order with the fewest
/// multiply-adds, and symmetrised or divided terms get a tensor of their own. `repetitions`: of
/// blocks, as in program_options. Throws errc::invalid_argument for sizes that are missing, below 1
/// or of no range, and errc::overflow.
lowered lower(const tree &text, const symbols &names, const range_sizes &sizes,
              const std::optional<int> &repetitions);

/// The tensors that a step reads and writes, without scalars, each once.
std::set<std::string> tensors_of(const step &one, const lowered &all);

/// The steps between which a tensor exists, both included.
struct lifetime {
    std::size_t first;
    std::size_t last; ///< the number of steps: it outlives the program
};

/// A tensor exists from its first to its last use. One that is used in a repeated block and outside
/// exists during all of that block. Inputs exist from the beginning, outputs to the end; tensors
/// that no step uses are left out.
std::map<std::string, lifetime> lifetimes_of(const lowered &all, const symbols &names);

} // namespace tenfold::program_impl
