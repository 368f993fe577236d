#include "apps/bench/plan_cost.hpp"

#include <vector>

#include "apps/common/generate.hpp"
#include "apps/common/host_array.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::apps_impl {
namespace {

// Plans that are tuned may take seconds each, so that one more must suffice then.
constexpr int most_plans = 9;
constexpr double enough_seconds = 0.1;

constexpr int samples = 25;
constexpr int calls_per_sample = 10000;

} // namespace

double seconds_to_plan(const workload &work) {
    std::vector<double> seconds;
    const stopwatch all;
    do {
        const stopwatch watch;
        const transpose_plan plan = work.make_transpose_plan();
        seconds.push_back(watch.seconds());
    } while (static_cast<int>(seconds.size()) < most_plans && all.seconds() < enough_seconds);
    return median(std::move(seconds));
}

double seconds_of_tiny_execute(const bench_options &options, const context &ctx) {
    const extents_t extents = {8, 8};
    const host_array a = generated_array(options.type, 0, extents, /*threads=*/1);
    host_array b = generated_array(options.output_type, generated_c, extents, /*threads=*/1);
    const transpose_plan plan(std::vector<int>{1, 0}, a.type(), a.shape(), b.type(), b.shape(),
                              false,
                              {.beta = options.beta,
                               .tuning = options.ttc.tuning,
                               .threads = options.threads,
                               .ctx = &ctx});
    const auto sample = [&] {
        const stopwatch watch;
        for (int call = 0; call < calls_per_sample; ++call)
            plan.execute(1.0, a.data(), options.beta, b.data()).throw_if_failed();
        return watch.seconds() / calls_per_sample;
    };
    sample(); // warms up, not counted
    std::vector<double> seconds;
    for (int i = 0; i < samples; ++i)
        seconds.push_back(sample());
    return median(std::move(seconds));
}

} // namespace tenfold::apps_impl
