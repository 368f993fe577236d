// Tunes one transposition with made-up seconds.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <tenfold/context.hpp>

#include "support/paper_instrument.hpp"
#include "transpose/plan/plan_state.hpp"
#include "transpose/tune.hpp"

namespace tenfold::testing {

inline constexpr data_type f32 = data_type::f32;
inline const std::vector<int> permutation = {2, 1, 0};

/// Makes a plan as transpose_plan does, but with made-up seconds.
class tuning_bench {
public:
    explicit tuning_bench(transpose_impl::wisdom *known = nullptr,
                          const context &ctx = context::global())
        : known_(known), ctx_(&ctx) {}

    transpose_impl::plan_state plan(tuning level, bool accumulates = false) {
        const layout a({40, 30, 50});
        const layout b({50, 30, 40});
        transpose_impl::plan_state made({permutation, f32, a, f32, b}, {.threads = 1, .ctx = ctx_},
                                        {});
        transpose_impl::tune(
            made, {*ctx_, level, accumulates, known_},
            [&](const transpose_impl::plan_state &, double) {
                ++searches;
                return std::make_unique<paper_instrument<transpose_impl::schedule>>(cost);
            });
        return made;
    }

    std::atomic<int> searches = 0; ///< plans that were measured
    /// The cost function: a strip of 64 columns, half of the estimate's, is twice as fast.
    paper_instrument<transpose_impl::schedule>::cost_function cost =
        [](const transpose_impl::schedule &one) { return one.strip == 64 ? 0.5e-3 : 1e-3; };

private:
    transpose_impl::wisdom *known_;
    const context *ctx_;
};

inline bool says(const transpose_impl::plan_state &plan, const std::string &part) {
    return explain(plan).find(part) != std::string::npos;
}

} // namespace tenfold::testing
