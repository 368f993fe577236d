#include "contract/planner.hpp"

#include "contract/reference.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::contraction_problem;

/// The reference as a candidate: always possible, never chosen while anything else is.
class reference_candidate final : public candidate {
  public:
    explicit reference_candidate(const contraction_problem &problem) : problem_(problem) {}

    tenfold::algorithm algorithm() const noexcept override { return algorithm::reference; }
    double seconds() const noexcept override {
        constexpr double seconds_per_product = 2e-9;
        double products = seconds_per_product;
        for (const auto *group : {&problem_.batch, &problem_.m, &problem_.n, &problem_.k,
                                  &problem_.isolated_a, &problem_.isolated_b})
            products *= static_cast<double>(einsum_impl::extent_of(*group));
        return products;
    }
    byte_count workspace() const noexcept override { return {}; }
    std::string describe() const override { return "plain nested loops"; }

    bool reads_any_c() const noexcept override { return true; }
    void execute(scalar alpha, const void *a, const void *b, scalar beta, const void *c, void *d,
                 std::byte *) const noexcept override {
        reference_contract(problem_, alpha, a, b, beta, c, d);
    }

  private:
    const contraction_problem &problem_;
};

} // namespace

std::vector<option> enumerate_candidates(const contraction_problem &problem,
                                         const plan_environment &) {
    return {{algorithm::reference, std::make_shared<reference_candidate>(problem), ""}};
}

} // namespace tenfold::contract_impl
