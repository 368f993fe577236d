#include "contract/epilogues/finished_candidate.hpp"

#include <algorithm>

#include "base/context_of.hpp"
#include "base/footprint.hpp"
#include "base/text.hpp"
#include "base/work.hpp"
#include "contract/epilogues/planned_epilogue.hpp"

namespace tenfold::contract_impl {
namespace {

class finished_candidate final : public candidate {
public:
    finished_candidate(candidate_ptr inner, const plan_environment &environment)
        : inner_(std::move(inner)), fused_(inner_->fuses(*environment.finish)),
          threads_(environment.threads) {
        const base::machine &machine = base::machine_of(*environment.ctx);
        const base::machine_rates &rates = base::rates_of(*environment.ctx);
        if (fused_ != fusion::in_plain_loops &&
            !environment.finish->pays_in_products(machine, threads_))
            fused_ = fusion::never;
        finishing_ = fused_ != fusion::never
                         ? environment.finish->fused_seconds(machine, rates, threads_)
                         : environment.finish->pass_seconds(machine, rates, threads_);
    }

    tenfold::algorithm algorithm() const noexcept override { return inner_->algorithm(); }
    double seconds() const noexcept override { return inner_->seconds() + finishing_; }
    byte_count workspace() const noexcept override { return inner_->workspace(); }
    std::string describe() const override { return inner_->describe(); }
    std::string describe_epilogue() const override {
        switch (fused_) {
        case fusion::always:
            return "epilogue fused in the product";
        case fusion::in_plain_loops:
            return "epilogue in the same loops";
        case fusion::if_beta_is_zero:
            return "epilogue fused in the product if beta is 0, else a pass over D";
        case fusion::never:
            break;
        }
        return "epilogue: a pass over D (" + base::describe_seconds(finishing_) + ")";
    }
    std::size_t footprint() const noexcept override {
        return sizeof *this + base::allocation_overhead + inner_->footprint();
    }

    bool reads_any_c() const noexcept override { return inner_->reads_any_c(); }
    void execute(const sources &from, void *d, std::byte *workspace) const noexcept override {
        const bool is_fused =
            fused_ == fusion::if_beta_is_zero ? from.beta == 0.0 : fused_ != fusion::never;
        if (is_fused || from.finish == nullptr)
            return inner_->execute(from, d, workspace);
        sources plain = from;
        plain.finish = nullptr;
        const double share = finishing_ / std::max(1e-12, seconds());
        {
            const base::work_part part(1 - share);
            inner_->execute(plain, d, workspace);
        }
        if (base::work_part::stops())
            return;
        const base::work_part part(share);
        from.finish->pass(threads_);
    }

private:
    candidate_ptr inner_;
    fusion fused_;
    int threads_;
    double finishing_; ///< seconds
};

} // namespace

candidate_ptr with_epilogue(candidate_ptr one, const plan_environment &environment) {
    if (environment.finish == nullptr || one == nullptr)
        return one;
    return std::make_shared<finished_candidate>(std::move(one), environment);
}

} // namespace tenfold::contract_impl
