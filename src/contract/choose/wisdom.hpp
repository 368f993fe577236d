// Entries of contractions in the wisdom file:
//
//       "f64 * f64 -> f64, auto, native, avx512, 1 thread, m 4:1:0:1 4:16:0:4, n .., k ..": {
//        "level": "measure",
//        "choice": "ttgt: move A to abef, move B to efcd, streamed: f64_gemm_24x8__avx512, 1
//        thread", "gain": 1.3, "candidates": 6, "seconds": 0.4
//       }
//
// The numbers of a mode are its extent and its strides in A, B and D. The choice is the candidate's
// description; if a later version's planner offers no such candidate, the entry is ignored.
#pragma once

#include <string>

#include "contract/front/plan_state.hpp"
#include "tuning/wisdom.hpp"

namespace tenfold::contract_impl {

/// The stored result of a search.
struct wise_choice : tuning_impl::kept_search {
    std::string choice = {}; ///< choice_name() of the fastest candidate

    static constexpr const char *kind = "contract";
    void write(tuning_impl::wisdom_entry &entry) const { entry.choice = choice; }
    std::string read(const tuning_impl::wisdom_entry &entry) {
        if (!entry.choice)
            return tuning_impl::damaged("choice");
        choice = *entry.choice;
        return {};
    }
    const std::string &text() const noexcept { return choice; }
};
using wisdom = tuning_impl::wisdom<wise_choice>;

/// "ttgt: move A to ..".
std::string choice_name(const candidate &one);

/// The key of an entry: the problem, the options, and what executes it.
std::string wisdom_key(const einsum_impl::contraction_problem &problem,
                       const plan_environment &environment, algorithm requested);

} // namespace tenfold::contract_impl
