// The context that a call runs in.
#pragma once

#include <tenfold/context.hpp>

namespace tenfold::base {

/// The one that a caller chose, or the global one.
inline const context &context_or_global(const context *chosen) {
    return chosen != nullptr ? *chosen : context::global();
}

/// That of options, whose `ctx` is null where the caller left it out.
template <class Options> const context &context_of(const Options &options) {
    return context_or_global(options.ctx);
}

} // namespace tenfold::base
