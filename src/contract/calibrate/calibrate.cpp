#include <tenfold/calibrate.hpp>

#include <utility>

#include <tenfold/error.hpp>
#include <tenfold/version.hpp>

#include "base/calibration.hpp"
#include "base/context_of.hpp"
#include "base/machine.hpp"
#include "base/option_checks.hpp"
#include "base/text.hpp"
#include "contract/calibrate/measure_rates.hpp"
#include "contract/calibrate/stopwatch.hpp"

namespace tenfold {
namespace {

constexpr double longest_calibration = 600;

void check(const calibration_options &options) {
    base::check_threads(options.threads, "calibrate");
    if (!(options.seconds > 0 && options.seconds <= longest_calibration)) // false for NaN, too
        throw error(errc::invalid_argument,
                    base::format("calibrate: seconds is %g; it is more than 0, and at most %g",
                                 options.seconds, longest_calibration));
}

} // namespace

calibration_result calibrate(const calibration_options &options) {
    check(options);
    const context &ctx = base::context_of(options);
    const base::machine &machine = base::machine_of(ctx);
    const int threads = options.threads > 0 ? options.threads : ctx.threads();

    const calibrate_impl::stopwatch watch;
    const base::machine_rates rates =
        calibrate_impl::measure_rates({.ctx = &ctx, .threads = threads, .seconds = options.seconds},
                                      [&](int part, int parts, const char *what) {
                                          if (options.progress)
                                              options.progress(part, parts, what);
                                      });
    calibration_result result{.cpu = machine.identity(),
                              .isa = ctx.isa(),
                              .threads = threads,
                              .seconds = watch.seconds(),
                              .rates = {},
                              .file = {},
                              .fault = {}};
    const auto typical = base::machine_rates::typical_of(result.isa, machine.cores);
    for (const base::rate &one : base::all_rates())
        result.rates.push_back({one.name, one.meaning, rates.*one.value, typical.*one.value});

    std::string file = options.file.empty() ? base::calibration_file(ctx.settings()) : options.file;
    if (file.empty())
        return result;
    const std::string fault =
        base::save_calibration(file, {result.cpu, result.isa, threads, version()}, rates);
    if (fault.empty())
        result.file = std::move(file);
    else
        result.fault = "'" + file + "' cannot be written: " + fault;
    return result;
}

} // namespace tenfold
