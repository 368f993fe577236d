#include "contract/products/vector_loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <span>

#include "base/checked.hpp"
#include "base/footprint.hpp"
#include "base/parallel.hpp"
#include "contract/choose/kinds.hpp"
#include "contract/choose/planning.hpp"
#include "contract/products/kernels/vector_abi.hpp"
#include "contract/products/position_walker.hpp"
#include "einsum/problem/checks.hpp"
#include "simd/kernel_table.hpp"

TENFOLD_DECLARE_KERNELS(contract_vector_loops, tenfold::contract_impl::vector_kernel_set)

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;

/// The longest pass whose part of D stays in L1 during the sums.
constexpr index_t longest_pass = 1024;
/// Below this number of products, starting a team takes longer than the work.
constexpr double products_worth_threads = 20000;

const vector_kernel_set &kernels_for(isa instruction_set) noexcept {
    static const auto table = TENFOLD_KERNEL_TABLE(contract_vector_loops);
    return *table.find(instruction_set).kernels;
}

const vector_kernels &select(const vector_kernel_set &set, data_type type) noexcept {
    switch (type) {
#define TENFOLD_CASE(T, name)                                                                      \
    case data_type::name:                                                                          \
        return set.name;
#define TENFOLD_NO_CASE(T, name)                                                                   \
    case data_type::name:                                                                          \
        break;
        TENFOLD_ELEMENT_TYPES(TENFOLD_CASE, TENFOLD_NO_CASE)
        TENFOLD_FOR_INTEGER_TYPES(TENFOLD_NO_CASE)
#undef TENFOLD_CASE
#undef TENFOLD_NO_CASE
    }
    __builtin_unreachable(); // others are multiplied elsewhere
}

/// The mode of a pass, and the modes of the loops around it.
struct vector_nest {
    problem_mode inner;
    bool sums_inner = false; ///< the pass is a dot product
    mode_group loops;        ///< positions of D
    mode_group sums;
    double seconds = 0;
    int threads = 1;
};

class vector_loops final : public candidate {
public:
    vector_loops(const matrix_problem &problem, vector_nest nest, isa instruction_set)
        : nest_(std::move(nest)), kernels_(select(kernels_for(instruction_set), problem.type)),
          element_(tenfold::size_of(problem.type)), conjugate_a_(problem.conjugate_a),
          conjugate_b_(problem.conjugate_b), loop_count_(extent_of(nest_.loops)),
          sum_count_(extent_of(nest_.sums)),
          pieces_(nest_.sums_inner ? 1 : base::divide_up(nest_.inner.extent, longest_pass)) {}

    tenfold::algorithm algorithm() const noexcept override { return algorithm::loops; }
    double seconds() const noexcept override { return nest_.seconds; }
    byte_count workspace() const noexcept override { return {}; }
    std::string describe() const override {
        const std::string along = nest_.inner.label.empty() ? "one element" : nest_.inner.label;
        return std::string(nest_.sums_inner ? "dot products" : "vector products") + " along " +
               along + " (" + std::to_string(nest_.inner.extent) + "), " +
               std::to_string(loop_count_) + " x " + std::to_string(sum_count_) + " passes";
    }

    std::size_t footprint() const noexcept override {
        return sizeof *this + base::allocation_overhead + base::allocated_by(nest_.inner.label) +
               allocated_by(nest_.loops) + allocated_by(nest_.sums);
    }

    void execute(const sources &from, void *d, std::byte *) const noexcept override {
        base::run_parallel(nest_.threads, [&](const base::team_member &member) {
            const base::range mine = base::split(loop_count_ * pieces_, member.size(), member.id());
            if (mine.empty())
                return;
            base::in_watched_parts(mine, loop_count_ * pieces_, [&](const base::range &part) {
                position_walker position(nest_.loops, part.begin / pieces_);
                index_t piece = part.begin % pieces_;
                for (index_t i = part.begin; i < part.end; ++i) {
                    run_piece(piece, position.at(), from, d);
                    if (++piece == pieces_) {
                        piece = 0;
                        position.step();
                    }
                }
            });
        });
    }

private:
    /// One piece of the inner mode at one position of D, including all sums.
    void run_piece(index_t piece, const offsets &position, const sources &from,
                   void *d) const noexcept {
        const base::range stretch =
            nest_.sums_inner
                ? base::range{0, nest_.inner.extent}
                : base::range{piece * longest_pass,
                              std::min(nest_.inner.extent, (piece + 1) * longest_pass)};
        const auto address = [&](const void *data, einsum_impl::tensor_id t, index_t extra) {
            return static_cast<const std::byte *>(data) +
                   (position[t] + extra + stretch.begin * nest_.inner.stride[t]) * element_;
        };
        position_walker term(nest_.sums, 0);
        for (index_t i = 0; i < sum_count_; ++i, term.step()) {
            const scalar factor = i == 0 ? from.beta : 1.0;
            const vector_operands operands{stretch.size(),
                                           address(from.a, A, term.at()[A]),
                                           address(from.b, B, term.at()[B]),
                                           const_cast<std::byte *>(address(d, D, 0)),
                                           nest_.inner.stride[A],
                                           nest_.inner.stride[B],
                                           nest_.inner.stride[D],
                                           {from.alpha.real(), from.alpha.imag()},
                                           {factor.real(), factor.imag()},
                                           conjugate_a_,
                                           conjugate_b_};
            nest_.sums_inner ? kernels_.dot(operands) : kernels_.multiply(operands);
        }
    }

    vector_nest nest_;
    vector_kernels kernels_;
    index_t element_; ///< bytes
    bool conjugate_a_, conjugate_b_;
    index_t loop_count_, sum_count_;
    index_t pieces_; ///< number of pieces of the inner mode
};

/// A tensor in passes along `inner`, and in the loops around it.
cost_model::vector_stride vector_of(const cost_model &model,
                                    std::span<const problem_mode *const> outward,
                                    const problem_mode &inner, einsum_impl::tensor_id t) noexcept {
    std::array<cost_model::looped, einsum_impl::max_modes> around;
    std::size_t count = 0;
    double passes_over_one = 1; // that follow one another
    for (const problem_mode *mode : outward) {
        if (mode == &inner)
            continue;
        if (mode->stride[t] != 0)
            around[count++] = {mode->extent, mode->stride[t]};
        else if (count == 0)
            passes_over_one *= static_cast<double>(mode->extent);
    }
    const std::span loops(around.data(), count);
    const bool far = count > 0 && model.is_far(loops.front().stride);
    return {inner.stride[t], model.used_of_line({inner.extent, inner.stride[t]}, loops),
            far ? 1 / passes_over_one : 0};
}

void offer_loops(planning &with, offers &made) {
    if (std::string why = with.no_product_in_place(); !why.empty())
        return made.refuse(std::move(why));
    if (const data_type inputs = with.problem.type[A]; inputs != with.problem.type[D])
        return made.refuse("there are no vector loops over " + std::string(name(inputs)));
    if (candidate_ptr loops =
            make_vector_loops(with.matrices(), with.model(), with.environment, with.most_seconds))
        made.add(std::move(loops));
}

} // namespace

candidate_ptr make_vector_loops(const matrix_problem &problem, const cost_model &model,
                                const plan_environment &environment, double most_seconds) {
    constexpr std::size_t free_groups = 3;
    const std::array groups{&problem.batch, &problem.m, &problem.n, &problem.k};
    double passes_over_one = 1;
    for (const mode_group *group : groups)
        passes_over_one *= static_cast<double>(extent_of(*group));

    // The loops from the inside out, as execute() runs them.
    std::vector<const problem_mode *> outward;
    outward.reserve(problem.batch.size() + problem.m.size() + problem.n.size() + problem.k.size());
    for (const problem_mode &mode : problem.k)
        outward.push_back(&mode);
    for (std::size_t i = 0; i < free_groups; ++i)
        for (const problem_mode &mode : *groups[i])
            outward.push_back(&mode);
    std::sort(outward.begin() + std::ssize(problem.k), outward.end(),
              [](const problem_mode *a, const problem_mode *b) {
                  return std::abs(a->stride[D]) < std::abs(b->stride[D]);
              });

    struct choice {
        const problem_mode *inner = nullptr;
        bool sums = false;
        double seconds = 0;
        int threads = 1;
    };
    choice best;
    const problem_mode single{1, {}, ""};
    const auto consider = [&](const problem_mode &inner, bool sums_inner) {
        const double n = static_cast<double>(inner.extent);
        const double calls = passes_over_one / n;
        const bool worth_threads = calls * n > products_worth_threads;
        const int threads = worth_threads ? environment.threads : 1;
        const auto operand = [&](einsum_impl::tensor_id t) {
            return vector_of(model, outward, inner, t);
        };
        const double seconds =
            model.vector_loop_seconds(calls, n, {operand(A), operand(B), operand(D)}, threads);
        if (best.inner == nullptr || seconds < best.seconds)
            best = {&inner, sums_inner, seconds, threads};
    };
    for (std::size_t i = 0; i < groups.size(); ++i)
        for (const problem_mode &mode : *groups[i])
            consider(mode, i >= free_groups);
    if (best.inner == nullptr)
        consider(single, false);
    if (best.seconds >= most_seconds)
        return nullptr;

    vector_nest nest{*best.inner, best.sums, {}, {}, best.seconds, best.threads};
    for (std::size_t i = 0; i < groups.size(); ++i)
        for (const problem_mode &mode : *groups[i])
            if (&mode != best.inner)
                (i < free_groups ? nest.loops : nest.sums).push_back(mode);
    einsum_impl::sort_by_stride(nest.loops, D);
    return std::make_shared<vector_loops>(problem, std::move(nest), environment.ctx->isa());
}

constinit const candidate_kind loops_kind{algorithm::loops, offer_loops};

} // namespace tenfold::contract_impl
