// What surrounds a computation: Python's lock and Python's signals.
#pragma once

#include <exception>
#include <utility>

#include <tenfold/control.hpp>

#include "numpy_api.hpp"

namespace tenfold::python {

/// Multiply-adds (or elements) below which a call keeps Python's lock: releasing and taking it
/// costs as much as some hundred of them, and another thread may take it for milliseconds.
inline constexpr double short_work = 1 << 13;
/// From here on, a few hundred microseconds, Ctrl-C is looked for. A control costs a few
/// allocations and some atomic additions.
inline constexpr double long_work = 1 << 22;

/// Runs `work(control)`, which calls Tenfold and nothing of Python. Throws what it throws, and what
/// Python's signal handlers raise, KeyboardInterrupt most often, as py::error_already_set. The
/// output is unspecified then.
template <class Work> void compute(double multiply_adds, Work &&work) {
    if (multiply_adds < short_work)
        return work(nullptr);
    const py::gil_scoped_release unlocked;
    if (multiply_adds < long_work)
        return work(nullptr);
    std::exception_ptr raised;
    const execution_control control{.progress =
                                        [&](double) {
                                            const py::gil_scoped_acquire locked;
                                            if (PyErr_CheckSignals() == 0)
                                                return;
                                            // Plans' execute() does not pass on exceptions.
                                            raised =
                                                std::make_exception_ptr(py::error_already_set());
                                            std::rethrow_exception(raised);
                                        },
                                    .stop = {}};
    std::forward<Work>(work)(&control);
    if (raised)
        std::rethrow_exception(raised);
}

} // namespace tenfold::python
