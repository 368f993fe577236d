// The machine's rates in a file: what `tenfold calibrate` writes and contexts read.
//
//     {
//      "tenfold": "0.1.0",
//      "calibrations": [
//       {
//        "cpu": "AMD EPYC 9575F 64-Core Processor, caches 48.0 KiB, 1.0 MiB, 256.0 MiB",
//        "isa": "avx512",
//        "threads": 64,
//        "rates": {"fma_flops_f64": 1.3e11, ...}
//       }
//      ]
//     }
//
// One file serves all machines that share a home directory, each instruction set and several
// numbers of threads. A file of another version of Tenfold is ignored, and replaced when something
// is saved.
#pragma once

#include <optional>
#include <string>

#include <tenfold/context.hpp>

#include "base/rates.hpp"

namespace tenfold::base {

/// What a calibration is valid for.
struct calibration_key {
    std::string cpu; ///< machine::identity()
    tenfold::isa isa = tenfold::isa::generic;
    int threads = 1; ///< those of "all threads" in machine_rates
    std::string version;
};

struct found_calibration {
    std::optional<machine_rates> rates;
    int threads = 0;   ///< it was made with so many
    std::string fault; ///< why there are no rates
};

/// The calibration of this processor and instruction set with as many threads as the key has; else
/// with a few more, for the rates of one thread and of all are told apart; else with most. Throws
/// only for lack of memory.
found_calibration read_calibration(const std::string &file, const calibration_key &key);

/// Writes it beside those of other keys. Returns why it could not be done; empty: it was. Rates
/// that would be refused when they are read are refused here.
std::string save_calibration(const std::string &file, const calibration_key &key,
                             const machine_rates &rates);

/// The user's own: tenfold/calibration.json below $XDG_CACHE_HOME, else below $HOME/.cache; empty
/// where neither names a directory.
std::string default_calibration_file();

/// The file that a context with these settings reads; empty: none.
std::string calibration_file(const settings &chosen);

} // namespace tenfold::base
