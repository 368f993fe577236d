// Plans the steps of a path within a memory limit, or finds the smallest limit that would suffice.
#pragma once

#include <optional>

#include "contract/sequences/sequence.hpp"

namespace tenfold::contract_impl {

/// The arguments of a sequence.
struct sequence_request {
    const contraction_spec &spec;
    std::span<const input> inputs;
    const input &c;
    const output &d;
    const contract_options &options;
    byte_count limit;
    bool reproducible;
    data_type computed; ///< D's type, or a wider one
};

struct sequence_attempt {
    std::optional<sequence> made;
    byte_count least; ///< the smallest sufficient limit, if `made` is empty
};

/// Plans the steps of `path`, and lays out the intermediates and the steps' workspace.
sequence_attempt try_path(const sequence_request &asked, const einsum_impl::network &net,
                          const einsum_impl::contraction_path &path);

/// Plans every step again with the requested tuning, within its present workspace and with as many
/// threads.
void tune_steps(const sequence_request &asked, sequence &made);

} // namespace tenfold::contract_impl
