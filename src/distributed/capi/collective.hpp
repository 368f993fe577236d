// Collective calls from C: what one rank finds wrong with its arguments fails the call on all
// ranks.
#pragma once

#include <new>
#include <utility>

#include <tenfold/dist.hpp>

#include "capi/errors.hpp"
#include "distributed/capi/convert.hpp"

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
    } catch (
        const std::bad_alloc &) { // a copy of an argument; once ranks agree, calls throw errors
        refuse_call(where);
    }
}

/// Makes a collective call on a tensor, which messages call `name`: collective() with
/// prepare(dist_tensor<T>) and call(dist_tensor<T>, prepared).
template <class Handle, class Prepare, class Call> tenfold_error
collective_on(Handle *tensor, const char *name, const Prepare &prepare, const Call &call) noexcept {
    return guarded([&] {
        require(tensor, name);
        with_tensor(*tensor, [&](auto &own) {
            collective(
                own.owner(), [&] { return prepare(own); },
                [&](auto &prepared) { call(own, prepared); });
        });
    });
}

/// The same with nothing to prepare: call(dist_tensor<T>).
template <class Handle, class Call>
tenfold_error collective_on(Handle *tensor, const char *name, const Call &call) noexcept {
    return collective_on(
        tensor, name, [](auto &) { return 0; }, [&](auto &own, int) { call(own); });
}

} // namespace tenfold::capi_impl
