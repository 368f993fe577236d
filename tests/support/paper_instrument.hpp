// An instrument whose seconds are made up, so that what tuning decides can be foreseen.
#pragma once

#include <functional>

#include "tuning/measuring.hpp"

namespace tenfold::testing {

template <class Measured> class paper_instrument final : public tuning_impl::instrument<Measured> {
public:
    using cost_function = std::function<double(const Measured &)>;

    explicit paper_instrument(cost_function cost) : cost_(std::move(cost)) {}

    /// The clock is what samples took.
    double seconds(const Measured &one) override {
        ++samples_;
        const double taken = cost_(one);
        now_ += taken;
        return taken;
    }
    double now() const override { return now_; }
    int samples() const noexcept { return samples_; }

private:
    cost_function cost_;
    double now_ = 1000;
    int samples_ = 0;
};

} // namespace tenfold::testing
