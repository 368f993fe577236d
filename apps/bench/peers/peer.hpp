// Other libraries as contenders, called through their public C interfaces.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/workload.hpp"

namespace tenfold::apps_impl {

class peer {
public:
    virtual ~peer() = default;

    /// Why the library cannot serve a case, "has a label twice in one tensor"; empty where it can.
    virtual std::string reason_against(const bench_case & /*definition*/) const { return {}; }

    /// A call that computes the case's output on exactly work.threads() threads, from the same
    /// inputs into the same output. Planning that the library does apart happens here and is not
    /// timed. Throws failure for a case that the library cannot serve.
    virtual std::function<void()> prepare(workload &work) = 0;
};

/// Throws usage_error for an unknown name or one that the suite has no use for, failure when the
/// library cannot be loaded or lacks the interface.
std::unique_ptr<peer> load_peer(const peer_name &which, const bench_options &options);

/// The factories behind load_peer().
std::unique_ptr<peer> load_blas(const peer_name &which, const bench_options &options);
std::unique_ptr<peer> load_hptt(const peer_name &which, const bench_options &options);
std::unique_ptr<peer> load_tblis(const peer_name &which, const bench_options &options);
std::unique_ptr<peer> load_ttgt(const peer_name &which, const bench_options &options);

/// Throws failure when an extent passes the 32-bit integers of these interfaces.
int to_int(const std::string &peer, index_t extent);

} // namespace tenfold::apps_impl
