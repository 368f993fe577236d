#include "contract/products/swapped_inputs.hpp"

#include <memory>
#include <string>
#include <utility>

#include "base/footprint.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::contraction_problem;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;

class swapped_inputs final : public candidate {
public:
    explicit swapped_inputs(candidate_ptr inner) : inner_(std::move(inner)) {}

    tenfold::algorithm algorithm() const noexcept override { return inner_->algorithm(); }
    double seconds() const noexcept override { return inner_->seconds(); }
    byte_count workspace() const noexcept override { return inner_->workspace(); }
    std::string describe() const override { return "B times A: " + inner_->describe(); }
    std::size_t footprint() const noexcept override {
        return sizeof *this + base::allocation_overhead + inner_->footprint();
    }
    bool reads_any_c() const noexcept override { return true; }
    void execute(const sources &from, void *d, std::byte *workspace) const noexcept override {
        sources swapped = from;
        std::swap(swapped.a, swapped.b);
        inner_->execute(swapped, d, workspace);
    }

private:
    candidate_ptr inner_;
};

} // namespace

contraction_problem with_swapped_inputs(contraction_problem problem) {
    std::swap(problem.m, problem.n);
    std::swap(problem.isolated_a, problem.isolated_b);
    std::swap(problem.type[A], problem.type[B]);
    std::swap(problem.shape[A], problem.shape[B]);
    std::swap(problem.touched[A], problem.touched[B]);
    for (mode_group *group : {&problem.batch, &problem.m, &problem.n, &problem.k,
                              &problem.isolated_a, &problem.isolated_b})
        for (problem_mode &mode : *group)
            std::swap(mode.stride[A], mode.stride[B]);
    return problem;
}

candidate_ptr with_inputs_swapped(candidate_ptr inner) {
    return std::make_shared<swapped_inputs>(std::move(inner));
}

} // namespace tenfold::contract_impl
