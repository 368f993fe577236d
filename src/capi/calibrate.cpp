#include <tenfold/calibrate.hpp>

#include <memory>
#include <string>

#include "capi/errors.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"

using namespace tenfold::capi_impl;

tenfold_error tenfold_calibrate(const tenfold_context *context,
                                const tenfold_calibration_options *options,
                                tenfold_calibration **calibration) {
    return guarded([&] {
        require(calibration, "calibration");
        *calibration = nullptr;
        require(context, "context");
        const tenfold_calibration_options own = taken(options, "calibration options");
        tenfold::calibration_options how{.ctx = context->shared.get(), .threads = own.threads};
        if (own.seconds != 0)
            how.seconds = own.seconds;
        if (own.file != nullptr)
            how.file = own.file;
        if (own.progress != nullptr)
            how.progress = [&](int part, int parts, std::string_view what) {
                if (own.progress(part, parts, std::string(what).c_str(), own.user) != 0)
                    throw stopped_by_progress();
            };
        *calibration =
            std::make_unique<tenfold_calibration>(tenfold_calibration{tenfold::calibrate(how)})
                .release();
    });
}

void tenfold_calibration_destroy(tenfold_calibration *calibration) { delete calibration; }

tenfold_error tenfold_calibration_summarise(const tenfold_calibration *calibration,
                                            tenfold_calibration_summary *summary) {
    return guarded([&] {
        require(calibration, "calibration");
        const tenfold::calibration_result &own = calibration->found;
        give({.size = 0,
              .isa = static_cast<tenfold_isa>(own.isa) + 1,
              .threads = own.threads,
              .seconds = own.seconds,
              .cpu = own.cpu.c_str(),
              .file = own.file.c_str(),
              .fault = own.fault.c_str(),
              .rate_count = static_cast<std::int32_t>(own.rates.size())},
             summary, "summary");
    });
}

tenfold_error tenfold_calibration_rate(const tenfold_calibration *calibration, int32_t index,
                                       tenfold_rate *rate) {
    return guarded([&] {
        require(calibration, "calibration");
        const auto &rates = calibration->found.rates;
        if (index < 0 || static_cast<std::size_t>(index) >= rates.size())
            refuse("there is no rate " + std::to_string(index) + "; the calibration has " +
                   std::to_string(rates.size()));
        const tenfold::measured_rate &own = rates[static_cast<std::size_t>(index)];
        // The names stand in a list of literals, so that they end with a null character.
        give({.size = 0,
              .name = own.name.data(),
              .meaning = own.meaning.data(),
              .value = own.value,
              .typical = own.typical},
             rate, "rate");
    });
}
