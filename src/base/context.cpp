#include <tenfold/context.hpp>

#include "base/machine.hpp"
#include "base/workspace.hpp"

#include <tenfold/error.hpp>

namespace tenfold {

struct context::state {
    tenfold::settings settings;
    base::machine machine;
    tenfold::isa isa;
    std::string isa_reason;
    mutable base::workspace_pool pool;
};

context::context(const tenfold::settings &settings) : state_(std::make_unique<state>()) {
    state_->settings = settings;
    state_->machine = base::machine::detect();
    state_->isa = settings.isa.value_or(state_->machine.best_isa());
    state_->isa_reason = settings.isa ? "asked for" : "best of this machine";
    if (!state_->machine.supports(state_->isa)) {
        std::string available;
        for (const tenfold::isa one : state_->machine.isas)
            available += (available.empty() ? "" : ", ") + std::string(name(one));
        throw error(errc::unsupported, "ISA '" + std::string(name(state_->isa)) +
                                           "' is not on this machine; it has " + available);
    }
#if !defined(TENFOLD_HAVE_BLIS)
    if (settings.backend == tenfold::backend::blis)
        throw error(errc::unsupported, "backend 'blis' is not in this build of Tenfold");
#endif
}

context::~context() = default;

const context &context::global() {
    static const context instance;
    return instance;
}

const settings &context::settings() const noexcept { return state_->settings; }
const base::machine &context::machine() const noexcept { return state_->machine; }
base::workspace_pool &context::pool() const noexcept { return state_->pool; }
isa context::isa() const noexcept { return state_->isa; }
const std::string &context::isa_reason() const noexcept { return state_->isa_reason; }
int context::threads() const noexcept {
    return state_->settings.threads > 0 ? state_->settings.threads : state_->machine.cores;
}

} // namespace tenfold
