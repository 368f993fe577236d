// A picture of a report: the fraction of the ceiling, case by case.
#pragma once

#include <string>
#include <vector>

#include "apps/bench/report.hpp"

namespace tenfold::apps_impl {

/// Bars side by side: one group per category, in it one bar per series.
struct bar_chart {
    struct series {
        std::string name;
        std::vector<double> values; ///< by category; NaN leaves a gap
    };
    std::string title;
    std::string axis;
    std::vector<std::string> categories;
    std::vector<series> bars;
};

/// Tenfold's and the peers' fractions of the ceiling; those of the instruction sets where several
/// were run.
bar_chart chart_of(const bench_options &options, const bench_report &report);

/// As parse_text() of an option; throws usage_error unless the name ends in .svg, .png or .pdf.
std::string parse_picture(const std::string &option, const std::string &text);

/// Throws failure that names the package when there is no gnuplot.
void check_plotter();

/// Draws with gnuplot, as SVG, PNG or PDF by what the name ends in. Throws failure.
void write_chart(const std::string &path, const bar_chart &chart);

} // namespace tenfold::apps_impl
