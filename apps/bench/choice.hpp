// How well a plan chose between the ways there are.
#pragma once

#include <string>
#include <vector>

#include "apps/bench/means.hpp"
#include "apps/bench/measure.hpp"

namespace tenfold::apps_impl {

/// How well predictions met what was measured.
struct prediction_summary {
    static constexpr double close = 1.5; ///< a prediction within this factor, either way
    int cases = 0;                       ///< that were predicted
    int close_cases = 0;
    double geomean_ratio = 0; ///< seconds / predicted: above 1 plans are too hopeful
};

class prediction_counter {
public:
    void include(double seconds, double predicted);
    prediction_summary summary() const;

private:
    prediction_summary counted_;
    geometric_mean mean_;
};

/// Of automatic plans beside those that were told their algorithm.
struct choice_summary {
    static constexpr double good = 1.1; ///< a factor up to it
    int cases = 0;                      ///< where one could be told at least
    int good_cases = 0;
    double geomean_factor = 0; ///< case_result::choice_factor()
    double worst_factor = 0;
    std::string worst_case;
    struct by_algorithm {
        tenfold::algorithm algorithm;
        prediction_summary predictions; ///< of those that were told this one
    };
    std::vector<by_algorithm> algorithms; ///< those that ran at all
};
choice_summary summarise_choices(const std::vector<case_result> &cases);

void print(const choice_summary &summary);

} // namespace tenfold::apps_impl
