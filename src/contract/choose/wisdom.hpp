// What wisdom keeps of contractions:
//
//       "f64 * f64 -> f64, auto, native, avx512, 1 thread, m 4:1:0:1 4:16:0:4, n .., k ..": {
//        "level": "measure",
//        "choice": "ttgt: move A to abef, move B to efcd, streamed: f64_gemm_24x8__avx512, 1
//        thread", "gain": 1.3, "candidates": 6, "seconds": 0.4
//       }
//
// The numbers of a mode: extent, stride in A, in B and in D. The choice is a candidate as it
// describes itself: what a later planner does not come up with any more is ignored.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "contract/front/plan_state.hpp"
#include "tuning/search_record.hpp"

namespace tenfold::base {
class wisdom_file;
}

namespace tenfold::contract_impl {

/// What is remembered of a search.
struct wise_choice : base::kept_search {
    std::string choice; ///< choice_name() of the fastest candidate
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

/// "ttgt: move A to ..".
std::string choice_name(const candidate &one);

/// The problem, what was asked for and what runs it, as a file names them.
std::string wisdom_key(const einsum_impl::contraction_problem &problem,
                       const plan_environment &environment, algorithm requested);

} // namespace tenfold::contract_impl
