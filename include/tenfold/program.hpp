// Programs of equations on distributed tensors: text, checks, and plans for any number of ranks.
// Only values and pure functions, without MPI; <tenfold/dist_program.hpp> runs them. See
// docs/programs.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenfold/dist_layouts.hpp>
#include <tenfold/dist_plan.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// What a program does with a tensor. Inputs are only read, outputs outlive the program.
enum class tensor_role : std::uint8_t { input, output, intermediate };

/// A tensor of a program. Its name always means this tensor.
struct program_tensor {
    std::string name;
    std::vector<std::string> ranges; ///< of each mode, "virtual", "pairs(virtual)"; none: a scalar
    tensor_role role = tensor_role::intermediate;

    friend bool operator==(const program_tensor &, const program_tensor &) = default;
};

/// Lines of equations between named tensors over named index ranges, which parse_program() has read
/// and checked. An immutable value, cheap to copy.
class program {
public:
    /// The index ranges, in the order in which they are declared, without those of pairs, whose
    /// sizes follow.
    const std::vector<std::string> &ranges() const noexcept;
    /// All tensors and scalars, in the order in which they appear.
    const std::vector<program_tensor> &tensors() const noexcept;
    /// The program as text, a statement per line. parse_program() reads an equal program from it;
    /// but for white space and comments it is the text that was parsed.
    std::string to_string() const;

    /// Whether both have the same text.
    friend bool operator==(const program &a, const program &b) {
        return a.to_string() == b.to_string();
    }

private:
    friend struct internals;
    struct state;
    explicit program(std::shared_ptr<const state> parsed) : state_(std::move(parsed)) {}

    std::shared_ptr<const state> state_;
};

/// Reads a program (docs/programs.md has the grammar):
///     index i, j, k, l: occupied
///     index a, b, c, d: virtual
///     input vvvv[a,b,c,d], vvoo[a,b,i,j], eo[i], ev[a]
///     output R[a,b,i,j], E
///     T[a,b,i,j] = vvoo[a,b,i,j] / (eo[i] + eo[j] - ev[a] - ev[b])
///     R[a,b,i,j] = vvoo[a,b,i,j] + 0.5*vvvv[a,b,c,d]*T[c,d,i,j]
///     E = 0.25*vvoo[a,b,i,j]*T[a,b,i,j]
/// and checks it: tensors are written before they are read, the same name has the same ranges
/// everywhere, and every term of a sum has the labels of the line's left side. Throws errc::syntax,
/// errc::unknown_label (a label of no range, or of the left side and in no factor),
/// errc::repeated_label, errc::order_mismatch, errc::extent_mismatch (a label of another range than
/// the tensor's mode) and errc::invalid_argument. The message begins with "line 7, column 12: ",
/// both counted from 1, and names tensor, label and both ranges.
program parse_program(std::string_view text);

/// Reads a program from a file. Throws as parse_program(), with the file's name before the line,
/// and errc::io.
program read_program(const std::string &path);

/// The number of positions of each index range, by its name.
using range_sizes = std::map<std::string, index_t>;

/// How a program is planned; the same on every rank.
struct program_options {
    /// Of every contraction: threads, context (which must outlive the plan), reproducible sums,
    /// back end, workspace limit. A grid, steps, factors, memory_per_rank and epilogues are
    /// refused.
    dist_options contraction = {};
    /// Whether tensors that are read may exist in copies. Without a limit of memory they take at
    /// most a quarter more than the default distributions.
    copies_allowed copies = {.any = true};
    /// How often blocks are repeated, for the sums of the plan; empty: as often as they may.
    std::optional<int> repetitions = std::nullopt;
    /// Where tensors lie of which the caller says so, by their names: inputs that are distributed
    /// already, or a placement that the caller knows to be good. Others are placed as without
    /// these; if all factors and results of contractions are given, no distributions are tried. Of
    /// a divisor every rank has all.
    std::map<std::string, distribution> layouts = {};
};

/// What a line takes. "Per rank" means the maximum over the ranks; bytes are payload.
struct planned_line {
    int line;            ///< of the text that was parsed, from 1
    std::string text;    ///< without white space at the ends
    std::int64_t times;  ///< how often it runs
    double seconds;      ///< predicted, each time
    byte_count received; ///< per rank, each time: by each of its contractions' busiest ranks
    byte_count peak;     ///< per rank: all tensors that exist, buffers and local workspace
};

/// What the whole program takes: sums over all lines, and the highest peak.
struct program_plan_summary {
    int ranks;
    double seconds;
    byte_count received;
    byte_count peak;
};

/// A program that is planned for given sizes and a number of ranks: where each tensor lies, which
/// contractions each line becomes, when tensors are allocated and freed. An immutable value, cheap
/// to copy. run_program() of <tenfold/dist_program.hpp> runs it.
class program_plan {
public:
    const program_plan_summary &summary() const noexcept;
    /// Lines that compute, in the order of the text; a repeated block is the line of its test.
    const std::vector<planned_line> &lines() const noexcept;
    /// Where each tensor lies, those included that lines need in between, whose names begin with
    /// '_'. Scalars are on every rank and have none.
    const std::map<std::string, distribution> &layouts() const noexcept;
    const tenfold::program &planned() const noexcept;
    const range_sizes &sizes() const noexcept;

    /// Several lines of text: a table of lines with times, seconds, bytes and memory, and where
    /// tensors lie.
    std::string describe() const;

private:
    friend struct internals;
    struct state;
    explicit program_plan(std::shared_ptr<const state> planned) : state_(std::move(planned)) {}

    std::shared_ptr<const state> state_;
};

/// Plans a program for tensors of f64. Decides by the predicted seconds of all lines together where
/// each tensor lies (plan_layouts()), in copies where it is small and read often, and the order of
/// products of more than two tensors by their multiply-adds. A pure function of its arguments and
/// of the context's rates; uses neither MPI nor clock. Plans each contraction some dozens of times.
///
/// Throws errc::invalid_argument for a range without a size, a size below 1, a size of no range,
/// less than one rank, and options that are refused, errc::extent_mismatch for layouts that do not
/// fit their tensors; otherwise as make_dist_plan() does.
program_plan make_program_plan(const program &equations, const range_sizes &sizes, int ranks,
                               const program_options &options = {});

} // namespace tenfold
