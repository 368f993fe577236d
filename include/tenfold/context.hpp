// The settings and machine that plans are made for.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tenfold/types.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// Block sizes of packing: KC steps of k, MC rows of A, NC columns of B. MC and NC are rounded down
/// to whole micro-tiles of the kernel, but at least one. KC is given for elements of 8 bytes and
/// scaled to the same number of bytes for other types: twice as many f32, half as many c64.
struct block_sizes {
    index_t kc = 0; ///< 0, here and below: chosen for the caches
    index_t mc = 0;
    index_t nc = 0;
    friend bool operator==(const block_sizes &, const block_sizes &) = default;
};

/// What a user may set. The defaults come from environment variables (docs/environment.md).
struct settings {
    int threads = 0;                                ///< 0: one per core that this process may use
    std::optional<tenfold::isa> isa = std::nullopt; ///< empty: the best that this machine has
    tenfold::backend backend = tenfold::backend::native;
    block_sizes blocking{}; ///< of the native kernels; each from 0 to 2^20
    byte_count workspace_limit = {INT64_MAX};
    /// Contractions give the same bits in a plain process and on any number of threads and ranks.
    bool reproducible = false;
    /// Memory of the plans that contract() keeps for later calls with the same arguments: 2 to 30
    /// KiB each; 0: none.
    byte_count plan_cache_limit = mib(64);
    std::string wisdom; ///< path of the wisdom file; empty: none
    /// Path of the file of the machine's rates; empty: the user's own (docs/environment.md); "off":
    /// none, and rates are typical. Where nobody has run `tenfold calibrate`, the first plan probes
    /// some rates in up to 40 ms, large transpositions teach those of the memory, and both are kept
    /// there.
    std::string calibration;
    double watchdog_seconds = 0; ///< timeout of distributed operations; 0: off
    /// Messages: 0 none (quiet); 1 (warn) of what makes calls slow; 2 (info) also where the
    /// machine's rates come from, and what tuning found; 3 (debug) also each plan that is made, in
    /// a line, and plans that the cache drops.
    int log_level = 0;
    /// Gets the messages that log_level enables, each with its level; empty: they go to stderr. Is
    /// called by the thread that causes the message, by several at once where several cause some.
    /// What it throws is ignored.
    std::function<void(int level, std::string_view message)> log = {};
    /// A rank that has waited so long for others reports where all ranks stand, and again after
    /// twice the time. For that the ranks of a world hold connections and a thread, by which they
    /// also learn that a rank has left; then waits for it end. 0: neither.
    double presence_seconds = 30;

    /// Reads TENFOLD_* (and OMP_NUM_THREADS). Throws errc::invalid_argument with the variable, its
    /// value and the allowed values.
    static settings from_environment();
};

/// Settings, the detected machine, a pool of workspace and a cache of plans. Immutable except for
/// the pool and the cache, which are thread-safe: any number of threads may share one context.
class context {
public:
    context() : context(settings::from_environment()) {}
    /// Throws errc::unsupported for an ISA that this machine lacks or a backend that this build
    /// lacks, and errc::invalid_argument for a setting out of range, which the message names.
    explicit context(const tenfold::settings &settings);
    ~context();
    context(const context &) = delete;
    context &operator=(const context &) = delete;

    /// The context made from the environment at first use.
    static const context &global();

    const tenfold::settings &settings() const noexcept;
    /// Says where the machine's rates come from, with which the cost models count: `tenfold
    /// calibrate` measured them, or a first plan probed some, or they are typical of the ISA; then
    /// the text says why there is no valid measurement.
    const std::string &rates_reason() const noexcept;

    tenfold::isa isa() const noexcept;
    /// Why that ISA was chosen: "best of this machine", or "asked for" (settings, TENFOLD_ISA).
    const std::string &isa_reason() const noexcept;
    /// Threads of a call that does not set its own number; at least 1.
    int threads() const noexcept;

private:
    friend struct internals;
    struct state;
    explicit context(std::unique_ptr<state> made);

    std::unique_ptr<state> state_;
};

} // namespace tenfold
