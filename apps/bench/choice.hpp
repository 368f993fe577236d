// Measures how well plans chose among the algorithms, and how well they predicted seconds.
#pragma once

#include <string>
#include <vector>

#include "apps/bench/means.hpp"
#include "apps/bench/measure.hpp"

namespace tenfold::apps_impl {

/// Compares predicted with measured seconds.
struct prediction_summary {
    static constexpr double close = 1.5; ///< a prediction within this factor, either way
    int cases = 0;                       ///< with a prediction
    int close_cases = 0;
    double geomean_ratio = 0; ///< seconds / predicted: above 1 the plans are too optimistic
};

class prediction_counter {
public:
    void include(double seconds, double predicted);
    prediction_summary summary() const;

private:
    prediction_summary counted_;
    geometric_mean mean_;
};

/// Compares automatic plans with plans whose algorithm was forced.
struct choice_summary {
    static constexpr double good = 1.1; ///< at most this factor slower than the best
    int cases = 0;                      ///< with at least one forced plan
    int good_cases = 0;
    double geomean_factor = 0; ///< case_result::choice_factor()
    double worst_factor = 0;
    std::string worst_case;
    struct by_algorithm {
        tenfold::algorithm algorithm;
        prediction_summary predictions; ///< of plans with this algorithm forced
    };
    std::vector<by_algorithm> algorithms; ///< those that ran at all
};
choice_summary summarise_choices(const std::vector<case_result> &cases);

void print(const choice_summary &summary);

} // namespace tenfold::apps_impl
