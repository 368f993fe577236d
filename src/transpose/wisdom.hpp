// An entry of wisdom for transpositions:
//
//       "f32 -> f32, overwrites, avx512, 4 threads, 384:1:136320 355:384:384 384:136320:1": {
//        "level": "measure",
//        "choices": {"strip": 32},
//        "gain": 1.12,
//        "candidates": 9,
//        "seconds": 0.4
//       }
//
// The numbers of a mode are extent, stride in A, stride in B. ISA and threads are part of the key,
// so that runs with other settings do not overwrite each other's wisdom.
#pragma once

#include <string>

#include "transpose/plan/choices.hpp"
#include "transpose/plan/schedule.hpp"
#include "tuning/wisdom.hpp"

namespace tenfold::transpose_impl {

/// The result of a search that is remembered.
struct wise_choice : tuning_impl::kept_search {
    schedule_options choices = {}; ///< the defaults if the estimate was the fastest

    static constexpr const char *kind = "transpose";
    void write(tuning_impl::wisdom_entry &entry) const;
    std::string read(const tuning_impl::wisdom_entry &entry);
    std::string text() const { return describe(choices); }
};
using wisdom = tuning_impl::wisdom<wise_choice>;

/// Returns the key of a problem: the reduced problem, the types that are moved, and ISA and
/// threads.
std::string wisdom_key(const reduced_problem &problem, const movement &how, bool conjugate,
                       isa set);

} // namespace tenfold::transpose_impl
