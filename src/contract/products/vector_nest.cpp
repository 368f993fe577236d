#include "contract/products/vector_nest.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/context_of.hpp"
#include "base/footprint.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/streaming.hpp"
#include "base/traffic.hpp"
#include "contract/products/kernels/vector_abi.hpp"
#include "contract/products/position_walker.hpp"
#include "simd/kernel_table.hpp"

TENFOLD_DECLARE_KERNELS(contract_vector_loops, tenfold::contract_impl::vector_kernel_set)

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::mode_group;

const vector_kernel_set &kernels_for(isa instruction_set) noexcept {
    static const auto table = TENFOLD_KERNEL_TABLE(contract_vector_loops);
    return *table.find(instruction_set).kernels;
}

class vector_loops final : public candidate {
public:
    vector_loops(const matrix_problem &problem, vector_nest nest, const context &ctx)
        : nest_(std::move(nest)), kernels_(select_vector_kernels(ctx.isa(), problem.type)),
          element_(tenfold::size_of(problem.type)), conjugate_a_(problem.conjugate_a),
          conjugate_b_(problem.conjugate_b), loop_count_(extent_of(nest_.loops)),
          sum_count_(extent_of(nest_.sums)),
          inner_at_once_(nest_.sums_inner ? nest_.inner.extent
                                          : std::min(nest_.inner.extent, longest_pass)),
          pieces_(base::divide_up(nest_.inner.extent, inner_at_once_)),
          calls_(pieces_ * base::divide_up(nest_.rows.extent, nest_.rows_at_once)),
          one_(base::one_of(problem.type)),
          past_caches_(!nest_.sums_inner && sum_count_ == 1 &&
                       elements_of_d(problem) * static_cast<double>(element_) >=
                           static_cast<double>(base::least_past_caches(base::machine_of(ctx)))) {}

    tenfold::algorithm algorithm() const noexcept override { return algorithm::loops; }
    double seconds() const noexcept override { return nest_.seconds; }
    byte_count workspace() const noexcept override { return {}; }
    std::string describe() const override {
        const std::string along = nest_.inner.label.empty() ? "one element" : nest_.inner.label;
        const index_t passes = loop_count_ * (nest_.side_by_side ? 1 : nest_.rows.extent);
        return std::string(nest_.sums_inner ? "dot products" : "vector products") + " along " +
               along + " (" + std::to_string(nest_.inner.extent) + "), " +
               (nest_.side_by_side ? std::to_string(nest_.rows.extent) + " side by side, " : "") +
               std::to_string(passes) + " x " + std::to_string(sum_count_) + " passes" +
               (nest_.leaves.count > 1
                    ? ", sums in " + std::to_string(nest_.leaves.count) + " leaves"
                    : "");
    }

    std::size_t footprint() const noexcept override {
        return sizeof *this + base::allocation_overhead + base::allocated_by(nest_.inner.label) +
               base::allocated_by(nest_.rows.label) + allocated_by(nest_.loops) +
               allocated_by(nest_.sums);
    }

    void execute(const sources &from, void *d, std::byte *) const noexcept override {
        if (nest_.leaves.count > 1)
            return execute_in_leaves(from, d);
        base::run_parallel(nest_.threads, [&](const base::team_member &member) {
            const base::range mine = base::split(loop_count_ * calls_, member.size(), member.id());
            if (mine.empty())
                return;
            base::in_watched_parts(mine, loop_count_ * calls_, [&](const base::range &part) {
                position_walker position(nest_.loops, part.begin / calls_);
                index_t call = part.begin % calls_;
                for (index_t i = part.begin; i < part.end; ++i) {
                    run_call(call, position.at(), from, in_d(call, position.at(), from, d),
                             {{0, sum_count_}, {0, nest_.inner.extent}});
                    if (++call == calls_) {
                        call = 0;
                        position.step();
                    }
                }
            });
            if (past_caches_)
                base::finish_streaming();
        });
    }

private:
    /// All of D, of which this may be a tile.
    static double elements_of_d(const matrix_problem &problem) noexcept {
        if (problem.whole.d > 0)
            return problem.whole.d;
        double elements = 1;
        for (const mode_group *group : {&problem.batch, &problem.m, &problem.n})
            elements *= static_cast<double>(extent_of(*group));
        return elements;
    }

    /// Where a call of the kernel writes, and the factors of the sum and of what is there.
    struct call_output {
        std::byte *d;
        index_t stride, row_stride;
        scalar alpha, beta;
    };

    /// Calls at one position: pieces of the inner mode in turn, in some of the rows.
    index_t first_of(index_t call) const noexcept { return call % pieces_ * inner_at_once_; }
    index_t first_row_of(index_t call) const noexcept {
        return call / pieces_ * nest_.rows_at_once;
    }
    index_t offset_in(einsum_impl::tensor_id t, index_t call) const noexcept {
        return first_of(call) * nest_.inner.stride[t] + first_row_of(call) * nest_.rows.stride[t];
    }

    index_t rows_of(index_t call) const noexcept {
        return std::min(nest_.rows.extent - first_row_of(call), nest_.rows_at_once);
    }

    call_output in_d(index_t call, const offsets &position, const sources &from,
                     void *d) const noexcept {
        return {static_cast<std::byte *>(d) + (position[D] + offset_in(D, call)) * element_,
                nest_.inner.stride[D], nest_.rows.stride[D], from.alpha, from.beta};
    }

    /// One piece of the inner mode in some of the rows: some of the sums, and of the elements that
    /// a pass sums.
    void run_call(index_t call, const offsets &position, const sources &from, const call_output &to,
                  const loop_leaves::part &part) const noexcept {
        const index_t first = nest_.sums_inner ? part.pass.begin : first_of(call);
        const index_t n = nest_.sums_inner ? part.pass.size()
                                           : std::min(nest_.inner.extent - first, inner_at_once_);
        const auto address = [&](const void *data, einsum_impl::tensor_id t, index_t extra) {
            return static_cast<const std::byte *>(data) +
                   (position[t] + extra + first * nest_.inner.stride[t] +
                    first_row_of(call) * nest_.rows.stride[t]) *
                       element_;
        };
        position_walker term(nest_.sums, part.terms.begin);
        for (index_t i = part.terms.begin; i < part.terms.end; ++i, term.step()) {
            const scalar factor = i == part.terms.begin ? to.beta : 1.0;
            const vector_operands operands{n,
                                           rows_of(call),
                                           address(from.a, A, term.at()[A]),
                                           address(from.b, B, term.at()[B]),
                                           to.d,
                                           nest_.inner.stride[A],
                                           nest_.inner.stride[B],
                                           to.stride,
                                           nest_.rows.stride[A],
                                           nest_.rows.stride[B],
                                           to.row_stride,
                                           {to.alpha.real(), to.alpha.imag()},
                                           {factor.real(), factor.imag()},
                                           conjugate_a_,
                                           conjugate_b_,
                                           past_caches_};
            if (nest_.side_by_side)
                kernels_.dots_side_by_side(operands);
            else
                nest_.sums_inner ? kernels_.dot(operands) : kernels_.multiply(operands);
        }
    }

    void execute_in_leaves(const sources &from, void *d) const noexcept {
        const loop_leaves &leaves = nest_.leaves;
        const index_t each = nest_.sums_inner ? nest_.rows_at_once : inner_at_once_;
        const index_t places = loop_count_ * calls_;
        const index_t size = each * element_; // of what one call sums
        alignas(64) std::byte sums[loop_leaves::most_bytes];
        std::memset(sums, 0, static_cast<std::size_t>(leaves.count * places * size));
        base::run_parallel(nest_.threads, [&](const base::team_member &member) {
            const index_t all = places * leaves.count;
            const base::range mine = base::split(all, member.size(), member.id());
            base::in_watched_parts(mine, all, [&](const base::range &part) {
                for (index_t i = part.begin; i < part.end; ++i) {
                    const index_t place = i / leaves.count, leaf = i % leaves.count;
                    const position_walker position(nest_.loops, place / calls_);
                    std::byte *const own = sums + (leaf * places + place) * size;
                    run_call(place % calls_, position.at(), from, {own, 1, 1, 1.0, 0.0},
                             leaves.part_of(leaf, sum_count_, nest_.inner.extent));
                }
            });
        });
        if (base::work_part::stops())
            return;
        const summed_leaves in_leaves{sums, places * each, element_, one_, kernels_.multiply};
        in_leaves.add_up(leaves.count);
        for (index_t place = 0; place < places; ++place) {
            const index_t call = place % calls_;
            const position_walker position(nest_.loops, place / calls_);
            const call_output to = in_d(call, position.at(), from, d);
            const index_t left = nest_.inner.extent - first_of(call);
            in_leaves.write(
                {place * each, nest_.sums_inner ? rows_of(call) : std::min(left, inner_at_once_)},
                {to.d, nest_.sums_inner ? to.row_stride : to.stride, to.alpha, to.beta});
        }
    }

    vector_nest nest_;
    vector_kernels kernels_;
    index_t element_; ///< bytes
    bool conjugate_a_, conjugate_b_;
    index_t loop_count_, sum_count_;
    index_t inner_at_once_;
    index_t pieces_;  ///< number of pieces of the inner mode
    index_t calls_;   ///< of the kernel at each position of the loops
    const void *one_; ///< of the type
    bool past_caches_;
};

} // namespace

const vector_kernels &select_vector_kernels(isa instruction_set, data_type type) noexcept {
    const vector_kernel_set &set = kernels_for(instruction_set);
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

candidate_ptr make_vector_nest(const matrix_problem &problem, vector_nest nest,
                               const context &ctx) {
    return std::make_shared<vector_loops>(problem, std::move(nest), ctx);
}

} // namespace tenfold::contract_impl
