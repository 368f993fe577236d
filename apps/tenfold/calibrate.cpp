// The command `tenfold calibrate`: measures the machine's rates and saves them.
#include <cstdio>

#include <nlohmann/json.hpp>

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>
#include <tenfold/version.hpp>

#include "apps/common/launcher.hpp"
#include "apps/common/option_groups.hpp"
#include "apps/common/program.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/text.hpp"
#include "apps/common/timing.hpp"
#include "apps/tenfold/commands.hpp"
#include "apps/tenfold/measure_rates.hpp"
#include "apps/tenfold/rates_text.hpp"
#include "base/calibration.hpp"
#include "base/context_of.hpp"
#include "base/machine.hpp"

namespace tenfold::apps_impl {
namespace {

struct calibrate_request {
    int threads = 0;
    double seconds = 10;
    std::string file;
    bool json = false;
};

/// Prints the measured rates beside the typical ones, which plans use without a calibration.
void print(const base::calibration_key &key, const base::machine_rates &measured,
           const base::machine_rates &typical) {
    std::printf("%s, %s, %d %s\n", key.cpu.c_str(), std::string(name(key.isa)).c_str(), key.threads,
                key.threads == 1 ? "thread" : "threads");
    std::printf("  %-38s %15s %15s %7s\n", "", "measured", "typical", "ratio");
    for (const base::rate &one : base::all_rates()) {
        const double ratio = measured.*one.value / typical.*one.value;
        std::printf("  %-38s %15s %15s %7.2f\n", one.meaning,
                    describe(one, measured.*one.value).c_str(),
                    describe(one, typical.*one.value).c_str(), ratio);
    }
}

int run(const calibrate_request &request) {
    const context &ctx = context::global();
    const rates_request what = {.isa = ctx.isa(),
                                .threads = request.threads > 0 ? request.threads : ctx.threads(),
                                .seconds = request.seconds};
    const std::string file =
        request.file.empty() ? base::calibration_file(ctx.settings()) : request.file;

    const stopwatch watch;
    progress line("tenfold calibrate: part");
    const base::machine_rates rates = measure_rates(
        what, [&line](int step, int steps, const char *name) { line.show(step, steps, name); });
    line.clear();
    const double took = watch.seconds();

    const base::calibration_key key = {base::machine_of(ctx).identity(), what.isa, what.threads,
                                       version()};
    const auto typical = base::machine_rates::typical_of(what.isa, base::machine_of(ctx).cores);
    std::string fault;
    if (!file.empty())
        fault = base::save_calibration(file, key, rates);
    const bool written = !file.empty() && fault.empty();
    if (request.json) {
        nlohmann::ordered_json object = {{"cpu", key.cpu},
                                         {"isa", name(key.isa)},
                                         {"threads", key.threads},
                                         {"seconds", took},
                                         {"file", nullptr},
                                         {"rates", to_json(rates)},
                                         {"typical", to_json(typical)}};
        if (written)
            object["file"] = file;
        std::printf("%s\n", object.dump().c_str());
    } else {
        print(key, rates, typical);
        std::printf("measured in %s, ", describe_seconds(took).c_str());
        if (written)
            std::printf("written to %s\n", file.c_str());
        else
            std::puts("not written");
        if (file.empty() && ctx.settings().calibration == "off")
            std::puts("TENFOLD_CALIBRATION is 'off': --file says where to write all the same");
    }
    if (!fault.empty())
        throw failure("'" + file + "' cannot be written: " + fault);
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
