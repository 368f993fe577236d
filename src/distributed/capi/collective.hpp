// Collective calls from C: what one rank finds wrong with its arguments fails the call on all
// ranks.
#pragma once

#include <new>
#include <utility>

#include <tenfold/dist.hpp>

namespace tenfold::capi_impl {

/// Tells the ranks of a world that this one cannot make the call that they make, because of the
/// exception that is being handled. Throws it.
[[noreturn]] void refuse_call(const world &where);

/// `prepare` reads and checks this rank's arguments and finds memory for what the call makes;
/// `call` takes what it returns and makes one collective call, which must be the first thing that
/// can fail on one rank only, but for memory, and the last one.
template <class Prepare, class Call>
void collective(const world &where, const Prepare &prepare, const Call &call) {
    auto prepared = [&] {
        try {
            return prepare();
        } catch (...) {
            refuse_call(where);
        }
    }();
    try {
        call(prepared);
    } catch (const std::bad_alloc &) { // a copy of an argument; once ranks agree, calls throw errors
        refuse_call(where);
    }
}

} // namespace tenfold::capi_impl
