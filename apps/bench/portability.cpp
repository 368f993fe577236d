#include "apps/bench/portability.hpp"

#include <algorithm>
#include <cstdio>

#include "apps/bench/means.hpp"

namespace tenfold::apps_impl {

double performance_portability(const std::vector<double> &efficiencies) noexcept {
    double inverses = 0;
    for (const double efficiency : efficiencies) {
        if (efficiency <= 0)
            return 0;
        inverses += 1 / efficiency;
    }
    return efficiencies.empty() ? 0 : static_cast<double>(efficiencies.size()) / inverses;
}

double portability_table::geomean(std::size_t isa_index) const {
    geometric_mean mean;
    for (const row &one : cases)
        mean.include(one.efficiencies[isa_index]);
    return mean.value();
}

double portability_table::mean() const {
    double sum = 0;
    for (const row &one : cases)
        sum += one.portability();
    return sum / static_cast<double>(cases.size());
}

const portability_table::row &portability_table::worst() const {
    return *std::min_element(cases.begin(), cases.end(), [](const row &one, const row &other) {
        return one.portability() < other.portability();
    });
}

void print(const portability_table &table) {
    std::string names;
    for (std::size_t i = 0; i < table.isas.size(); ++i) {
        const std::string isa(name(table.isas[i]));
        names += (i == 0 ? "" : ", ") + isa;
        std::printf("%s: geometric mean %.3f of the ceiling\n", isa.c_str(), table.geomean(i));
    }
    const portability_table::row &worst = table.worst();
    std::printf("performance portability over %s (Pennycook, Sewall, Lee 2019): mean %.3f, worst "
                "%.3f (%s)\n",
                names.c_str(), table.mean(), worst.portability(), worst.name.c_str());
}

} // namespace tenfold::apps_impl
