// Callers' functions in C as steps of epilogues, of either kind.
#pragma once

#include <array>
#include <string>

#include <tenfold/epilogue.hpp>
#include <tenfold/tenfold.h>

#include "capi/errors.hpp"
#include "capi/type_numbers.hpp"

namespace tenfold::capi_impl {

/// A caller's function of an epilogue.
struct run_call {
    tenfold_run_function function = nullptr;
    void *user = nullptr;
};

/// Calls use(T()) for any element type T.
template <class Use> void with_element_type(tenfold_type type, const Use &use) {
#define TENFOLD_CASE(T, name)                                                                      \
    if (type == number_of(data_type::name))                                                        \
        return use(T());
    TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_CASE)
    TENFOLD_FOR_INTEGER_TYPES(TENFOLD_CASE)
#undef TENFOLD_CASE
    refuse("the element type of an epilogue's step is " + std::to_string(type) +
           ", which is no value of its enumeration");
}

/// Passes a run of elements on to a caller's function in C.
template <class T> void call_in_c(T *elements, index_t count, void *context) {
    const auto &call = *static_cast<const run_call *>(context);
    call.function(elements, count, call.user);
}

/// The functions of an epilogue, by step: the steps hold their addresses.
class run_calls {
public:
    run_calls() = default;
    run_calls(const run_calls &) = delete;
    run_calls &operator=(const run_calls &) = delete;

    /// Adds a step that calls it.
    template <class Epilogue> void add_to(Epilogue &steps, tenfold_type type, run_call call) {
        if (call.function == nullptr)
            refuse("function is NULL");
        const std::size_t step = steps.steps().size();
        run_call *const own = step < all_.size() ? &all_[step] : nullptr;
        with_element_type(type, [&]<class T>(T) {
            steps.template call<T>(&call_in_c<T>, own); // refuses a step too many
        });
        *own = call;
    }

private:
    std::array<run_call, epilogue::most_steps> all_{};
};

} // namespace tenfold::capi_impl
