// What wisdom keeps of transpositions:
//
//       "f32 -> f32, overwrites, avx512, 4 threads, 384:1:136320 355:384:384 384:136320:1": {
//        "level": "measure",
//        "choices": {"strip": 32},
//        "gain": 1.12,
//        "candidates": 9,
//        "seconds": 0.4
//       }
//
// The numbers of a mode: extent, stride in A, stride in B. ISA and threads belong to an entry, so
// that runs with other settings do not take each other's wisdom away.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <tenfold/context.hpp>

#include "transpose/plan/schedule.hpp"
#include "tuning/search_record.hpp"

namespace tenfold::base {
class wisdom_file;
}

namespace tenfold::transpose_impl {

/// What is remembered of a search.
struct wise_choice : base::kept_search {
    schedule_options choices; ///< the defaults: the estimate was the fastest
};

/// As base::wisdom_file, in choices.
class wisdom {
public:
    wisdom(std::string file, std::string cpu, std::string version);
    ~wisdom();

    /// That of the context's file, read once in a process; null: none was asked for.
    static wisdom *of(const context &ctx);

    struct answer {
        std::optional<wise_choice> found;
        std::string fault; ///< why the file or its entry is ignored; empty: it is not
    };
    answer look_up(const std::string &problem) const;
    std::string remember(const std::string &problem, const wise_choice &choice);
    const std::string &file() const noexcept;

private:
    const std::unique_ptr<base::wisdom_file> kept_;
};

/// The reduced problem, the types that are moved and what runs it, as a file names them.
std::string wisdom_key(const reduced_problem &problem, data_type type_a, data_type type_b,
                       bool conjugate, bool accumulates, isa set, int threads);

} // namespace tenfold::transpose_impl
