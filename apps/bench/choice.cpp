#include "apps/bench/choice.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tenfold::apps_impl {

void prediction_counter::include(double seconds, double predicted) {
    const double ratio = seconds / predicted;
    mean_.include(ratio);
    ++counted_.cases;
    if (std::max(ratio, 1 / ratio) <= prediction_summary::close)
        ++counted_.close_cases;
}

prediction_summary prediction_counter::summary() const {
    prediction_summary result = counted_;
    result.geomean_ratio = mean_.value();
    return result;
}

choice_summary summarise_choices(const std::vector<case_result> &cases) {
    choice_summary summary;
    geometric_mean mean;
    std::array<prediction_counter, forcible_algorithms.size()> counters;
    for (const case_result &one : cases) {
        if (one.forced.empty())
            continue;
        const double factor = one.choice_factor();
        mean.include(factor);
        ++summary.cases;
        summary.good_cases += factor <= choice_summary::good;
        if (factor > summary.worst_factor) {
            summary.worst_factor = factor;
            summary.worst_case = one.definition.name;
        }
        for (const forced_result &forced : one.forced) {
            const auto found =
                std::find(forcible_algorithms.begin(), forcible_algorithms.end(), forced.algorithm);
            counters[static_cast<std::size_t>(found - forcible_algorithms.begin())].include(
                forced.seconds.min, forced.predicted_seconds);
        }
    }
    summary.geomean_factor = mean.value();
    for (std::size_t i = 0; i < counters.size(); ++i)
        if (counters[i].summary().cases > 0)
            summary.algorithms.push_back({forcible_algorithms[i], counters[i].summary()});
    return summary;
}

void print(const choice_summary &summary) {
    std::printf("automatic plans take up to %g x the best algorithm's seconds in %d of %d cases; "
                "geometric mean %.3f x, worst %.3f x (%s)\n",
                choice_summary::good, summary.good_cases, summary.cases, summary.geomean_factor,
                summary.worst_factor, summary.worst_case.c_str());
    for (const choice_summary::by_algorithm &one : summary.algorithms)
        std::printf("%s: predicted within a factor %g in %d of %d cases; in the geometric mean "
                    "they took %.2f x the predicted seconds\n",
                    std::string(name(one.algorithm)).c_str(), prediction_summary::close,
                    one.predictions.close_cases, one.predictions.cases,
                    one.predictions.geomean_ratio);
}

} // namespace tenfold::apps_impl
