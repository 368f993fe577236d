#include <memory>
#include <optional>
#include <string>

#include "capi/convert.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::settings;

/// A caller's function as that of the C++ interface.
struct log_receiver {
    tenfold_log_function function;
    void *user;

    void operator()(int level, std::string_view message) const {
        function(level + TENFOLD_LOG_QUIET, std::string(message).c_str(), user);
    }
};

/// Seconds where 0 is the default and TENFOLD_NO_SECONDS is 0.
std::optional<double> patience_of(double given, const char *what) {
    if (given == 0)
        return std::nullopt;
    if (given == TENFOLD_NO_SECONDS)
        return 0;
    if (!(given > 0))
        refuse(std::string(what) + " is " + std::to_string(given) +
               "; it is more than 0, or TENFOLD_NO_SECONDS");
    return given;
}

double given_as(double seconds) noexcept { return seconds == 0 ? TENFOLD_NO_SECONDS : seconds; }

/// The environment's settings, but for those that are given.
settings settings_of(const tenfold_settings *given) {
    settings chosen = settings::from_environment();
    const tenfold_settings own = taken(given, "settings");
    if (own.threads != 0)
        chosen.threads = own.threads;
    if (const auto isa = choice_of<tenfold::isa>(own.isa, "isa"))
        chosen.isa = isa;
    chosen.backend = choice_of<tenfold::backend>(own.backend, "backend").value_or(chosen.backend);
    chosen.reproducible = choice_of(own.reproducible, "reproducible").value_or(chosen.reproducible);
    chosen.workspace_limit = limit_of(own.workspace_limit).value_or(chosen.workspace_limit);
    chosen.plan_cache_limit = limit_of(own.plan_cache_limit).value_or(chosen.plan_cache_limit);
    if (own.kc != 0)
        chosen.blocking.kc = own.kc;
    if (own.mc != 0)
        chosen.blocking.mc = own.mc;
    if (own.nc != 0)
        chosen.blocking.nc = own.nc;
    if (own.wisdom != nullptr)
        chosen.wisdom = own.wisdom;
    if (own.calibration != nullptr)
        chosen.calibration = own.calibration;
    if (own.log_level < TENFOLD_LOG_DEFAULT || own.log_level > TENFOLD_LOG_DEBUG)
        refuse("log_level is " + std::to_string(own.log_level) +
               ", which is no value of its enumeration");
    if (own.log_level != TENFOLD_LOG_DEFAULT)
        chosen.log_level = own.log_level - TENFOLD_LOG_QUIET;
    if (own.log != nullptr)
        chosen.log = log_receiver{own.log, own.log_user};
    chosen.watchdog_seconds =
        patience_of(own.watchdog_seconds, "watchdog_seconds").value_or(chosen.watchdog_seconds);
    chosen.presence_seconds =
        patience_of(own.presence_seconds, "presence_seconds").value_or(chosen.presence_seconds);
    return chosen;
}

std::int64_t given_as(tenfold::byte_count limit) noexcept {
    return limit.value == 0 ? TENFOLD_NO_BYTES : limit.value;
}

} // namespace

tenfold_error tenfold_context_create(const tenfold_settings *settings, tenfold_context **context) {
    return guarded([&] {
        require(context, "context");
        *context = nullptr;
        *context =
            std::make_unique<tenfold_context>(
                tenfold_context{std::make_shared<const tenfold::context>(settings_of(settings))})
                .release();
    });
}

void tenfold_context_destroy(tenfold_context *context) { delete context; }

tenfold_error tenfold_context_global(const tenfold_context **context) {
    return guarded([&] {
        require(context, "context");
        *context = nullptr;
        static const tenfold_context global{std::shared_ptr<const tenfold::context>(
            &tenfold::context::global(), [](const tenfold::context *) {})};
        *context = &global;
    });
}

tenfold_error tenfold_context_settings(const tenfold_context *context, tenfold_settings *settings) {
    return guarded([&] {
        require(context, "context");
        const tenfold::settings &own = context->shared->settings();
        const auto *const receiver = own.log.target<log_receiver>();
        give({.size = 0,
              .threads = own.threads,
              .isa = own.isa ? static_cast<tenfold_isa>(*own.isa) + 1 : TENFOLD_ISA_DEFAULT,
              .backend = static_cast<tenfold_backend>(own.backend) + 1,
              .reproducible = own.reproducible ? TENFOLD_YES : TENFOLD_NO,
              .workspace_limit = given_as(own.workspace_limit),
              .plan_cache_limit = given_as(own.plan_cache_limit),
              .kc = own.blocking.kc,
              .mc = own.blocking.mc,
              .nc = own.blocking.nc,
              .wisdom = own.wisdom.c_str(),
              .calibration = own.calibration.c_str(),
              .log_level = own.log_level + TENFOLD_LOG_QUIET,
              .log = receiver != nullptr ? receiver->function : nullptr,
              .log_user = receiver != nullptr ? receiver->user : nullptr,
              .watchdog_seconds = given_as(own.watchdog_seconds),
              .presence_seconds = given_as(own.presence_seconds)},
             settings, "settings");
    });
}

tenfold_error tenfold_context_threads(const tenfold_context *context, int32_t *threads) {
    return guarded([&] {
        require(context, "context");
        require(threads, "threads");
        *threads = context->shared->threads();
    });
}

tenfold_error tenfold_context_isa(const tenfold_context *context, tenfold_isa *isa,
                                  const char **reason) {
    return guarded([&] {
        require(context, "context");
        require(isa, "isa");
        *isa = static_cast<tenfold_isa>(context->shared->isa()) + 1;
        if (reason != nullptr)
            *reason = context->shared->isa_reason().c_str();
    });
}

tenfold_error tenfold_context_rates_reason(const tenfold_context *context, const char **reason) {
    return guarded([&] {
        require(context, "context");
        require(reason, "reason");
        *reason = context->shared->rates_reason().c_str();
    });
}
