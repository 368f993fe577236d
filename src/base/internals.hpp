// The library's way to what public classes keep private.
#pragma once

#include <utility>

namespace tenfold {

/// A friend of the public classes whose `state_` other sources need. A `state` is declared in the
/// public header, and defined in a private one or in the class's source.
struct internals {
    template <class Public> using state_of = typename Public::state;

    template <class Public> static auto &of(const Public &object) noexcept {
        return *object.state_;
    }
    /// `state`: a pointer that owns it, as the class keeps it.
    template <class Public, class State> static Public from(State state) noexcept {
        return Public(std::move(state));
    }
};

} // namespace tenfold
