// An instrument with made-up seconds, so that the result of tuning is predictable.
#pragma once

#include <functional>

#include "tuning/measuring.hpp"

namespace tenfold::testing {

template <class Measured> class paper_instrument final : public tuning_impl::instrument<Measured> {
public:
    using cost_function = std::function<double(const Measured &)>;

    explicit paper_instrument(cost_function cost) : cost_(std::move(cost)) {}

    /// Advances the clock by the made-up seconds of the sample.
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
