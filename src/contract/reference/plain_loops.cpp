#include "contract/reference/reference.hpp"

#include "base/footprint.hpp"
#include "contract/choose/kinds.hpp"
#include "contract/choose/planning.hpp"
#include "contract/epilogues/planned_epilogue.hpp"

namespace tenfold::contract_impl {
namespace {

class plain_loops final : public candidate {
public:
    explicit plain_loops(const einsum_impl::contraction_problem &problem) : loops_(problem) {}

    tenfold::algorithm algorithm() const noexcept override { return algorithm::reference; }
    double seconds() const noexcept override {
        constexpr double seconds_per_product = 2e-9;
        return seconds_per_product * static_cast<double>(einsum_impl::extent_of(loops_.free)) *
               static_cast<double>(einsum_impl::extent_of(loops_.summed));
    }
    byte_count workspace() const noexcept override { return {}; }
    std::string describe() const override { return "plain nested loops"; }
    std::size_t footprint() const noexcept override {
        return sizeof *this + base::allocation_overhead + allocated_by(loops_.free) +
               allocated_by(loops_.summed);
    }

    /// Steps on numbers that are narrower than the arithmetic with them begin from a rounded D.
    fusion fuses(const planned_epilogue &finish) const noexcept override {
        return finish.is_nested() && is_arithmetic(finish.type()) ? fusion::in_plain_loops
                                                                  : fusion::never;
    }
    bool reads_any_c() const noexcept override { return true; }
    void execute(const sources &from, void *d, std::byte *) const noexcept override {
        reference_contract(loops_, from, d);
    }

private:
    reference_loops loops_;
};

void offer_reference(planning &with, offers &made) { made.add(make_plain_loops(with.problem)); }

} // namespace

candidate_ptr make_plain_loops(const einsum_impl::contraction_problem &problem) {
    return std::make_shared<plain_loops>(problem);
}

constinit const candidate_kind reference_kind{algorithm::reference, offer_reference,
                                              copying::nothing, /*last_resort=*/true};

} // namespace tenfold::contract_impl
