#include "apps/bench/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>

#include "apps/common/program.hpp"
#include "apps/common/text.hpp"

namespace tenfold::apps_impl {
namespace {

constexpr int bar_width = 9; ///< pixels
constexpr int chart_height = 480;
constexpr int margins = 200;
constexpr std::size_t longest_name = 24; ///< of a case, printed below its bars

/// The formats that gnuplot draws, selected by the end of the file's name.
struct picture_format {
    std::string_view ending;
    const char *terminal; ///< the size is appended
    double unit;          ///< pixels per unit of the size
    std::string_view end; ///< how a complete file ends
};
constexpr std::array<picture_format, 3> formats = {{
    {".svg", "svg", 1, "</svg>"},
    {".png", "pngcairo", 1, "IEND"},
    {".pdf", "pdfcairo", 100, "%%EOF"}, // in inches
}};

const picture_format *format_of(std::string_view path) {
    const auto found = std::find_if(formats.begin(), formats.end(), [&](const auto &one) {
        return path.size() > one.ending.size() && path.ends_with(one.ending);
    });
    return found == formats.end() ? nullptr : &*found;
}

/// Returns both ends of a name that would need more room than the bars.
std::string abbreviated(const std::string &name) {
    if (name.size() <= longest_name)
        return name;
    // Does not cut within a UTF-8 character of several bytes.
    const auto continues = [&](std::size_t at) {
        return (static_cast<unsigned char>(name[at]) & 0xc0U) == 0x80U;
    };
    std::size_t first = longest_name / 2 - 1;
    std::size_t last = name.size() - first;
    while (first > 0 && continues(first))
        --first;
    while (last < name.size() && continues(last))
        ++last;
    return name.substr(0, first) + ".." + name.substr(last);
}

/// Returns a single-quoted string of gnuplot, whose only escape is a doubled quote.
std::string quoted(const std::string &text) {
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
}

/// Returns a double-quoted string for a table of values, where quotes cannot be escaped.
std::string cell(std::string text) {
    std::replace(text.begin(), text.end(), '"', '\'');
    std::replace(text.begin(), text.end(), '\n', ' ');
    return '"' + text + '"';
}

std::string table_of(const bar_chart &chart) {
    std::string table = "$bars << END_OF_BARS\n";
    for (std::size_t category = 0; category < chart.categories.size(); ++category) {
        table += cell(abbreviated(chart.categories[category]));
        for (const bar_chart::series &one : chart.bars)
            table += std::isfinite(one.values[category]) ? format(" %.6g", one.values[category])
                                                         : std::string(" ?");
        table += '\n';
    }
    return table + "END_OF_BARS\n";
}

std::string script_of(const std::string &path, const bar_chart &chart) {
    const auto bars = static_cast<int>(chart.categories.size() * (chart.bars.size() + 1));
    const picture_format &as = *format_of(path);
    std::string script =
        format("set terminal %s size %g,%g noenhanced background 'white'\n", as.terminal,
               std::max(640, margins + bars * bar_width) / as.unit, chart_height / as.unit);
    script += "set output " + quoted(path) + "\n";
    script += "set title " + quoted(chart.title) + "\n";
    script += "set ylabel " + quoted(chart.axis) + "\n";
    // The axis always reaches the ceiling, and further if caches lift results above it.
    script += "set yrange [0:1.05<*]\n"
              "set style data histograms\n"
              "set style histogram clustered gap 1\n"
              "set style fill solid border -1\n"
              "set grid y\n"
              "set key outside top right\n"
              "set xtics rotate by -60 noenhanced\n"
              "set arrow from graph 0, first 1 to graph 1, first 1 nohead dashtype 2\n";
    script += table_of(chart);
    script += "plot";
    for (std::size_t i = 0; i < chart.bars.size(); ++i)
        script += format("%s $bars using %zu:xtic(1) title ", i == 0 ? "" : ",", i + 2) +
                  quoted(chart.bars[i].name);
    return script + "\n";
}

/// Checks the end of the file, because gnuplot does not report a full disk.
bool is_complete(const std::string &path) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem))
        return !problem;
    std::ifstream file(path, std::ios::binary);
    std::string last(32, '\0');
    file.seekg(0, std::ios::end);
    const auto size = static_cast<std::streamoff>(file.tellg());
    file.seekg(std::max<std::streamoff>(0, size - static_cast<std::streamoff>(last.size())));
    file.read(last.data(), static_cast<std::streamsize>(last.size()));
    return last.find(format_of(path)->end) != std::string::npos;
}

/// Adds one bar per instruction set.
void add_bars(bar_chart &chart, const portability_table &table) {
    for (const isa set : table.isas)
        chart.bars.push_back({std::string(name(set)), {}});
    for (const portability_table::row &one : table.cases) {
        chart.categories.push_back(one.name);
        for (std::size_t i = 0; i < table.isas.size(); ++i)
            chart.bars[i].values.push_back(one.efficiencies[i]);
    }
}

} // namespace

bar_chart chart_of(const bench_options &options, const bench_report &report) {
    bar_chart chart;
    chart.title =
        format("tenfold-bench %s, %s, %s, %d %s", options.suite.c_str(),
               options.type_name().c_str(), report.machine.cpu.c_str(), report.machine.threads,
               report.machine.threads == 1 ? "thread" : "threads");
    chart.axis = "fraction of the ceiling";
    if (report.portability) {
        add_bars(chart, *report.portability);
        return chart;
    }
    chart.bars.push_back({"Tenfold", {}});
    for (const std::string &peer : options.peer_names())
        chart.bars.push_back({peer, {}});
    for (const case_result &one : report.cases) {
        chart.categories.push_back(one.definition.name);
        chart.bars[0].values.push_back(one.of_ceiling());
        for (std::size_t peer = 0; peer < one.peers.size(); ++peer)
            chart.bars[peer + 1].values.push_back(one.ceiling_seconds /
                                                  one.peers[peer].seconds.min);
    }
    return chart;
}

std::string parse_picture(const std::string &option, const std::string &text) {
    if (format_of(text) == nullptr)
        throw usage_error(option + " '" + text +
                          "': expected a name that ends in .svg, .png or .pdf");
    return text;
}

void check_plotter() {
    if (std::system("command -v gnuplot >/dev/null 2>&1") != 0)
        throw failure("--plot needs the program gnuplot, which is not installed (Debian's package "
                      "gnuplot-nox)");
}

void write_chart(const std::string &path, const bar_chart &chart) {
    // The user's own settings of gnuplot would change the picture.
    std::FILE *gnuplot = popen("gnuplot --default-settings", "w");
    if (gnuplot == nullptr)
        throw failure("--plot: gnuplot cannot be started");
    // If gnuplot ends before it has read everything, pclose() reports it.
    const auto previous = std::signal(SIGPIPE, SIG_IGN);
    std::fputs(script_of(path, chart).c_str(), gnuplot);
    const int status = pclose(gnuplot);
    std::signal(SIGPIPE, previous);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !is_complete(path))
        throw failure("--plot: gnuplot could not write '" + path + "'");
}

} // namespace tenfold::apps_impl
