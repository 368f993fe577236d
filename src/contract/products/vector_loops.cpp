#include "contract/products/vector_loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <span>

#include "base/checked.hpp"
#include "base/context_of.hpp"
#include "base/footprint.hpp"
#include "base/parallel.hpp"
#include "base/streaming.hpp"
#include "base/traffic.hpp"
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

/// The longest pass whose part of D stays in L1 during the sums; shorter ones are made several at
/// once.
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

const problem_mode one_element{1, {}, ""};

/// The mode of a pass, and the modes of the loops around it.
struct vector_nest {
    problem_mode inner;
    bool sums_inner = false; ///< the pass is a dot product
    problem_mode rows;       ///< along which a call makes several passes
    index_t rows_at_once = 1;
    bool side_by_side = false; ///< the elements of all rows take turns in A and in B
    mode_group loops;          ///< the other positions of D
    mode_group sums;
    double seconds = 0;
    int threads = 1;
};

class vector_loops final : public candidate {
public:
    vector_loops(const matrix_problem &problem, vector_nest nest, const context &ctx)
        : nest_(std::move(nest)), kernels_(select(kernels_for(ctx.isa()), problem.type)),
          element_(tenfold::size_of(problem.type)), conjugate_a_(problem.conjugate_a),
          conjugate_b_(problem.conjugate_b), loop_count_(extent_of(nest_.loops)),
          sum_count_(extent_of(nest_.sums)),
          inner_at_once_(nest_.sums_inner ? nest_.inner.extent
                                          : std::min(nest_.inner.extent, longest_pass)),
          pieces_(base::divide_up(nest_.inner.extent, inner_at_once_)),
          calls_(pieces_ * base::divide_up(nest_.rows.extent, nest_.rows_at_once)),
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
               std::to_string(passes) + " x " + std::to_string(sum_count_) + " passes";
    }

    std::size_t footprint() const noexcept override {
        return sizeof *this + base::allocation_overhead + base::allocated_by(nest_.inner.label) +
               base::allocated_by(nest_.rows.label) + allocated_by(nest_.loops) +
               allocated_by(nest_.sums);
    }

    void execute(const sources &from, void *d, std::byte *) const noexcept override {
        base::run_parallel(nest_.threads, [&](const base::team_member &member) {
            const base::range mine = base::split(loop_count_ * calls_, member.size(), member.id());
            if (mine.empty())
                return;
            base::in_watched_parts(mine, loop_count_ * calls_, [&](const base::range &part) {
                position_walker position(nest_.loops, part.begin / calls_);
                index_t call = part.begin % calls_;
                for (index_t i = part.begin; i < part.end; ++i) {
                    run_call(call, position.at(), from, d);
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

    /// One piece of the inner mode in some of the rows, including all sums.
    void run_call(index_t call, const offsets &position, const sources &from,
                  void *d) const noexcept {
        const index_t first = call % pieces_ * inner_at_once_;
        const index_t first_row = call / pieces_ * nest_.rows_at_once;
        const auto address = [&](const void *data, einsum_impl::tensor_id t, index_t extra) {
            return static_cast<const std::byte *>(data) +
                   (position[t] + extra + first * nest_.inner.stride[t] +
                    first_row * nest_.rows.stride[t]) *
                       element_;
        };
        position_walker term(nest_.sums, 0);
        for (index_t i = 0; i < sum_count_; ++i, term.step()) {
            const scalar factor = i == 0 ? from.beta : 1.0;
            const vector_operands operands{
                std::min(nest_.inner.extent - first, inner_at_once_),
                std::min(nest_.rows.extent - first_row, nest_.rows_at_once),
                address(from.a, A, term.at()[A]),
                address(from.b, B, term.at()[B]),
                const_cast<std::byte *>(address(d, D, 0)),
                nest_.inner.stride[A],
                nest_.inner.stride[B],
                nest_.inner.stride[D],
                nest_.rows.stride[A],
                nest_.rows.stride[B],
                nest_.rows.stride[D],
                {from.alpha.real(), from.alpha.imag()},
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

    vector_nest nest_;
    vector_kernels kernels_;
    index_t element_; ///< bytes
    bool conjugate_a_, conjugate_b_;
    index_t loop_count_, sum_count_;
    index_t inner_at_once_;
    index_t pieces_; ///< number of pieces of the inner mode
    index_t calls_;  ///< of the kernel at each position of the loops
    bool past_caches_;
};

using outward_modes = std::span<const problem_mode *const>;

/// A tensor in passes along `inner`, and in the loops around it.
cost_model::vector_stride vector_of(const cost_model &model, outward_modes outward,
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
    const cost_model::looped pass = {inner.extent, inner.stride[t]};
    return {inner.stride[t], model.used_of_line(model.cache(), pass, loops),
            model.used_of_line(model.first_cache(), pass, loops), far ? 1 / passes_over_one : 0,
            1 / passes_over_one};
}

/// How the passes go: the modes of a vector_nest.
struct loop_choice {
    const problem_mode *inner = nullptr;
    bool sums = false;
    const problem_mode *rows = &one_element;
    index_t rows_at_once = 1;
    bool side_by_side = false;
    double seconds = 0;
    int threads = 1;
};

/// Prices every choice for one problem.
class loop_chooser {
public:
    loop_chooser(const matrix_problem &problem, const cost_model &model, int threads)
        : problem_(problem), model_(model), threads_(threads) {
        const std::array groups{&problem.k, &problem.batch, &problem.m, &problem.n};
        // The loops from the inside out, as execute() runs them.
        outward_.reserve(problem.batch.size() + problem.m.size() + problem.n.size() +
                         problem.k.size());
        for (const mode_group *group : groups) {
            steps_ *= static_cast<double>(extent_of(*group));
            for (const problem_mode &mode : *group)
                outward_.push_back(&mode);
        }
        std::sort(outward_.begin() + std::ssize(problem.k), outward_.end(),
                  [](const problem_mode *a, const problem_mode *b) {
                      return std::abs(a->stride[D]) < std::abs(b->stride[D]);
                  });
    }

    loop_choice best() {
        for (const mode_group *group : {&problem_.batch, &problem_.m, &problem_.n})
            for (const problem_mode &mode : *group)
                consider(mode, false);
        for (const problem_mode &mode : problem_.k)
            consider(mode, true);
        for (const problem_mode &rows : problem_.batch)
            for (const problem_mode &sum : problem_.k)
                consider_side_by_side(rows, sum);
        if (best_.inner == nullptr)
            consider(one_element, false);
        return best_;
    }

private:
    /// The mode of several passes in one call: that of the loop around them. Sums are completed
    /// pass by pass.
    const problem_mode *rows_around(const problem_mode &inner, bool sums_inner) const noexcept {
        if (problem_.k.size() != (sums_inner ? 1 : 0))
            return &one_element;
        for (const problem_mode *mode : outward_)
            if (mode != &inner)
                return mode;
        return &one_element;
    }

    void consider(const problem_mode &inner, bool sums_inner) {
        loop_choice choice{.inner = &inner, .sums = sums_inner, .threads = threads_};
        const problem_mode *const rows = rows_around(inner, sums_inner);
        if (const index_t some = std::min(rows->extent, longest_pass / inner.extent); some > 1) {
            choice.rows = rows;
            choice.rows_at_once = some;
        }
        price(choice, inner, outward_);
    }

    /// Dot products along `sum`, whose elements take turns with those of the same sums at the next
    /// places of `rows`.
    void consider_side_by_side(const problem_mode &rows, const problem_mode &sum) {
        if (rows.extent > most_dots_side_by_side)
            return;
        for (const einsum_impl::tensor_id t : {A, B})
            if (rows.stride[t] != 1 || sum.stride[t] != rows.extent)
                return;
        index_t elements = 0;
        if (__builtin_mul_overflow(rows.extent, sum.extent, &elements))
            return;
        const problem_mode all{elements, {1, 1, 0, 0}, {}};
        std::vector<const problem_mode *> around;
        double places = 1; // of D, where threads work
        for (const problem_mode *mode : outward_)
            if (mode != &rows && mode != &sum) {
                around.push_back(mode);
                places *= mode->stride[D] != 0 ? static_cast<double>(mode->extent) : 1;
            }
        price({.inner = &sum,
               .sums = true,
               .rows = &rows,
               .rows_at_once = rows.extent,
               .side_by_side = true,
               .threads = static_cast<int>(std::min<double>(threads_, places))},
              all, around);
    }

    /// `pass` has the elements of one pass.
    void price(loop_choice choice, const problem_mode &pass, outward_modes outward) {
        const double n = static_cast<double>(pass.extent);
        if (steps_ <= products_worth_threads)
            choice.threads = 1;
        const tensor_sizes &whole = problem_.whole;
        const auto operand = [&](einsum_impl::tensor_id t, double elements) {
            cost_model::vector_stride one = vector_of(model_, outward, pass, t);
            one.whole = elements;
            return one;
        };
        const double at_once = choice.side_by_side ? 1.0 : static_cast<double>(choice.rows_at_once);
        choice.seconds = model_.vector_loop_seconds(
            {steps_ / n, n, at_once},
            {operand(A, whole.a), operand(B, whole.b), operand(D, whole.d)}, choice.threads);
        if (best_.inner == nullptr || choice.seconds < best_.seconds)
            best_ = choice;
    }

    const matrix_problem &problem_;
    const cost_model &model_;
    int threads_;
    double steps_ = 1; ///< multiply-adds
    std::vector<const problem_mode *> outward_;
    loop_choice best_;
};

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

double price_vector_loops(const matrix_problem &problem, const cost_model &model,
                          const plan_environment &environment) {
    return loop_chooser(problem, model, environment.threads).best().seconds;
}

candidate_ptr make_vector_loops(const matrix_problem &problem, const cost_model &model,
                                const plan_environment &environment, double most_seconds) {
    const loop_choice best = loop_chooser(problem, model, environment.threads).best();
    if (best.seconds >= most_seconds)
        return nullptr;
    vector_nest nest{*best.inner, best.sums, *best.rows,   best.rows_at_once, best.side_by_side,
                     {},          {},        best.seconds, best.threads};
    const auto add_rest = [&best](const mode_group &from, mode_group &to) {
        for (const problem_mode &mode : from)
            if (&mode != best.inner && &mode != best.rows)
                to.push_back(mode);
    };
    for (const mode_group *group : {&problem.batch, &problem.m, &problem.n})
        add_rest(*group, nest.loops);
    add_rest(problem.k, nest.sums);
    einsum_impl::sort_by_stride(nest.loops, D);
    return std::make_shared<vector_loops>(problem, std::move(nest), *environment.ctx);
}

constinit const candidate_kind loops_kind{algorithm::loops, offer_loops};

} // namespace tenfold::contract_impl
