#include "apps/tenfold/rates_text.hpp"

#include "apps/common/text.hpp"

namespace tenfold::apps_impl {

std::string describe(const base::rate &which, double value) {
    switch (which.in) {
    case base::rate::unit::flops:
        return format("%.4g GFLOP/s", value * 1e-9);
    case base::rate::unit::bytes:
        return format("%.4g GB/s", value * 1e-9);
    case base::rate::unit::seconds:
        return describe_seconds(value);
    case base::rate::unit::fraction:
        break;
    }
    return format("%.3g", value);
}

nlohmann::ordered_json to_json(const base::machine_rates &rates) {
    auto values = nlohmann::ordered_json::object();
    for (const base::rate &one : base::all_rates())
        values[one.name] = rates.*one.value;
    return values;
}

} // namespace tenfold::apps_impl
