#include "transpose/search.hpp"

#include <algorithm>
#include <limits>

#include "base/traffic.hpp"
#include "transpose/plan/choices.hpp"
#include "transpose/plan/panel.hpp"
#include "tuning/measuring.hpp"

namespace tenfold::transpose_impl {
namespace {

using tuning_impl::least_samples;

/// A search in progress.
class searcher {
public:
    searcher(const scheduler &make, const base::machine &machine, const tuning_effort &effort,
             instrument &with)
        : make_(make), effort_(effort), with_(with), began_(with.now()), estimate_{{}, make({})},
          best_(estimate_), trials_(trials(estimate_.made, machine, effort.wide)) {}

    search_result run() {
        if (refuses_for_time())
            return finish();
        with_.seconds(estimate_.made); // touches code and memory for the first time
        const double before = with_.now();
        result_.candidates = 1;
        if (refuses_for_time())
            return finish();
        with_.seconds(estimate_.made);
        sample_ = with_.now() - before;
        // The last third of the time is for confirming what was found.
        deadline_ = began_ + effort_.seconds * 2 / 3;
        if (affordable() < 2) {
            result_.refusal = tuning_impl::too_slow_to_search(sample_, effort_.seconds);
            return finish();
        }
        std::vector<candidate> field = variations(best_, trials_, make_);
        if (field.size() > static_cast<std::size_t>(effort_.candidates) - 1)
            field.resize(static_cast<std::size_t>(effort_.candidates) - 1);
        take_fastest(std::move(field));
        for (int sweep = 0; sweep < effort_.sweeps && sweep_once(); ++sweep) {
        }
        confirm();
        return finish();
    }

private:
    /// Returns how many candidates can take part in a race that ends in time.
    index_t affordable() const noexcept {
        const double rounds = (deadline_ - with_.now()) / (least_samples * sample_);
        return rounds < 1e6 ? static_cast<index_t>(rounds) : 1000000;
    }

    /// Races the best against others and replaces it by one that is faster by `step`.
    bool take_fastest(std::vector<candidate> others) {
        const index_t most = std::max<index_t>(0, affordable() - 1);
        if (static_cast<index_t>(others.size()) > most)
            others.resize(static_cast<std::size_t>(most));
        if (others.empty())
            return false;
        std::vector<const schedule *> field = {&best_.made};
        for (const candidate &one : others)
            field.push_back(&one.made);
        const std::vector<double> medians =
            tuning_impl::race(field, effort_.samples, {deadline_, end()}, with_);
        result_.candidates += static_cast<int>(others.size());
        const auto fastest = std::min_element(medians.begin(), medians.end());
        if (fastest == medians.begin() || medians[0] < effort_.step * *fastest)
            return false;
        best_ = std::move(others[static_cast<std::size_t>(fastest - medians.begin()) - 1]);
        return true;
    }

    /// Varies each choice on its own, starting from the best; returns false if nothing better was
    /// found.
    bool sweep_once() {
        bool moved = false;
        for (const trial &one : trials_)
            moved = take_fastest(variations(best_, {one}, make_)) || moved;
        return moved && with_.now() < deadline_;
    }

    /// A step may have been luck, so the estimate and the best race up to twice more.
    void confirm() {
        for (int again = 2; again > 0 && improved(); --again) {
            const std::vector<double> medians =
                tuning_impl::race<schedule>({&estimate_.made, &best_.made}, effort_.samples,
                                            {began_ + effort_.seconds, end()}, with_);
            result_.gain = medians[0] / medians[1];
            if (!(result_.gain >= effort_.margin))
                best_ = estimate_;
        }
    }

    bool refuses_for_time() {
        if (with_.now() >= end())
            result_.refusal = "the time had passed before anything could be compared";
        return !result_.refusal.empty();
    }

    /// When no sample may begin any more.
    double end() const noexcept {
        return effort_.ends ? began_ + effort_.seconds : std::numeric_limits<double>::infinity();
    }

    bool improved() const noexcept { return !(best_.made == estimate_.made); }

    search_result finish() {
        result_.choices = best_.choices;
        if (!improved())
            result_.gain = 1;
        result_.seconds = with_.now() - began_;
        return std::move(result_);
    }

    const scheduler &make_;
    const tuning_effort &effort_;
    instrument &with_;
    double began_;
    double deadline_ = 0;
    double sample_ = 0; ///< seconds of one sample of the estimate
    candidate estimate_;
    candidate best_;
    std::vector<trial> trials_;
    search_result result_;
};

} // namespace

const tuning_effort &effort_of(tuning level) noexcept {
    // Medians of interleaved samples tell 3 % apart on a machine that others use too. But times in
    // scratch memory differ by more from times elsewhere (docs/adr/0006), so a gain must be clear
    // to replace the estimate.
    static constexpr tuning_effort measure{1, 12, 9, 0, 1.08, 1.03, false};
    static constexpr tuning_effort patient{5, 40, 15, 3, 1.05, 1.01, true};
    return level == tuning::patient ? patient : measure;
}

tuning_effort limited(tuning_effort effort, double seconds) noexcept {
    if (seconds > effort.seconds) {
        constexpr int until_nothing_is_better = 1000;
        effort.wide = true;
        effort.candidates = effort.sweeps = until_nothing_is_better;
    }
    effort.seconds = seconds;
    effort.ends = true;
    return effort;
}

std::vector<trial> trials(const schedule &estimate, const base::machine &machine, bool wide) {
    std::vector<trial> list;
    const auto add = [&](index_t schedule_options::*field, std::vector<index_t> values) {
        list.push_back({field, std::move(values)});
    };
    const index_t bytes_b = estimate.elements * estimate.size_b;
    const index_t least = base::least_past_caches(machine);
    const bool is_close = bytes_b >= least / 2 && bytes_b / 16 <= least;
    if (!estimate.accumulates && (wide || is_close))
        add(&schedule_options::stream_threshold, {always_streams, never_streams});

    // Unit: whole rows if rows are copied, otherwise lines of B.
    const index_t unit = estimate.how == method::rows
                             ? std::max<index_t>(1, estimate.run.front().extent)
                             : std::max<index_t>(1, line / estimate.size_b);
    add(&schedule_options::strip, {unit, 2 * unit, 4 * unit});
    if (wide)
        list.back().values.insert(list.back().values.end(), {8 * unit, 16 * unit});

    if (estimate.how != method::elements) { // this method does not prefetch
        const index_t ahead = estimate.ahead;
        add(&schedule_options::ahead,
            ahead == 0 ? std::vector<index_t>{4} : std::vector<index_t>{ahead / 2, 2 * ahead});
        if (wide)
            list.back().values.insert(list.back().values.end(), {0, 1, 8, 16, 32});
    }
    add(&schedule_options::panel_rows, {256, 1024, 4096});
    if (wide)
        list.back().values.insert(list.back().values.end(), {64, 128, 512, 2048});
    if (estimate.how == method::tiles)
        add(&schedule_options::skew,
            wide ? std::vector<index_t>{0, 1, 2, 4} : std::vector<index_t>{0, 2});
    if (wide && estimate.how != method::elements)
        add(&schedule_options::prefetch_level, {1, 2});
    if (wide && estimate.how == method::tiles)
        add(&schedule_options::block, {0, 128 / std::max<index_t>(1, estimate.width)});
    if (wide)
        add(&schedule_options::panel_reads, {index_t{2} << 10, index_t{8} << 10, index_t{32} << 10,
                                             index_t{128} << 10, index_t{1} << 20});
    if (estimate.threads > 1)
        add(&schedule_options::bytes_per_thread,
            wide ? std::vector<index_t>{INT64_MAX, index_t{512} << 10, index_t{2} << 20}
                 : std::vector<index_t>{INT64_MAX});
    else if (wide)
        add(&schedule_options::bytes_per_thread, {index_t{32} << 10});
    return list;
}

std::vector<candidate> variations(const candidate &from, const std::vector<trial> &trials,
                                  const scheduler &make) {
    std::vector<candidate> list;
    for (const trial &one : trials)
        for (const index_t value : one.values) {
            candidate next{from.choices, {}};
            next.choices.*one.field = value;
            next.made = make(next.choices);
            const bool known = next.made == from.made ||
                               std::any_of(list.begin(), list.end(), [&](const candidate &other) {
                                   return other.made == next.made;
                               });
            if (!known)
                list.push_back(std::move(next));
        }
    return list;
}

search_result search(const scheduler &make, const base::machine &machine,
                     const tuning_effort &effort, instrument &with) {
    return searcher(make, machine, effort, with).run();
}

} // namespace tenfold::transpose_impl
