// The algorithms that tests force: those of all kinds of candidates.
#pragma once

#include <vector>

#include "contract/choose/kinds.hpp"

namespace tenfold::testing {

inline std::vector<algorithm> all_algorithms() {
    std::vector<algorithm> all;
    for (const contract_impl::candidate_kind *kind : contract_impl::all_kinds())
        all.push_back(kind->algorithm);
    return all;
}

/// All but those of last resort: what results are compared with.
inline std::vector<algorithm> fast_algorithms() {
    std::vector<algorithm> all = all_algorithms();
    std::erase_if(all, [](algorithm one) { return contract_impl::kind_of(one).last_resort; });
    return all;
}

} // namespace tenfold::testing
