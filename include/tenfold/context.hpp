// The settings and machine that plans are made for.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <tenfold/types.hpp>

namespace tenfold {

namespace base {
struct described_machine;
struct machine;
struct machine_rates;
class plan_cache;
class workspace_pool;
} // namespace base

/// How much of a matrix product is packed at a time: KC steps of k, MC rows of A, NC columns of B.
/// MC and NC are rounded down to whole micro-tiles of the kernel, to one at least. KC is said for
/// elements of 8 bytes and holds as many bytes of others: twice as many f32, half as many c64.
struct block_sizes {
    index_t kc = 0; ///< 0, as below: as the caches want it
    index_t mc = 0;
    index_t nc = 0;
    friend bool operator==(const block_sizes &, const block_sizes &) = default;
};

/// What a user may set; the defaults stand in environment variables (docs/environment.md).
struct settings {
    int threads = 0;                                ///< 0: one per core that this process may use
    std::optional<tenfold::isa> isa = std::nullopt; ///< empty: the best that this machine has
    tenfold::backend backend = tenfold::backend::native;
    block_sizes blocking{}; ///< of the native kernels; each from 0 to 2^20
    byte_count workspace_limit = {INT64_MAX};
    bool reproducible = false;
    /// What contract() keeps of its plans for calls that ask for the same again; 0: none.
    int cached_plans = 512;
    std::string wisdom; ///< file; empty: none
    /// File of the machine's rates; empty: the user's own (docs/environment.md); "off": none.
    std::string calibration;
    double watchdog_seconds = 0; ///< of distributed operations; 0: off
    int log_level = 0;           ///< 0 quiet, 1 warn, 2 info, 3 debug

    /// Reads TENFOLD_* (and OMP_NUM_THREADS). Throws errc::invalid_argument that names variable,
    /// value and what is allowed.
    static settings from_environment();
};

/// Settings, the machine as detected, a pool of workspace and a cache of plans. Immutable but for
/// these two, which are thread-safe: one context serves any number of threads.
class context {
public:
    context() : context(settings::from_environment()) {}
    /// Throws errc::unsupported for an ISA that this machine lacks or a backend that this build
    /// lacks, errc::invalid_argument for a setting out of range, which the message names.
    explicit context(const tenfold::settings &settings);
    ~context();
    context(const context &) = delete;
    context &operator=(const context &) = delete;

    /// The one made from the environment at first use.
    static const context &global();

    const tenfold::settings &settings() const noexcept;
    const base::machine &machine() const noexcept;
    base::workspace_pool &pool() const noexcept;
    base::plan_cache &plans() const noexcept;

    /// How fast the machine is, which is what plans are priced with: as `tenfold calibrate`
    /// measured it, else typical of the instruction set. The file is read at the first call,
    /// whatever it holds or lacks.
    const base::machine_rates &rates() const noexcept;
    /// Where they come from, and why not from a file.
    const std::string &rates_reason() const noexcept;

    tenfold::isa isa() const noexcept;
    /// Why that ISA: "best of this machine", or "asked for" (settings, TENFOLD_ISA).
    const std::string &isa_reason() const noexcept;
    /// Threads that a call uses unless it says otherwise; at least 1.
    int threads() const noexcept;

private:
    /// Of a machine that is described, with its rates, instead of this one.
    friend struct base::described_machine;
    context(const tenfold::settings &settings, const base::machine &machine,
            const base::machine_rates *rates);

    struct state;
    std::unique_ptr<state> state_;
};

} // namespace tenfold
