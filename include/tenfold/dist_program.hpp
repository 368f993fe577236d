// Runs programs of equations (program.hpp) on the ranks of a world. Link tenfold::dist. See
// docs/programs.md.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <tenfold/control.hpp>
#include <tenfold/dist.hpp>
#include <tenfold/program.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// Fills a rank's own block of an input, as dist_tensor::fill() calls it.
using fill_callback = std::function<void(const extents_t &offsets, tensor_view<double> block)>;

/// What a rank passes for an input: a number for a scalar; a function that fills the blocks; or a
/// tensor, which is read where it lies if that is where the plan has it, and copied else. All ranks
/// pass the same kind. The tensor must outlive the call.
using program_input = std::variant<double, fill_callback, const dist_tensor<double> *>;

/// What a line took, in all its runs. The same on every rank.
struct executed_line {
    int line; ///< of the text, from 1
    std::string text;
    std::int64_t times;  ///< how often it ran
    double seconds;      ///< of the slowest rank, in all
    double planned;      ///< seconds that the plan predicts for as many runs
    byte_count received; ///< payload, by each operation's busiest rank, in all; without inputs
    byte_count peak;     ///< per rank: tensors that exist, buffers and local workspace
};

/// What a program computed.
struct program_result {
    std::map<std::string, double> scalars;              ///< outputs that are scalars
    std::map<std::string, dist_tensor<double>> tensors; ///< the other outputs
    /// Whether every repeated block ended by its test when it ran last.
    bool converged = true;
    std::vector<executed_line> lines; ///< those of the plan
    byte_count peak = bytes(0);       ///< the highest of them

    /// A table of the lines: times, seconds, predicted seconds, bytes, memory.
    std::string describe() const;
};

/// Collective. Runs a planned program:
///     const program mp3 = read_program("mp3.tenfold");
///     const program_plan plan = make_program_plan(mp3, {{"occupied", 5}, {"virtual", 20}},
///                                                 everyone.size());
///     program_result result = run_program(plan, everyone, {{"vvoo", fill_vvoo}, {"eo", &eo}});
///     std::cout << result.scalars.at("E");
/// All inputs of the program are bound by their names. Tensors lie where the plan of rank 0 has
/// them; an intermediate is freed after its last use. Products run by the world's number of threads
/// and for its nodes unless the plan has others; if these, the rates and the layouts are those of
/// the plan, lines receive exactly the bytes that it states.
///
/// Throws, on all ranks alike, errc::invalid_argument (an input that is missing, or bound and none,
/// of the wrong kind, of another world, another number of ranks), errc::extent_mismatch and
/// errc::order_mismatch (a tensor of other extents), errc::disagreement, errc::out_of_memory.
///
/// `control` is looked at within contractions and before every operation, whose shares are the
/// predicted seconds of their lines: of a block that is repeated, for as often as the plan expects.
/// A stop on any rank ends the program on all of them with errc::stopped; nothing of it remains.
program_result run_program(const program_plan &plan, const world &everyone,
                           const std::map<std::string, program_input> &inputs,
                           const execution_control *control = nullptr);

} // namespace tenfold
