#include "contract/products/vector_loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <span>

#include "contract/choose/kinds.hpp"
#include "contract/choose/planning.hpp"
#include "contract/choose/small_product.hpp"
#include "contract/products/box_nest.hpp"
#include "contract/products/kernels/vector_abi.hpp"
#include "contract/products/vector_nest.hpp"
#include "einsum/problem/checks.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;

/// Below this number of products, starting a team takes longer than the work.
constexpr double products_worth_threads = 20000;

const problem_mode one_element{1, {}, ""};

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
    loop_leaves leaves{};
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
        loop_choice choice{.inner = &inner, .sums = sums_inner};
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
        for (const problem_mode *mode : outward_)
            if (mode != &rows && mode != &sum)
                around.push_back(mode);
        price({.inner = &sum,
               .sums = true,
               .rows = &rows,
               .rows_at_once = rows.extent,
               .side_by_side = true},
              all, around);
    }

    /// Cuts the sums into leaves where that pays, and shares what then are the parts of the work.
    void share(loop_choice &choice) const {
        const double inner = real(choice.inner->extent);
        const double at_once = real(choice.rows_at_once);
        const double pieces = choice.sums ? 1 : std::ceil(inner / real(longest_pass));
        loop_sums sums{.places = pieces * std::ceil(real(choice.rows->extent) / at_once),
                       .elements =
                           at_once * (choice.sums ? 1 : std::min(inner, real(longest_pass))),
                       .terms = 1,
                       .of_pass = choice.sums ? inner : 1,
                       .size = size_of(problem_.type)};
        for (const problem_mode *mode : outward_)
            if (mode != choice.inner && mode != choice.rows)
                (mode->stride[D] != 0 ? sums.places : sums.terms) *= real(mode->extent);
        choice.leaves = choose_loop_leaves(sums);
        choice.threads = steps_ <= products_worth_threads
                             ? 1
                             : static_cast<int>(std::min<double>(
                                   threads_, sums.places * real(choice.leaves.count)));
    }

    /// `pass` has the elements of one pass.
    void price(loop_choice choice, const problem_mode &pass, outward_modes outward) {
        const double n = static_cast<double>(pass.extent);
        share(choice);
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

bool multiplies_small_matrices(planning &with) {
    const matrix_problem &all = with.matrices();
    return with.lies_like_matrices() && !all.m.empty() && !all.n.empty() && !all.k.empty() &&
           is_small_product(all.m.front().extent, all.n.front().extent, all.k.front().extent);
}

/// Whether boxes are worth a look. Where the tensors fit L2 they were slower than vector loops or
/// tiles in three of four measurements (0.2 to 0.8 MB, Zen 4).
bool is_beyond_l2(planning &with) { return bytes_of_tensors(with.problem) > with.model().cache(); }

void offer_loops(planning &with, offers &made) {
    if (std::string why = with.no_product_in_place(); !why.empty())
        return made.refuse(std::move(why));
    if (with.environment.algorithm == algorithm::automatic && multiplies_small_matrices(with))
        return made.refuse("a small product of matrices");
    if (const data_type inputs = with.problem.type[A]; inputs != with.problem.type[D])
        return made.refuse("there are no vector loops over " + std::string(name(inputs)));
    candidate_ptr loops =
        make_vector_loops(with.matrices(), with.model(), with.environment, with.most_seconds);
    const double most_seconds = loops ? loops->seconds() : with.most_seconds;
    if (is_beyond_l2(with))
        if (candidate_ptr boxes = make_box_nest(with.matrices(), choose_boxes(with.matrices()),
                                                with.model(), with.environment, most_seconds))
            loops = std::move(boxes);
    if (loops)
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
    vector_nest nest{.inner = *best.inner,
                     .sums_inner = best.sums,
                     .rows = *best.rows,
                     .rows_at_once = best.rows_at_once,
                     .side_by_side = best.side_by_side,
                     .loops = {},
                     .sums = {},
                     .leaves = best.leaves,
                     .seconds = best.seconds,
                     .threads = best.threads};
    const auto add_rest = [&best](const mode_group &from, mode_group &to) {
        for (const problem_mode &mode : from)
            if (&mode != best.inner && &mode != best.rows)
                to.push_back(mode);
    };
    for (const mode_group *group : {&problem.batch, &problem.m, &problem.n})
        add_rest(*group, nest.loops);
    add_rest(problem.k, nest.sums);
    einsum_impl::sort_by_stride(nest.loops, D);
    return make_vector_nest(problem, std::move(nest), *environment.ctx);
}

constinit const candidate_kind loops_kind{algorithm::loops, offer_loops};

} // namespace tenfold::contract_impl
