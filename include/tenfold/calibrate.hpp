// Measures how fast the machine is, so that plans are priced by that (docs/guide.md, Calibration).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/context.hpp>

namespace [[gnu::visibility("default")]] tenfold {

struct calibration_options {
    const context *ctx = nullptr; ///< its instruction set is measured; null: context::global()
    int threads = 0;              ///< 0: the context's
    double seconds = 10;          ///< how long it may take, roughly; less is noisier
    /// Where the rates are written; empty: the file that contexts with these settings read. Where
    /// that is "off", or there is no home directory, nothing is written.
    std::string file = {};
    /// Called before each part of the work, by the thread that made the call, with the part's
    /// number from 0, the number of parts, and a word or two. What it throws ends the call.
    std::function<void(int part, int parts, std::string_view what)> progress = {};
};

/// One of the machine's rates.
struct measured_rate {
    std::string_view name;    ///< as in the file: "memory_bandwidth"
    std::string_view meaning; ///< "copy in memory, one thread"
    double value;             ///< in flops, bytes or seconds, or a share
    double typical;           ///< of the instruction set: what plans assume without a calibration
};

struct calibration_result {
    std::string cpu; ///< the processor's name in the file
    tenfold::isa isa = tenfold::isa::generic;
    int threads = 0;
    double seconds = 0; ///< that measuring took
    std::vector<measured_rate> rates;
    std::string file;  ///< that has the rates now; empty: none
    std::string fault; ///< why a file could not be written, with its name; else empty
};

/// Measures all rates, and adds them to the file, beside those of other processors, instruction
/// sets and numbers of threads. Contexts read the file when they make their first plan. Nothing
/// else should run meanwhile. Takes memory for two arrays of four times the last-level cache, 192
/// MiB to 1 GiB each, at most an eighth of the machine's memory.
///
/// A file that cannot be written, and rates beyond any machine's, measured beside other work, are
/// no errors: `fault` says so. Throws errc::invalid_argument unless 0 < seconds <= 600 and threads
/// is 0 to 4096, and std::bad_alloc.
calibration_result calibrate(const calibration_options &options = {});

} // namespace tenfold
