// Measures how evenly a program performs on several platforms.
#pragma once

#include <string>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::apps_impl {

/// The metric of Pennycook, Sewall and Lee (Implications of a metric for performance portability,
/// Future Generation Computer Systems 92, 2019): the harmonic mean of the efficiencies on all
/// platforms, 0 if one of them is not supported, which is an efficiency of 0.
double performance_portability(const std::vector<double> &efficiencies) noexcept;

/// Architectural efficiencies by case and instruction set.
struct portability_table {
    struct row {
        std::string name;                 ///< of the case
        std::vector<double> efficiencies; ///< fractions of the ceiling, by isas; 0: not supported
        double portability() const noexcept { return performance_portability(efficiencies); }
    };
    std::vector<isa> isas;
    std::vector<row> cases; ///< at least one

    double geomean(std::size_t isa_index) const;
    double mean() const; ///< of the cases' portabilities
    const row &worst() const;
};

void print(const portability_table &table);

} // namespace tenfold::apps_impl
