#include "contract/products/permute.hpp"

#include <numeric>

#include "base/footprint.hpp"
#include "base/internals.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::mode_group;
using einsum_impl::tensor_id;

class permute final : public candidate {
public:
    explicit permute(transpose_plan plan) : plan_(std::move(plan)) {}

    tenfold::algorithm algorithm() const noexcept override { return algorithm::direct; }
    double seconds() const noexcept override { return plan_.predicted_seconds(); }
    byte_count workspace() const noexcept override { return {}; }
    std::string describe() const override { return "one transposition"; }
    std::size_t footprint() const noexcept override {
        return sizeof *this + base::allocation_overhead + internals::of(plan_).footprint();
    }

    void execute(const sources &from, void *d, std::byte *) const noexcept override {
        // Cannot fail, because pointers and overlap were checked for the whole contraction.
        static_cast<void>(plan_.execute(from.alpha, from.a, from.beta, d));
    }

private:
    transpose_plan plan_;
};

} // namespace

transpose_plan plan_into_d(const contraction_problem &problem, tensor_id tensor,
                           const plan_environment &environment, tuning level) {
    extents_t extents, strides, strides_d;
    for (const mode_group *group : {&problem.m, &problem.n, &problem.batch})
        for (const auto &mode : *group) {
            extents.push_back(mode.extent);
            strides.push_back(mode.stride[tensor]);
            strides_d.push_back(mode.stride[D]);
        }
    std::vector<int> identity(extents.size());
    std::iota(identity.begin(), identity.end(), 0);
    transpose_options options;
    options.tuning = level;
    options.threads = environment.threads;
    options.ctx = environment.ctx;
    return transpose_plan(identity, problem.type[tensor], layout(extents, strides), problem.type[D],
                          layout(extents, strides_d), problem.conjugate[tensor], options);
}

bool is_permutation(const contraction_problem &problem) noexcept {
    return problem.unary && problem.isolated_a.empty();
}

bool is_transposition(const contraction_problem &problem) noexcept {
    if (!is_permutation(problem))
        return false;
    if (!problem.rounds_d()) // A becomes D's type, which is that of the sums
        return true;
    const auto sums_like = [&](tensor_id tensor) { // transpositions compute in the wider type
        return real_type_of(output_type_of(problem.type[tensor])) == real_type_of(problem.computed);
    };
    return problem.type[einsum_impl::C] == problem.type[D] &&
           (sums_like(einsum_impl::A) || sums_like(D));
}

candidate_ptr make_permute(const contraction_problem &problem,
                           const plan_environment &environment) {
    return std::make_shared<permute>(
        plan_into_d(problem, einsum_impl::A, environment, environment.tuning));
}

} // namespace tenfold::contract_impl
