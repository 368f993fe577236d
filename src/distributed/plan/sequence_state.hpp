// The state behind a dist_sequence.
#pragma once

#include <tenfold/dist_sequence.hpp>

#include "base/internals.hpp"
#include "einsum/path/path.hpp"

namespace tenfold::dist_impl {

struct sequence_state {
    std::string text; ///< the expression
    data_type type;
    std::size_t inputs;
    dist_sequence_summary summary;
    std::vector<dist_step> steps;
    bool empty = false; ///< D = beta D, because an extent or alpha is 0
    einsum_impl::path_origin origin = einsum_impl::path_origin::optimal;
    bool cheapest = true; ///< of the paths found; false if the cheapest needed too much memory
    std::uint64_t hash = 0;
};

} // namespace tenfold::dist_impl

struct tenfold::dist_sequence::state : dist_impl::sequence_state {};
