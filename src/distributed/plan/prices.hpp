// What distributed plans cost, in seconds: local work by GEMM's own price, messages by the
// machine's rates.
#pragma once

#include <tenfold/dist_plan.hpp>

#include "base/rates.hpp"
#include "distributed/plan/hash.hpp"

namespace tenfold::dist_impl {

/// All that prices follow from. The same on every rank that takes part in a plan, however much
/// processors and calibrations differ (comm/agreed_prices.hpp).
struct prices {
    base::machine_rates rates;
    int threads = 1; ///< of a rank

    /// Those of this process: by the context's rates, or typical ones if the plan is reproducible,
    /// and by the options' threads, or the context's.
    static prices of(const dist_options &options) noexcept;

    /// Seconds that a rank multiplies for, at best: thousands of grids are compared, and what falls
    /// short of it does so in all of them.
    double multiplying(data_type type, double multiply_adds) const noexcept;
    /// Seconds until a rank has received so many bytes in so many messages; no bytes take none.
    double receiving(double bytes, double messages) const noexcept;
    /// Seconds to add to sums in memory, which are read and written: `bytes` of both.
    double updating(double bytes) const noexcept;

    void add_to(hasher &hash) const noexcept;
    friend bool operator==(const prices &, const prices &) = default;
};

} // namespace tenfold::dist_impl
