// Geometric means of ratios.
#pragma once

#include <cmath>

namespace tenfold::apps_impl {

/// Running geometric mean; 0 without values, and if one value is 0.
class geometric_mean {
public:
    void include(double value) {
        logarithms_ += std::log(value);
        ++count_;
    }
    double value() const { return count_ == 0 ? 0 : std::exp(logarithms_ / count_); }

private:
    double logarithms_ = 0;
    int count_ = 0;
};

} // namespace tenfold::apps_impl
