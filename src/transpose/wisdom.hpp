// Wisdom: choices that were found by measuring, kept in a file.
//
//     {
//      "cpu": "AMD EPYC 9575F 64-Core Processor, caches 48.0 KiB, 1.0 MiB, 256.0 MiB",
//      "tenfold": "0.1.0",
//      "transpose": {
//       "f32 -> f32, overwrites, avx512, 4 threads, 384:1:136320 355:384:384 384:136320:1": {
//        "level": "measure",
//        "choices": {"strip": 32},
//        "gain": 1.12,
//        "candidates": 9,
//        "seconds": 0.4
//       }
//      }
//     }
//
// The numbers of a mode: extent, stride in A, stride in B. ISA and threads belong to an entry, so
// that runs with other settings do not take each other's wisdom away.
//
// A file is of one processor and one version of Tenfold: another's is ignored, and replaced when
// something is saved. Members that are not known are ignored, and kept.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <tenfold/context.hpp>

#include "transpose/schedule.hpp"

namespace tenfold::transpose_impl {

/// What is remembered of a search.
struct wise_choice {
    tuning level = tuning::measure; ///< of the search
    schedule_options choices;       ///< the defaults: the estimate was the fastest
    double gain = 1;                ///< over the estimate
    int candidates = 0;
    double seconds = 0;
};

/// Thread-safe. No member throws for what a file holds, lacks or refuses.
class wisdom {
public:
    /// Reads the file, where there is one.
    wisdom(std::string file, std::string cpu, std::string version);

    /// That of the context's file and processor, read once in a process; null: none was asked for.
    static wisdom *of(const context &ctx);

    struct answer {
        std::optional<wise_choice> found;
        std::string fault; ///< why the file or its entry is ignored; empty: it is not
    };
    answer look_up(const std::string &problem) const;

    /// From now on known to this process, and written into the file beside what others wrote there
    /// meanwhile. Returns why it could not be written; empty: it was.
    std::string remember(const std::string &problem, const wise_choice &choice);

    const std::string &file() const noexcept { return file_; }

private:
    struct entry {
        wise_choice choice;
        std::string fault;
    };

    void load();
    std::string save(const std::string &problem, const wise_choice &choice) const;

    const std::string file_;
    const std::string cpu_;
    const std::string version_;
    mutable std::mutex mutex_;
    std::string fault_; ///< of the whole file
    std::map<std::string, entry> entries_;
};

/// The reduced problem, the types that are moved and what runs it, as a file names them.
std::string wisdom_key(const reduced_problem &problem, data_type type_a, data_type type_b,
                       bool conjugate, bool accumulates, isa set, int threads);

} // namespace tenfold::transpose_impl
