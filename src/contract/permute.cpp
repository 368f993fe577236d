#include "contract/permute.hpp"

#include <numeric>

namespace tenfold::contract_impl {
namespace {

using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::mode_group;
using einsum_impl::tensor_id;

/// The modes of D in one plan from `tensor` into D.
transpose_plan plan_into_d(const contraction_problem &problem, tensor_id tensor,
                           const plan_environment &environment) {
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
    options.threads = environment.threads;
    options.ctx = environment.ctx;
    return transpose_plan(identity, problem.type[tensor], layout(extents, strides), problem.type[D],
                          layout(extents, strides_d), problem.conjugate[tensor], options);
}

class permute final : public candidate {
public:
    explicit permute(transpose_plan plan) : plan_(std::move(plan)) {}

    tenfold::algorithm algorithm() const noexcept override { return algorithm::direct; }
    double seconds() const noexcept override { return plan_.predicted_seconds(); }
    byte_count workspace() const noexcept override { return {}; }
    std::string describe() const override { return "a transposition: " + plan_.explain(); }

    void execute(scalar alpha, const void *a, const void *, scalar beta, const void *, void *d,
                 std::byte *) const noexcept override {
        // Pointers and overlap were checked for the whole contraction: this cannot fail.
        static_cast<void>(plan_.execute(alpha, a, beta, d));
    }

private:
    transpose_plan plan_;
};

} // namespace

candidate_ptr make_permute(const contraction_problem &problem,
                           const plan_environment &environment) {
    if (!problem.unary || !problem.isolated_a.empty())
        return nullptr;
    return std::make_shared<permute>(plan_into_d(problem, einsum_impl::A, environment));
}

transpose_plan plan_copy_of_c(const contraction_problem &problem,
                              const plan_environment &environment) {
    return plan_into_d(problem, einsum_impl::C, environment);
}

} // namespace tenfold::contract_impl
