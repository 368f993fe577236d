#include "capi/executor.hpp"

namespace tenfold::capi_impl {

void refuse_others(const tenfold_execute_options &own, executes what) {
    const auto refuse_member = [](const char *name, const char *why) {
        throw error(errc::unsupported, std::string("execute options: ") + name + " is set, " + why);
    };
    constexpr const char *only_contractions = "which only contractions take";
    const char *const why = what == executes::one_call
                                ? "which contractions in one call take from their options"
                                : only_contractions;
    if (what == executes::a_plan)
        return;
    if (own.record != nullptr && what == executes::no_contraction)
        refuse_member("record", only_contractions);
    if (own.threads != 0)
        refuse_member("threads", why);
    if (own.workspace_limit != 0)
        refuse_member("workspace_limit", why);
    if (own.context != nullptr)
        refuse_member("context", why);
}

taken_executor::taken_executor(const tenfold_execute_options &own, executes what)
    : control_(own.control), to_(own.record) {
    refuse_others(own, what);
    if (to_ != nullptr)
        require_size(*to_, "record");
    own_ = {.threads = own.threads,
            .workspace_limit = limit_of(own.workspace_limit),
            .workspace = {static_cast<std::byte *>(own.workspace),
                          own.workspace != nullptr ? own.workspace_bytes : 0},
            .ctx = own.context != nullptr ? own.context->shared.get() : nullptr,
            .control = control_.get(),
            .record = to_ != nullptr ? &record_ : nullptr};
}

void taken_executor::give_record() const {
    if (to_ != nullptr)
        give({.size = 0,
              .seconds = record_.seconds,
              .flops = record_.flops,
              .bytes = record_.bytes,
              .workspace_bytes = record_.workspace.value,
              .threads = record_.threads,
              .algorithm = static_cast<tenfold_algorithm>(record_.algorithm)},
             to_, "record");
}

} // namespace tenfold::capi_impl
