#include "distributed/plan/prices.hpp"

#include "base/context_of.hpp"
#include "base/machine.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::dist_impl {

prices prices::of(const dist_options &options) noexcept {
    const context &ctx = base::context_of(options);
    return {options.reproducible.value_or(false)
                ? base::machine_rates::typical_of(ctx.isa(), base::machine_of(ctx).cores)
                : base::rates_of(ctx),
            options.threads > 0 ? options.threads : ctx.threads()};
}

double prices::multiplying(data_type type, double multiply_adds) const noexcept {
    return gemm_impl::least_seconds(type, multiply_adds, threads, rates);
}

double prices::receiving(double bytes, double messages) const noexcept {
    return bytes > 0 ? bytes / rates.receiving(threads) + messages * rates.message : 0;
}

double prices::updating(double bytes) const noexcept { return bytes / rates.updating(threads); }

void prices::add_to(hasher &hash) const noexcept {
    for (const base::rate &one : base::all_rates())
        hash.add(rates.*one.value);
    hash.add(threads);
}

} // namespace tenfold::dist_impl
