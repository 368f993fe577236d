#include <tenfold/context.hpp>

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include "base/calibration.hpp"
#include "base/context_of.hpp"
#include "base/described_machine.hpp"
#include "base/environment.hpp"
#include "base/internals.hpp"
#include "base/learnt_memory.hpp"
#include "base/log.hpp"
#include "base/machine.hpp"
#include "base/option_checks.hpp"
#include "base/plan_cache.hpp"
#include "base/rate_probe.hpp"
#include "base/rates.hpp"
#include "base/workspace.hpp"

#include <tenfold/error.hpp>
#include <tenfold/version.hpp>

namespace tenfold {

struct context::state {
    tenfold::settings settings;
    base::machine machine;
    tenfold::isa isa;
    std::string isa_reason;
    mutable base::workspace_pool pool;
    mutable base::plan_cache plans;

    explicit state(const tenfold::settings &chosen)
        : settings(chosen), plans(static_cast<std::size_t>(chosen.plan_cache_limit.value)) {}

    ~state() { keep_what_was_learnt(); }

    mutable std::once_flag rates_are_there;
    /// Plans learn for their context, and may outlive it.
    std::shared_ptr<base::learnt_memory> rates = std::make_shared<base::learnt_memory>();
    mutable std::string rates_reason;

    int threads() const noexcept { return settings.threads > 0 ? settings.threads : machine.cores; }

    /// Never throws: planning must work without a calibration file and with an invalid one.
    void find_rates() const noexcept {
        found_rates its;
        its.rates = base::machine_rates::typical_of(isa, machine.cores);
        try {
            rates_reason = read_rates(its);
        } catch (const std::exception &) { // no memory, not even for the reason
        }
        rates->begin(its.rates, its.learns ? threads() : 0, its.copies);
    }

    void tell_rates() const noexcept {
        try {
            base::log(settings, base::log_level::info, "rates of the machine: " + rates_reason);
        } catch (const std::bad_alloc &) { // no message
        }
    }

private:
    struct found_rates {
        base::machine_rates rates;
        base::seen_copies copies;
        bool learns = false; ///< those of the memory are typical ones, and may be corrected
    };

    base::calibration_key key() const { return {machine.identity(), isa, threads(), version()}; }

    /// Returns where the rates come from.
    std::string read_rates(found_rates &its) const {
        const std::string typical = "typical of " + std::string(name(isa));
        if (settings.calibration == "off")
            return typical + ", as asked for";
        const std::string file = base::calibration_file(settings);
        const base::calibration_key key = this->key();
        std::string why = ": there is no home directory to look for a calibration in";
        if (!file.empty()) {
            const base::found_calibration found = base::read_calibration(file, key);
            if (found.rates) {
                its.rates = *found.rates;
                return "measured with " + std::to_string(found.threads) +
                       (found.threads == 1 ? " thread, " : " threads, ") + file;
            }
            why = ", calibration " + file + ": " + found.fault;
        }
        // What is reproducible must not depend on what was measured when.
        const base::rate_probe probe = base::known_rate_probe;
        if (probe == nullptr || settings.reproducible)
            return typical + why;
        const auto [kept, ran] = base::probe_or_read(file, key, probe, machine, its.rates);
        its.learns = true;
        if (!file.empty())
            its.copies = base::read_copies(file, key);
        if (const base::copy_probe copies = base::known_copy_probe; ran && copies != nullptr) {
            const double copy = copies(isa);
            if (copy > its.copies.one.at_most) {
                its.copies.one.at_most = copy;
                if (!file.empty())
                    base::keep_copies(file, key, its.copies);
            }
        }
        return std::string(kept ? "probed" : "probed by this process") +
               (its.copies == base::seen_copies{} ? "" : ", the memory's learnt from copies") +
               ", others " + typical + why;
    }

    void keep_what_was_learnt() const noexcept {
        try {
            if (const std::string file = base::calibration_file(settings);
                rates->has_learnt() && !file.empty())
                base::keep_copies(file, key(), rates->seen());
        } catch (const std::exception &) { // later processes learn anew
        }
    }
};

namespace {

void check(const settings &chosen) {
    base::check_threads(chosen.threads);
    base::check_workspace_limit(chosen.workspace_limit);
    base::check_enumerator(chosen.backend, "backend");
    if (chosen.isa)
        base::check_enumerator(*chosen.isa, "isa");
    const std::pair<const char *, index_t> block_sizes[] = {
        {"kc", chosen.blocking.kc}, {"mc", chosen.blocking.mc}, {"nc", chosen.blocking.nc}};
    for (const auto &[name, size] : block_sizes)
        if (size < 0 || size > base::largest_block)
            throw error(errc::invalid_argument, std::string("blocking.") + name + " is " +
                                                    std::to_string(size) + "; it is 1 to " +
                                                    std::to_string(base::largest_block) +
                                                    ", or 0 for what suits the caches");
    if (chosen.plan_cache_limit.value < 0)
        throw error(errc::invalid_argument, "plan_cache_limit is " +
                                                std::to_string(chosen.plan_cache_limit.value) +
                                                " bytes; it is 0 or more");
    const std::pair<const char *, double> patience[] = {
        {"watchdog_seconds", chosen.watchdog_seconds},
        {"presence_seconds", chosen.presence_seconds}};
    for (const auto &[name, seconds] : patience)
        if (!(seconds >= 0))
            throw error(errc::invalid_argument, std::string(name) + " is " +
                                                    std::to_string(seconds) +
                                                    "; it is 0 (off) or more");
    if (chosen.log_level < 0 || chosen.log_level > 3)
        throw error(errc::invalid_argument, "log_level is " + std::to_string(chosen.log_level) +
                                                "; it is 0 (quiet) to 3 (debug)");
}

using context_state = internals::state_of<context>;

/// Without rates, they are found when they are needed first.
std::unique_ptr<context_state> make_state(const settings &settings, const base::machine &machine,
                                          const base::machine_rates *rates) {
    check(settings);
    auto state = std::make_unique<context_state>(settings);
    state->machine = machine;
    state->machine.blocking = settings.blocking;
    state->isa = settings.isa.value_or(state->machine.best_isa());
    state->isa_reason = settings.isa ? "asked for" : "best of this machine";
    if (!state->machine.supports(state->isa)) {
        std::string available;
        for (const isa one : state->machine.isas)
            available += (available.empty() ? "" : ", ") + std::string(name(one));
        throw error(errc::unsupported, "ISA '" + std::string(name(state->isa)) +
                                           "' is not on this machine, or not in this build of "
                                           "Tenfold; there are " +
                                           available);
    }
#if !defined(TENFOLD_HAVE_BLIS)
    if (settings.backend == tenfold::backend::blis)
        throw error(errc::unsupported, "backend 'blis' is not in this build of Tenfold");
#endif
#if !defined(TENFOLD_HAVE_JSON)
    if (!settings.wisdom.empty())
        throw error(errc::unsupported,
                    "wisdom file '" + settings.wisdom +
                        "': this build of Tenfold keeps no wisdom: nlohmann_json "
                        "(nlohmann-json3-dev) was not there when it was "
                        "configured");
#endif
    if (rates != nullptr)
        std::call_once(state->rates_are_there, [&] {
            state->rates->begin(*rates, 0, {});
            state->rates_reason = "as described";
        });
    return state;
}

/// Finds the rates at the first call. The file is read only once, even if it is missing or invalid.
const context_state &with_rates(const context_state &state) noexcept {
    bool found = false;
    std::call_once(state.rates_are_there, [&] {
        state.find_rates();
        found = true;
    });
    if (found && base::is_logged(state.settings, base::log_level::info))
        state.tell_rates();
    return state;
}

} // namespace

context::context(std::unique_ptr<state> made) : state_(std::move(made)) {}
context::context(const tenfold::settings &settings)
    : context(make_state(settings, base::machine::detect(), nullptr)) {}

std::unique_ptr<context>
base::described_machine::make_context(const tenfold::settings &chosen) const {
    return std::unique_ptr<context>(
        new context(internals::from<context>(make_state(chosen, machine, &rates))));
}

context::~context() = default;

const context &context::global() {
    static const context instance;
    return instance;
}

const settings &context::settings() const noexcept { return state_->settings; }
const std::string &context::rates_reason() const noexcept {
    return with_rates(*state_).rates_reason;
}
isa context::isa() const noexcept { return state_->isa; }
const std::string &context::isa_reason() const noexcept { return state_->isa_reason; }
int context::threads() const noexcept { return state_->threads(); }

namespace base {

const machine &machine_of(const context &ctx) noexcept { return internals::of(ctx).machine; }
workspace_pool &pool_of(const context &ctx) noexcept { return internals::of(ctx).pool; }
plan_cache &plans_of(const context &ctx) noexcept { return internals::of(ctx).plans; }
const machine_rates &rates_of(const context &ctx) noexcept {
    return with_rates(internals::of(ctx)).rates->rates();
}
std::shared_ptr<learnt_memory> learner_of(const context &ctx) noexcept {
    const auto &rates = with_rates(internals::of(ctx)).rates;
    return rates->learns() ? rates : nullptr;
}

} // namespace base
} // namespace tenfold
