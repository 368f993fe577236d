#include "contract/products/real_factor.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <tenfold/transpose.hpp>

#include "base/footprint.hpp"
#include "base/internals.hpp"
#include "base/work.hpp"
#include "contract/epilogues/finished_candidate.hpp"
#include "contract/products/permute.hpp"
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

constexpr index_t parts = 2; ///< of a complex number
constexpr std::array all_tensors{A, B, D, C};

std::array<mode_group *, 6> groups_of(contraction_problem &problem) noexcept {
    return {&problem.batch, &problem.m,          &problem.n,
            &problem.k,     &problem.isolated_a, &problem.isolated_b};
}

/// Elements of complex numbers as elements of their parts, with a mode for the latter.
layout layout_of_parts(const layout &complex) {
    extents_t extents{parts}, strides{1};
    for (int mode = 0; mode < complex.order(); ++mode) {
        extents.push_back(complex.extent(mode));
        // Of one position any stride will do, and a large one could overflow.
        strides.push_back(complex.extent(mode) > 1 ? parts * complex.stride(mode) : 0);
    }
    return {std::move(extents), std::move(strides)};
}

tensor_id complex_input(const contraction_problem &problem) noexcept {
    return is_complex(problem.type[A]) ? A : B;
}

/// D's numbers conjugated in place.
transpose_plan plan_conjugation(const contraction_problem &problem,
                                const plan_environment &environment) {
    contraction_problem conjugated = problem;
    conjugated.conjugate[D] = true;
    return plan_into_d(conjugated, D, environment);
}

class real_factor final : public candidate {
public:
    /// `real` multiplies parts; `general` is for complex alpha and beta.
    real_factor(candidate_ptr real, candidate_ptr general,
                std::shared_ptr<const contraction_problem> problem,
                const plan_environment &environment)
        : problem_(std::move(problem)), real_(std::move(real)), general_(std::move(general)) {
        if (problem_->conjugate[complex_input(*problem_)])
            conjugation_.emplace(plan_conjugation(*problem_, environment));
    }

    tenfold::algorithm algorithm() const noexcept override { return real_->algorithm(); }
    double seconds() const noexcept override { return real_->seconds() + 2 * pass_seconds(); }
    byte_count workspace() const noexcept override {
        return std::max(real_->workspace(), general_->workspace());
    }
    std::string describe() const override {
        return "as real numbers: " + real_->describe() +
               (conjugation_ ? ", D conjugated before and after" : "");
    }
    std::size_t footprint() const noexcept override {
        return sizeof *this + sizeof *problem_ + 2 * base::allocation_overhead +
               allocated_by(*problem_) + real_->footprint() + general_->footprint() +
               (conjugation_ ? internals::of(*conjugation_).footprint() : 0);
    }

    /// alpha A conj(B) + beta D is the conjugate of alpha A B + beta conj(D).
    void execute(const sources &from, void *d, std::byte *workspace) const noexcept override {
        if (!has_real_factors(from.alpha, from.beta))
            return general_->execute(from, d, workspace);
        if (!conjugation_)
            return real_->execute(from, d, workspace);
        const double passes = pass_seconds() / std::max(1e-12, seconds());
        if (from.beta != 0.0)
            conjugate(d, passes);
        if (base::work_part::stops())
            return;
        {
            const base::work_part part(1 - (from.beta != 0.0 ? 2 : 1) * passes);
            real_->execute(from, d, workspace);
        }
        if (!base::work_part::stops())
            conjugate(d, passes);
    }

    void execute_each(const batch_sources &from, index_t begin, index_t end,
                      std::byte *workspace) const noexcept override {
        if (!conjugation_ && has_real_factors(from.alpha, from.beta))
            return real_->execute_each(from, begin, end, workspace);
        candidate::execute_each(from, begin, end, workspace);
    }

private:
    static bool has_real_factors(scalar alpha, scalar beta) noexcept {
        return alpha.imag() == 0 && beta.imag() == 0;
    }
    double pass_seconds() const noexcept {
        return conjugation_ ? conjugation_->predicted_seconds() : 0;
    }
    void conjugate(void *d, double share) const noexcept {
        const base::work_part part(share);
        // Cannot fail, because pointers and overlap were checked for the whole contraction.
        static_cast<void>(conjugation_->execute(1.0, d, 0.0, d));
    }

    std::shared_ptr<const contraction_problem> problem_; ///< general_ may refer to it
    candidate_ptr real_, general_;
    std::optional<transpose_plan> conjugation_; ///< of D, if the complex input is conjugated
};

/// What multiplies with complex alpha and beta where `kind` does with real ones: the same algorithm
/// if it can. Workspace is for both, so that among others one with little goes before one that is
/// somewhat faster.
candidate_ptr general_for(const candidate_kind *kind, const std::vector<option> &general,
                          const contraction_problem &problem, byte_count limit) {
    constexpr double about_as_fast = 1.5;
    const option *best = nullptr;
    double fastest = 0;
    for (const option &one : general) { // cheapest first
        if (one.choice == nullptr || one.kind->last_resort || one.choice->workspace() > limit)
            continue;
        if (one.kind == kind)
            return one.choice;
        if (best == nullptr)
            fastest = one.choice->seconds();
        if (best == nullptr || (one.choice->seconds() < about_as_fast * fastest &&
                                one.choice->workspace() < best->choice->workspace()))
            best = &one;
    }
    return best != nullptr ? best->choice : make_plain_loops(problem);
}

/// Whether `one` can stand for `other` of the same kind.
bool replaces(const candidate &one, const candidate &other, byte_count limit) noexcept {
    const bool fits = one.workspace() <= limit;
    return other.workspace() <= limit ? fits && one.seconds() < other.seconds()
                                      : fits || one.workspace() < other.workspace();
}

} // namespace

std::shared_ptr<const contraction_problem> with_c_in_d(const contraction_problem &problem) {
    if (problem.unary || is_complex(problem.type[A]) == is_complex(problem.type[B]))
        return nullptr;
    if (problem.rounds_d() && problem.type[C] != problem.type[D])
        return nullptr;
    for (const tensor_id tensor : {complex_input(problem), D})
        if (problem.touched[tensor].order() >= static_cast<int>(einsum_impl::max_modes))
            return nullptr;

    auto in_d = std::make_shared<contraction_problem>(problem);
    in_d->type[C] = problem.type[D];
    in_d->shape[C] = problem.shape[D];
    in_d->touched[C] = problem.touched[D];
    in_d->conjugate[C] = false;
    in_d->same_c_and_d = true;
    for (mode_group *group : groups_of(*in_d)) {
        for (problem_mode &mode : *group)
            mode.stride[C] = mode.stride[D];
        *group = einsum_impl::fuse(std::move(*group), all_tensors); // C's strides kept modes apart
    }
    return in_d;
}

contraction_problem as_real_numbers(const contraction_problem &problem) {
    const tensor_id input = complex_input(problem);
    contraction_problem real = problem;
    real.computed = real_type_of(problem.computed);
    real.conjugate = {};
    problem_mode part{parts, {}, "[re,im]"};
    for (const tensor_id tensor : {input, D, C}) {
        real.type[tensor] = real_type_of(problem.type[tensor]);
        real.touched[tensor] = layout_of_parts(problem.touched[tensor]);
        real.shape[tensor] = layout_of_parts(problem.shape[tensor]);
        part.stride[tensor] = 1;
        for (mode_group *group : groups_of(real))
            for (problem_mode &mode : *group)
                mode.stride[tensor] *= parts;
    }
    mode_group &free = input == A ? real.m : real.n;
    free.insert(free.begin(), std::move(part));
    free = einsum_impl::fuse(std::move(free), all_tensors);
    return real;
}

void add_real_options(std::vector<option> &all, real_factor_options from,
                      const plan_environment &environment, bool one_of_each) {
    const byte_count limit = environment.workspace_limit;
    for (option &one : from.real) {
        if (one.choice == nullptr || one.kind->last_resort)
            continue;
        one.choice = with_epilogue(
            std::make_shared<real_factor>(
                one.choice, general_for(one.kind, from.general, *from.complex_problem, limit),
                from.complex_problem, environment),
            environment);
        const auto same = std::find_if(all.begin(), all.end(), [&](const option &other) {
            return other.kind == one.kind && (one_of_each || other.choice == nullptr);
        });
        if (same == all.end())
            all.push_back(std::move(one));
        else if (same->choice == nullptr || replaces(*one.choice, *same->choice, limit))
            *same = std::move(one);
    }
}

} // namespace tenfold::contract_impl
