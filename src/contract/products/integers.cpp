#include "contract/products/integers.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/context_of.hpp"
#include "base/footprint.hpp"
#include "base/internals.hpp"
#include "base/scalars.hpp"
#include "base/work.hpp"
#include "base/workspace.hpp"
#include "contract/choose/cost_model.hpp"
#include "contract/choose/matrix_problem.hpp"
#include "contract/choose/product_fit.hpp"
#include "contract/products/gemm_nest.hpp"
#include "contract/products/integer_copies.hpp"
#include "contract/products/integer_loops.hpp"
#include "contract/products/integer_moves.hpp"
#include "contract/products/swapped_inputs.hpp"
#include "contract/reference/reference.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::C;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;
using einsum_impl::tensor_id;
using word = integer_word;

bool is_input(const contraction_problem &problem, tensor_id tensor) noexcept {
    return tensor == A || (tensor == B && !problem.unary);
}

/// Whether an input has numbers of 32 bits, by which no narrower ones are multiplied.
bool has_wide_input(const contraction_problem &problem) noexcept {
    return problem.type[A] == data_type::i32 ||
           (is_input(problem, B) && problem.type[B] == data_type::i32);
}

/// Whether the tensor's numbers become wider, in a copy, before they are multiplied.
bool is_widened(const contraction_problem &problem, tensor_id tensor) noexcept {
    return is_input(problem, tensor) && has_wide_input(problem) &&
           problem.type[tensor] != data_type::i32;
}

/// As products of matrices see it. D's numbers count as f32: they are as large, and matrix products
/// of narrower numbers tell by these what D holds.
matrix_problem integer_matrices(const contraction_problem &problem) {
    matrix_problem matrices = matrix_problem_of(problem);
    matrices.type = data_type::f32;
    if (has_wide_input(problem))
        matrices.inputs = data_type::i32;
    return matrices;
}

/// Brings C into D, where products add to it, or D to beta C where nothing is multiplied.
class integer_update {
public:
    integer_update(const contraction_problem &problem, int threads)
        : elements_(free_modes(problem), D, C), same_c_and_d_(problem.same_c_and_d),
          threads_(integer_team(problem.touched[D].size(), threads)) {}

    /// Makes D = beta C where C is not D, and beta 1: what is added to D then gives the same.
    void bring_c(sources &from, void *d) const noexcept {
        if (from.beta == 0.0 || (same_c_and_d_ && from.c == d))
            return;
        const base::work_part part(0);
        scale(from, d);
        from.beta = 1.0;
        from.c = d;
    }
    /// D = beta C.
    void scale(const sources &from, void *d) const noexcept {
        const word beta = base::integer_factor(from.beta);
        const auto *const c = static_cast<const word *>(from.c);
        auto *const to = static_cast<word *>(d);
        if (beta == 0)
            elements_.visit(threads_, [&](const offsets &at) { to[at[D]] = 0; });
        else
            elements_.visit(threads_, [&](const offsets &at) { to[at[D]] = beta * c[at[C]]; });
    }
    std::size_t footprint() const noexcept { return elements_.footprint(); }

private:
    blocked_positions elements_;
    bool same_c_and_d_;
    int threads_;
};

/// Products where A, B and D lie.
class integers_in_place final : public candidate {
public:
    integers_in_place(candidate_ptr product, const contraction_problem &problem,
                      const plan_environment &environment)
        : product_(std::move(product)), update_(problem, environment.threads) {}

    tenfold::algorithm algorithm() const noexcept override { return product_->algorithm(); }
    double seconds() const noexcept override { return product_->seconds(); }
    byte_count workspace() const noexcept override { return product_->workspace(); }
    std::string describe() const override { return product_->describe(); }
    std::size_t footprint() const noexcept override {
        return sizeof *this + base::allocation_overhead + product_->footprint() +
               update_.footprint();
    }
    bool reads_any_c() const noexcept override { return true; }
    void execute(const sources &from, void *d, std::byte *workspace) const noexcept override {
        if (from.alpha == 0.0)
            return update_.scale(from, d);
        sources adding = from;
        update_.bring_c(adding, d);
        if (!base::work_part::stops())
            product_->execute(adding, d, workspace);
    }

private:
    candidate_ptr product_;
    integer_update update_;
};

/// The shortest stride along which the tensor's elements differ.
index_t fastest_stride(const mode_group &group, tensor_id tensor) noexcept {
    index_t least = std::numeric_limits<index_t>::max();
    for (const problem_mode &mode : group)
        if (mode.stride[tensor] != 0)
            least = std::min(least, std::abs(mode.stride[tensor]));
    return least;
}

/// Whether the tensor lies like a matrix, or like several: no neighbours along a batch mode.
bool lies_like_matrices(const matrix_problem &problem, tensor_id tensor) noexcept {
    const mode_group &first = tensor == B ? problem.k : problem.m;
    const mode_group &second = tensor == A ? problem.k : problem.n;
    const index_t nearest = std::min(fastest_stride(first, tensor), fastest_stride(second, tensor));
    return first.size() < 2 && second.size() < 2 &&
           nearest <= fastest_stride(problem.batch, tensor);
}

transpose_plan plan_move(tensor_id tensor, data_type type, const copied_modes &modes,
                         const plan_environment &environment) {
    std::vector<int> identity(modes.extents.size());
    std::iota(identity.begin(), identity.end(), 0);
    const layout lies(modes.extents, modes.strides), copy(modes.extents, modes.in_copy);
    const bool back = tensor == D;
    return transpose_plan(identity, type, back ? copy : lies, type, back ? lies : copy, false,
                          {.threads = environment.threads, .ctx = environment.ctx});
}

/// Which of A, B and D are copied.
using copied_set = std::array<bool, 3>;

/// Transposes some of A, B and D, and multiplies the copies, in loops where what stays asks for
/// them.
class integers_moved final : public candidate {
public:
    integers_moved(const contraction_problem &problem, const copied_set &copied,
                   const cost_model &model, const plan_environment &environment)
        : update_(problem, environment.threads) {
        matrix_problem matrices = integer_matrices(problem);
        const matrix_problem lying = matrices;
        const auto copy = [&](tensor_id tensor, mode_group matrix_problem::*first,
                              mode_group matrix_problem::*second) {
            if (!copied[tensor])
                return;
            const copied_modes modes = arrange_copy(
                tensor, copied, {first, second, &matrix_problem::batch}, lying, matrices);
            const data_type type = problem.type[tensor];
            const bool widens = is_widened(problem, tensor);
            dense_copy &one = copies_[tensor];
            if (widens)
                one.widen.emplace(type, modes, environment.threads);
            else
                one.move.emplace(plan_move(tensor, type, modes, environment));
            text_ += (text_.empty() ? "move " : ", ") +
                     std::string(1, einsum_impl::letter(tensor)) + (widens ? " in i32" : "");
            seconds_ += one.seconds();
            one.bytes = base::checked_multiply(
                modes.elements, tenfold::size_of(widens ? data_type::i32 : type), "workspace");
            workspace_ = base::checked_add(workspace_, base::aligned_bytes(copies_[tensor].bytes),
                                           "workspace");
        };
        copy(A, &matrix_problem::m, &matrix_problem::k);
        copy(B, &matrix_problem::k, &matrix_problem::n);
        copy(D, &matrix_problem::m, &matrix_problem::n);
        matrices = fused(std::move(matrices));
        plan_environment inside = environment;
        if (inside.limited())
            inside.workspace_limit =
                bytes(std::max<index_t>(0, inside.workspace_limit.value - workspace_));
        const gemm_nest nest = best_nest(matrices, model, inside);
        product_ = make_gemm_loop(matrices, nest, inside);
        seconds_ += product_->seconds();
        workspace_ = base::checked_add(workspace_, product_->workspace().value, "workspace");
    }

    tenfold::algorithm algorithm() const noexcept override { return algorithm::ttgt; }
    double seconds() const noexcept override { return seconds_; }
    byte_count workspace() const noexcept override { return bytes(workspace_); }
    std::string describe() const override { return text_ + "; " + product_->describe(); }
    std::size_t footprint() const noexcept override {
        std::size_t sum = sizeof *this + base::allocation_overhead + product_->footprint() +
                          update_.footprint() + base::allocated_by(text_);
        for (const dense_copy &one : copies_)
            sum += one.footprint();
        return sum;
    }
    bool reads_any_c() const noexcept override { return true; }

    void execute(const sources &from, void *d, std::byte *workspace) const noexcept override {
        if (from.alpha == 0.0)
            return update_.scale(from, d);
        sources inner = from;
        inner.a = moved(A, from.a, workspace);
        inner.b = moved(B, from.b, workspace);
        update_.bring_c(inner, d);
        if (base::work_part::stops())
            return;
        if (!copies_[D].move)
            return product_->execute(inner, d, workspace);
        const scalar beta = inner.beta;
        inner.beta = 0.0;
        product_->execute(inner, workspace, workspace + base::aligned_bytes(copies_[D].bytes));
        if (!base::work_part::stops())
            move(D, workspace, beta, d);
    }

private:
    using groups = std::array<mode_group matrix_problem::*, 3>;

    /// The numbers of a group's modes in the order in which they lie in a tensor that stays, so
    /// that they fuse in its copies' product; as they come where none stays.
    static std::vector<std::size_t> order_of(const mode_group &group, const copied_set &copied) {
        std::vector<std::size_t> order(group.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (const tensor_id tensor : {A, B, D})
            if (!copied[tensor] && std::ranges::any_of(group, [&](const problem_mode &mode) {
                    return mode.stride[tensor] != 0;
                })) {
                std::ranges::stable_sort(
                    order, {}, [&](std::size_t i) { return std::abs(group[i].stride[tensor]); });
                break;
            }
        return order;
    }

    /// Gives the tensor's modes in `to` the strides of a dense copy: from the fastest on, those of
    /// the group that has the tensor's fastest mode, then of the other one, then batch modes.
    static copied_modes arrange_copy(tensor_id tensor, const copied_set &copied, groups order,
                                     const matrix_problem &lying, matrix_problem &to) {
        if (fastest_stride(lying.*order[1], tensor) < fastest_stride(lying.*order[0], tensor))
            std::swap(order[0], order[1]);
        copied_modes modes;
        for (const auto group : order)
            for (const std::size_t i : order_of(lying.*group, copied)) {
                const problem_mode &mode = (lying.*group)[i];
                if (mode.stride[tensor] == 0)
                    continue; // summed in the other input, or repeated
                modes.extents.push_back(mode.extent);
                modes.strides.push_back(mode.stride[tensor]);
                modes.in_copy.push_back(modes.elements);
                (to.*group)[i].stride[tensor] = modes.elements;
                modes.elements = base::checked_multiply(modes.elements, mode.extent, "workspace");
            }
        return modes;
    }

    /// Pointers, factors and overlap were checked for the whole contraction: this cannot fail.
    void move(tensor_id tensor, const void *from, scalar beta, void *to) const noexcept {
        const base::work_part part(0);
        static_cast<void>(copies_[tensor].move->execute(1.0, from, beta, to));
    }

    const void *moved(tensor_id tensor, const void *data, std::byte *&workspace) const noexcept {
        const dense_copy &copy = copies_[tensor];
        if (!copy.move && !copy.widen)
            return data;
        std::byte *const to = workspace;
        if (copy.widen) {
            const base::work_part part(0);
            copy.widen->run(data, to);
        } else {
            move(tensor, data, 0.0, to);
        }
        workspace += base::aligned_bytes(copy.bytes);
        return to;
    }

    std::array<dense_copy, 3> copies_; ///< by tensor
    integer_update update_;
    candidate_ptr product_;
    std::string text_;
    double seconds_ = 0;
    index_t workspace_ = 0; ///< bytes
};

/// The fastest of all choices of what is copied, of those that need no more workspace than there
/// may be, if there are such. At least one does not lie like matrices, or is widened.
candidate_ptr best_moved(const contraction_problem &problem, const cost_model &model,
                         const plan_environment &environment) {
    const matrix_problem lying = integer_matrices(problem);
    candidate_ptr best;
    const auto is_better = [&](const candidate &one) {
        const bool fits = one.workspace() <= environment.workspace_limit;
        const bool best_fits = best->workspace() <= environment.workspace_limit;
        return fits == best_fits ? one.seconds() < best->seconds() : fits;
    };
    for (unsigned set = 1; set < 8; ++set) {
        copied_set copied;
        bool gains = true;
        for (const tensor_id tensor : {A, B, D}) {
            copied[tensor] = (set >> tensor & 1) != 0;
            gains = gains && (is_widened(problem, tensor)
                                  ? copied[tensor]
                                  : !(copied[tensor] && lies_like_matrices(lying, tensor)));
        }
        if (!gains)
            continue;
        auto one = std::make_shared<integers_moved>(problem, copied, model, environment);
        if (best == nullptr || is_better(*one))
            best = std::move(one);
    }
    return best;
}

} // namespace

std::vector<option> integer_options(const contraction_problem &given,
                                    const plan_environment &environment) {
    const bool swaps = given.type[B] == data_type::u8 && given.type[A] == data_type::i8;
    const contraction_problem problem = swaps ? with_swapped_inputs(given) : given;
    const auto in_order = [&](candidate_ptr one) -> candidate_ptr {
        return swaps ? with_inputs_swapped(std::move(one)) : std::move(one);
    };
    const cost_model model(data_type::f32, product_options(environment, 1),
                           base::rates_of(*environment.ctx));
    const matrix_problem matrices = integer_matrices(problem);
    std::optional<gemm_nest> nest;
    const bool widens = is_widened(problem, A) || is_widened(problem, B);
    if (!problem.unary && !widens)
        nest = best_nest(matrices, model, environment);

    std::vector<option> all;
    for (const candidate_kind *kind : all_kinds()) {
        offers made(*kind, all);
        const algorithm by = kind->algorithm;
        const bool is_product = by == algorithm::direct || by == algorithm::gemm_loop;
        if (by == algorithm::reference) {
            made.add(make_plain_loops(given));
        } else if (by == algorithm::loops) {
            made.add(make_integer_loops(given, environment));
        } else if (by == algorithm::fused) {
            made.refuse("integers are not moved tile by tile");
        } else if (problem.unary) {
            made.refuse("one input: integers are summed one by one");
        } else if (is_product && widens) {
            made.refuse("integers of 8 bits become such of 32 bits before they are multiplied");
        } else if (is_product && nest->looped() != (by == algorithm::gemm_loop)) {
            made.refuse(nest->looped() ? "the tensors do not lie like three matrices"
                                       : "there is nothing to loop over");
        } else if (is_product) {
            made.add_unless_too_large([&] {
                return in_order(std::make_shared<integers_in_place>(
                    make_gemm_loop(matrices, *nest, environment), problem, environment));
            });
        } else if (!widens && std::ranges::all_of(einsum_impl::all_but_c, [&](tensor_id tensor) {
                       return lies_like_matrices(matrices, tensor);
                   })) {
            made.refuse("the tensors lie like matrices: there is nothing to copy");
        } else {
            made.add_unless_too_large(
                [&] { return in_order(best_moved(problem, model, environment)); });
        }
    }
    return all;
}

} // namespace tenfold::contract_impl
