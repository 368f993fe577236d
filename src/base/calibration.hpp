// The calibration file: `tenfold calibrate` writes the machine's rates to it, and contexts read
// them.
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
//      ],
//      "probes": [{"cpu": .., "isa": .., "rates": {"fma_flops_f64": 1.2e11, ..},
//                  "count": 5, "last": 1795492800}],
//      "copies": [{"cpu": .., "isa": .., "threads": 1, "bandwidth": 1.4e10,
//                  "at_most": 1.7e10}, ..]
//     }
//
// One file serves all machines that share a home directory, with entries for each ISA and for
// several numbers of threads. Contexts without a calibration keep beside them what they probed, and
// the fastest copies that they saw (learnt_memory.hpp). A file of another version of Tenfold is
// ignored, and is replaced by the next save.
#pragma once

#include <optional>
#include <string>

#include <tenfold/context.hpp>

#include "base/learnt_memory.hpp"
#include "base/rate_probe.hpp"
#include "base/rates.hpp"

namespace tenfold::base {

/// The conditions for which a calibration is valid.
struct calibration_key {
    std::string cpu; ///< machine::identity()
    tenfold::isa isa = tenfold::isa::generic;
    int threads = 1; ///< the number that "all threads" means in machine_rates
    std::string version;
};

struct found_calibration {
    std::optional<machine_rates> rates;
    int threads = 0;   ///< number of threads of that calibration
    std::string fault; ///< why there are no rates
};

/// Finds the calibration of this processor and ISA with the key's number of threads. If there is
/// none, takes the one with the next larger number, since rates of one thread and of all threads
/// are stored separately; else the one with the largest number. Throws only if there is no memory.
found_calibration read_calibration(const std::string &file, const calibration_key &key);

/// Adds the rates to the file, beside those of other keys. Refuses rates that read_calibration()
/// would refuse. Returns the reason of a failure, or an empty string.
std::string save_calibration(const std::string &file, const calibration_key &key,
                             const machine_rates &rates);

struct probe_outcome {
    bool kept; ///< the file has the rates now
    bool ran;  ///< in this process
};

/// Replaces the probed rates by the fastest that `probe` measured in any of the first five
/// processes that came at least 10 s after each other, this one perhaps among them. The file keeps
/// them. Of several processes that come at the same time, one measures. Damaged and foreign files
/// are left as they are; an empty name means no file. Throws only if there is no memory.
probe_outcome probe_or_read(const std::string &file, const calibration_key &key, rate_probe probe,
                            const machine &machine, machine_rates &rates);

/// Returns the copies that earlier processes saw and kept in the file, with one thread and with the
/// key's number. Throws only if there is no memory.
seen_copies read_copies(const std::string &file, const calibration_key &key);

/// Keeps what is faster than what the file has. Damaged and foreign files are left as they are.
/// Throws only if there is no memory.
void keep_copies(const std::string &file, const calibration_key &key, const seen_copies &seen);

/// The user's own file: tenfold/calibration.json below $XDG_CACHE_HOME, else below $HOME/.cache;
/// empty if neither is an absolute path.
std::string default_calibration_file();

/// The file that a context with these settings reads; empty: none.
std::string calibration_file(const settings &chosen);

} // namespace tenfold::base
