#include "transpose/plan/choices.hpp"

namespace tenfold::transpose_impl {

std::span<const choice> all_choices() noexcept {
    constexpr index_t large = index_t{1} << 40;
    constexpr index_t tiles = 2 * most_tiles;
    static constexpr choice list[] = {
        {"strip", &schedule_options::strip, 1, large},
        {"panel_rows", &schedule_options::panel_rows, 1, large},
        {"panel_reads", &schedule_options::panel_reads, 1, large},
        {"ahead", &schedule_options::ahead, 0, tiles},
        {"skew", &schedule_options::skew, 0, tiles},
        {"prefetch_level", &schedule_options::prefetch_level, 1, 2},
        {"block", &schedule_options::block, 0, most_tiles},
        {"stream_threshold", &schedule_options::stream_threshold, always_streams, never_streams},
        {"bytes_per_thread", &schedule_options::bytes_per_thread, 0, INT64_MAX},
    };
    return list;
}

std::string describe(const schedule_options &options) {
    const schedule_options defaults;
    std::string text;
    for (const choice &one : all_choices()) {
        const index_t value = options.*one.field;
        if (value == defaults.*one.field)
            continue;
        text += text.empty() ? "" : ", ";
        if (one.field == &schedule_options::stream_threshold && value == always_streams)
            text += "streaming on";
        else if (one.field == &schedule_options::stream_threshold && value == never_streams)
            text += "streaming off";
        else if (one.field == &schedule_options::bytes_per_thread && value == INT64_MAX)
            text += "one thread";
        else
            text += std::string(one.name) + " " + std::to_string(value);
    }
    return text.empty() ? "the estimate" : text;
}

} // namespace tenfold::transpose_impl
