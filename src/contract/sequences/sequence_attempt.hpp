// A path made concrete within a limit of memory, or the least limit that would allow it.
#pragma once

#include <optional>

#include "contract/sequences/sequence.hpp"

namespace tenfold::contract_impl {

/// What a sequence was asked for with.
struct sequence_request {
    const contraction_spec &spec;
    std::span<const input> inputs;
    const input &c;
    const output &d;
    const contract_options &options;
    byte_count limit;
    bool reproducible;
};

struct sequence_attempt {
    std::optional<sequence> made;
    byte_count least; ///< under which it would have been made; where it was not
};

/// Plans the steps of `path` and lays out intermediates and what the steps need themselves. What a
/// reproducible sequence computes does not depend on the number of threads, though what it needs
/// may.
sequence_attempt try_path(const sequence_request &asked, const einsum_impl::network &net,
                          const einsum_impl::contraction_path &path);

/// Plans every step again with the tuning that was asked for, within the workspace that it has, and
/// with as many threads.
void tune_steps(const sequence_request &asked, sequence &made);

} // namespace tenfold::contract_impl
