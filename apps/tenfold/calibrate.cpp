// The command `tenfold calibrate`: measures the machine's rates and saves them.
#include <cstdio>

#include <nlohmann/json.hpp>

#include <tenfold/calibrate.hpp>
#include <tenfold/context.hpp>
#include <tenfold/error.hpp>

#include "apps/common/launcher.hpp"
#include "apps/common/option_groups.hpp"
#include "apps/common/program.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/text.hpp"
#include "apps/tenfold/commands.hpp"
#include "apps/tenfold/rates_text.hpp"

namespace tenfold::apps_impl {
namespace {

struct calibrate_request {
    int threads = 0;
    double seconds = 10;
    std::string file;
    bool json = false;
};

/// Prints the measured rates beside the typical ones, which plans use without a calibration.
void print(const calibration_result &found) {
    std::printf("%s, %s, %d %s\n", found.cpu.c_str(), std::string(name(found.isa)).c_str(),
                found.threads, found.threads == 1 ? "thread" : "threads");
    std::printf("  %-38s %15s %15s %7s\n", "", "measured", "typical", "ratio");
    for (std::size_t k = 0; k < found.rates.size(); ++k) {
        const base::rate &unit = base::all_rates()[k];
        const measured_rate &one = found.rates[k];
        std::printf("  %-38s %15s %15s %7.2f\n", unit.meaning, describe(unit, one.value).c_str(),
                    describe(unit, one.typical).c_str(), one.value / one.typical);
    }
}

nlohmann::ordered_json to_json(const calibration_result &found) {
    auto rates = nlohmann::ordered_json::object();
    auto typical = nlohmann::ordered_json::object();
    for (const measured_rate &one : found.rates) {
        rates[std::string(one.name)] = one.value;
        typical[std::string(one.name)] = one.typical;
    }
    nlohmann::ordered_json object = {{"cpu", found.cpu},         {"isa", name(found.isa)},
                                     {"threads", found.threads}, {"seconds", found.seconds},
                                     {"file", nullptr},          {"rates", rates},
                                     {"typical", typical}};
    if (!found.file.empty())
        object["file"] = found.file;
    return object;
}

int run(const calibrate_request &request) {
    progress line("tenfold calibrate: part");
    const calibration_result found =
        calibrate({.threads = request.threads,
                   .seconds = request.seconds,
                   .file = request.file,
                   .progress = [&line](int part, int parts, std::string_view what) {
                       line.show(part, parts, what);
                   }});
    line.clear();
    if (request.json) {
        std::printf("%s\n", to_json(found).dump().c_str());
    } else {
        print(found);
        std::printf("measured in %s, ", describe_seconds(found.seconds).c_str());
        if (!found.file.empty())
            std::printf("written to %s\n", found.file.c_str());
        else
            std::puts("not written");
        if (request.file.empty() && context::global().settings().calibration == "off")
            std::puts("TENFOLD_CALIBRATION is 'off': --file says where to write all the same");
    }
    if (!found.fault.empty())
        throw failure(found.fault);
    return exit_success;
}

} // namespace

int calibrate_command(const std::vector<std::string> &arguments) {
    calibrate_request request;
    command_line line("tenfold calibrate", "[options]",
                      "Measures how fast this machine multiplies and moves data, and keeps that in "
                      "a file\nfrom which plans are priced from then on (TENFOLD_CALIBRATION; "
                      "'tenfold info' names it).\nNothing else should run meanwhile.");
    auto &group = line.group("Measuring");
    add_threads_option(group, request.threads);
    add_value(group, "seconds", "S", &request.seconds, parse_duration,
              "about how long it may take (default 10); less is noisier");
    auto &output = line.group("Output");
    add_value(output, "file", "FILE", &request.file, parse_text,
              "where to write, instead of where plans read it");
    add_json_option(output, request.json);
    if (!line.parse(arguments))
        return exit_success;
    if (launched_ranks() > 1)
        throw usage_error("calibrate runs on one process only");
    return run(request);
}

} // namespace tenfold::apps_impl
