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

    /// Returns why the library cannot compute a case, "has a label twice in one tensor"; empty if
    /// it can.
    virtual std::string reason_against(const bench_case & /*definition*/) const { return {}; }

    /// Returns a call that computes the case's output on exactly work.threads() threads, from the
    /// same inputs into the same output. Separate planning by the library happens here and is not
    /// timed. Throws failure for a case that the library cannot compute.
    virtual std::function<void()> prepare(workload &work) = 0;
};

/// Whether a peer serves a list of cases; true for one that is unknown, so that loading refuses it.
bool takes_part(const std::string &peer, const std::string &list);

/// Throws usage_error for a peer that is unknown or does not apply to the suite, and failure if the
/// library cannot be loaded or lacks the interface.
std::unique_ptr<peer> load_peer(const peer_name &which, const bench_options &options);

/// The factories behind load_peer().
std::unique_ptr<peer> load_blas(const peer_name &which, const bench_options &options);
std::unique_ptr<peer> load_hptt(const peer_name &which, const bench_options &options);
std::unique_ptr<peer> load_tapp(const peer_name &which, const bench_options &options);
std::unique_ptr<peer> load_tblis(const peer_name &which, const bench_options &options);
std::unique_ptr<peer> load_ttgt(const peer_name &which, const bench_options &options);

/// Tenfold's C interface as a contender: by a plan, or in one call. For f32, f64, c32 and c64.
std::unique_ptr<peer> make_c_interface(bool by_plan);

/// Throws failure when an extent passes the 32-bit integers of these interfaces.
int to_int(const std::string &peer, index_t extent);

} // namespace tenfold::apps_impl
