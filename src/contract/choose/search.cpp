#include "contract/choose/search.hpp"

#include <algorithm>
#include <vector>

#include "tuning/measuring.hpp"

namespace tenfold::contract_impl {

const tuning_effort &effort_of(tuning level) noexcept {
    // The margins are those for transpositions (docs/adr/0006).
    static constexpr tuning_effort measure{1, 12, 12, 4, 9, 1.03, 1.08};
    static constexpr tuning_effort patient{10, 32, 24, 10, 15, 1.01, 1.05};
    return level == tuning::patient ? patient : measure;
}

search_result search(std::span<const candidate_ptr> field, const tuning_effort &effort,
                     instrument &with) {
    search_result result;
    const double began = with.now();
    // The last third of the time is for confirming the result.
    const double deadline = began + effort.seconds * 2 / 3;
    const auto finish = [&] {
        result.seconds = with.now() - began;
        return std::move(result);
    };

    const candidate &estimate = *field.front();
    with.seconds(estimate); // the first touch of code and memory is not counted
    const double before = with.now();
    with.seconds(estimate);
    const double sample = with.now() - before;
    result.candidates = 1;
    const double affordable = (deadline - with.now()) / (tuning_impl::least_samples * sample);
    if (affordable < 2) {
        result.refusal = tuning_impl::too_slow_to_search(sample, effort.seconds);
        return finish();
    }
    const double most = static_cast<double>(std::min(field.size(), effort.candidates));
    std::vector<const candidate *> racers;
    for (const candidate_ptr &one :
         field.first(static_cast<std::size_t>(std::min(affordable, most))))
        racers.push_back(one.get());
    const std::vector<double> medians = tuning_impl::race(racers, effort.samples, deadline, with);
    result.candidates = static_cast<int>(racers.size());
    const auto fastest = std::min_element(medians.begin(), medians.end());
    if (medians[0] < effort.step * *fastest)
        return finish();

    // The result may be luck, so the estimate and the best are measured twice more.
    const auto best = static_cast<std::size_t>(fastest - medians.begin());
    for (int again = 0; again < 2; ++again) {
        const std::vector<double> both = tuning_impl::race<candidate>(
            {&estimate, racers[best]}, effort.samples, began + effort.seconds, with);
        if (!(both[0] >= effort.margin * both[1])) {
            result.gain = 1;
            return finish();
        }
        result.gain = both[0] / both[1];
    }
    result.best = best;
    return finish();
}

} // namespace tenfold::contract_impl
