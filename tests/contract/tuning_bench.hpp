// Tunes one contraction with made-up seconds.
#pragma once

#include <atomic>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "contract/choose/planner.hpp"
#include "contract/choose/search.hpp"
#include "contract/choose/tune.hpp"
#include "support/paper_instrument.hpp"

namespace tenfold::testing {

inline const extents_t a_extents = {7, 5, 6, 4}, b_extents = {3, 4, 8, 5}, d_extents = {7, 6, 8, 3};
inline constexpr const char *expression = "abcd=aebf*dfce";

inline contraction_plan estimated(const contract_options &options = {}) {
    const auto of = [](const extents_t &extents) {
        return input(data_type::f64, nullptr, layout(extents));
    };
    return make_plan(expression, of(a_extents), of(b_extents),
                     output(data_type::f64, nullptr, layout(d_extents)), options);
}

/// Makes a plan as make_plan() does, but with made-up seconds.
class tuning_bench {
public:
    explicit tuning_bench(contract_impl::wisdom *known = nullptr,
                          contract_options options = {.threads = 1})
        : known_(known), options_(options) {}

    contract_impl::plan_state plan(tuning level) {
        contract_impl::plan_state made = contract_impl::whole_of(estimated(options_));
        estimate = contract_impl::choice_name(*made.chosen);
        contract_impl::tune(made, {level, options_.algorithm, known_},
                            [&](const contract_impl::plan_state &, byte_count, double) {
                                ++searches;
                                return std::make_unique<paper_instrument<contract_impl::candidate>>(
                                    [this](const contract_impl::candidate &one) {
                                        const std::string name = contract_impl::choice_name(one);
                                        if (measured.insert(name).second)
                                            most_workspace =
                                                std::max(most_workspace, one.workspace());
                                        return cost(name);
                                    });
                            });
        return made;
    }

    std::atomic<int> searches = 0; ///< plans that were measured
    std::string estimate;
    std::set<std::string> measured;
    byte_count most_workspace{};
    /// The cost function: the candidate named `favourite` is twice as fast as the others.
    std::function<double(const std::string &)> cost = [this](const std::string &name) {
        return name == favourite ? 0.5e-3 : 1e-3;
    };
    std::string favourite = "none";

private:
    contract_impl::wisdom *known_;
    contract_options options_;
};

/// The second best candidate by the cost model.
inline std::string second_of_estimate() {
    tuning_bench at;
    at.plan(tuning::measure);
    const contraction_plan plan = estimated({.threads = 1});
    const auto all = contract_impl::enumerate_candidates(
        contract_impl::whole_of(plan).problem, contract_impl::whole_of(plan).environment, 12);
    for (const contract_impl::option &one : all)
        if (one.choice != nullptr && contract_impl::choice_name(*one.choice) != at.estimate &&
            at.measured.count(contract_impl::choice_name(*one.choice)) == 1)
            return contract_impl::choice_name(*one.choice);
    ADD_FAILURE() << "only the estimate was measured";
    return {};
}

inline bool says(const contract_impl::plan_state &plan, const std::string &part) {
    return contract_impl::explain(plan).find(part) != std::string::npos;
}

} // namespace tenfold::testing
