// The kinds of candidates: what an algorithm's own files tell the planner, and the list of all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

#include "contract/choose/candidate.hpp"

/// A line for each kind: its own file defines it as <name>_kind.
#define TENFOLD_CANDIDATE_KINDS(KIND)                                                              \
    KIND(direct)    /* products/gemm_loop.cpp */                                                   \
    KIND(gemm_loop) /* products/gemm_loop.cpp */                                                   \
    KIND(loops)     /* products/vector_loops.cpp */                                                \
    KIND(ttgt)      /* tiles/tiled.cpp */                                                          \
    KIND(fused)     /* tiles/tiled.cpp */                                                          \
    KIND(reference) /* reference/plain_loops.cpp */

namespace tenfold::contract_impl {

class planning;
class offers;

/// How much of the tensors passes through copies.
enum class copying : std::uint8_t { nothing, tiles, everything };

/// One for each algorithm; constants, so that they are there before main().
struct candidate_kind {
    tenfold::algorithm algorithm; ///< its name, too: tenfold::name()
    /// Offers the best candidates for a problem in which something is multiplied, at most
    /// planning::of_each, or says why there is none.
    void (*offer)(planning &with, offers &made);
    copying copies = copying::nothing;
    /// Taken when it is asked for, or when nothing else is possible.
    bool last_resort = false;
};

#define TENFOLD_DECLARE_KIND(name) extern const candidate_kind name##_kind;
TENFOLD_CANDIDATE_KINDS(TENFOLD_DECLARE_KIND)
#undef TENFOLD_DECLARE_KIND

/// In the order in which options stand that are impossible or cost the same.
std::span<const candidate_kind *const> all_kinds() noexcept;

/// The one that offers the algorithm; there must be one.
const candidate_kind &kind_of(algorithm which) noexcept;

/// A candidate, or why a kind offers none.
struct option {
    const candidate_kind *kind;
    candidate_ptr choice;   ///< null if not possible
    std::string impossible; ///< the reason, then

    tenfold::algorithm algorithm() const noexcept { return kind->algorithm; }
};

/// Where a kind leaves its options.
class offers {
public:
    offers(const candidate_kind &kind, std::vector<option> &all) noexcept
        : kind_(kind), all_(all) {}

    void add(candidate_ptr choice) { all_.push_back({&kind_, std::move(choice), {}}); }

    /// What make() returns. Workspace may be too large to be counted; other algorithms do without.
    template <class Make> void add_unless_too_large(Make make) {
        try {
            add(make());
        } catch (const error &too_large) {
            if (too_large.code() != errc::overflow)
                throw;
            refuse(too_large.what());
        }
    }

    /// There is none; users read why in explain().
    void refuse(std::string why) { all_.push_back({&kind_, nullptr, std::move(why)}); }

private:
    const candidate_kind &kind_;
    std::vector<option> &all_;
};

} // namespace tenfold::contract_impl
