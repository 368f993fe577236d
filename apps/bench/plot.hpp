// Draws a report: the fraction of the ceiling for each case.
#pragma once

#include <string>
#include <vector>

#include "apps/bench/report.hpp"

namespace tenfold::apps_impl {

/// A bar chart: one group per category, one bar in it per series.
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

/// Makes a chart of Tenfold's and the peers' fractions of the ceiling, or of the instruction sets'
/// if several were run.
bar_chart chart_of(const bench_options &options, const bench_report &report);

/// As parse_text(). Throws usage_error unless the name ends in .svg, .png or .pdf.
std::string parse_picture(const std::string &option, const std::string &text);

/// Throws failure with the name of the package if gnuplot is missing.
void check_plotter();

/// Draws with gnuplot, as SVG, PNG or PDF, which the end of the name selects. Throws failure.
void write_chart(const std::string &path, const bar_chart &chart);

} // namespace tenfold::apps_impl
