// What surrounds a computation: Python's lock and Python's signals.
#pragma once

#include <exception>
#include <string_view>
#include <utility>

#include <tenfold/control.hpp>

#include "numpy_api.hpp"
#include "progress.hpp"

namespace tenfold::python {

/// Multiply-adds (or elements) below which a call keeps Python's lock: releasing and taking it
/// costs as much as some hundred of them, and another thread may take it for milliseconds.
inline constexpr double short_work = 1 << 13;
/// From here on, a few hundred microseconds, Ctrl-C is looked for. A control costs a few
/// allocations and some atomic additions.
inline constexpr double long_work = 1 << 22;

/// Runs `work(control)`, which calls Tenfold and nothing of Python. Throws what it throws, and what
/// Python's signal handlers raise, KeyboardInterrupt most often, as py::error_already_set. The
/// output is unspecified then. `title` names the computation in reports of its progress.
template <class Work> void compute(double multiply_adds, std::string_view title, Work &&work) {
    if (multiply_adds < short_work)
        return work(nullptr);
    if (multiply_adds < long_work) {
        const py::gil_scoped_release unlocked;
        return work(nullptr);
    }
    const progress_report report(title);
    const py::gil_scoped_release unlocked;
    std::exception_ptr raised;
    const execution_control control{.progress =
                                        [&](double done) {
                                            const py::gil_scoped_acquire locked;
                                            try {
                                                if (PyErr_CheckSignals() != 0)
                                                    throw py::error_already_set();
                                                report.update(done);
                                            } catch (py::error_already_set &) {
                                                // Plans' execute() does not pass on exceptions.
                                                raised = std::current_exception();
                                                throw;
                                            }
                                        },
                                    .stop = {}};
    std::forward<Work>(work)(&control);
    if (raised)
        std::rethrow_exception(raised);
}

} // namespace tenfold::python
