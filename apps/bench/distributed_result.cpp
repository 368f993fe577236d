#include "apps/bench/distributed_result.hpp"

#include <algorithm>
#include <limits>

namespace tenfold::apps_impl {
namespace {

constexpr index_t least_checked = index_t{1} << 30;

index_t most(const std::vector<index_t> &values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

double over(index_t value, index_t other) {
    if (other > 0)
        return static_cast<double>(value) / static_cast<double>(other);
    return value == 0 ? 1 : std::numeric_limits<double>::infinity();
}

} // namespace

index_t distributed_result::received() const { return most(received_by_rank); }
index_t distributed_result::redistributed() const { return most(redistributed_by_rank); }

double distributed_result::ratio_to_bound() const { return over(received(), plan.bound.value); }

double distributed_result::peak_ratio() const { return over(peak_bytes, plan.peak.value); }

std::optional<double> distributed_result::resident_ratio() const {
    if (!resident_bytes || peak_bytes < least_checked)
        return std::nullopt;
    return over(*resident_bytes, peak_bytes);
}

bool distributed_result::as_planned() const {
    return received() == plan.bytes_received.value && redistributed() == plan.redistribution.value;
}

} // namespace tenfold::apps_impl
