// Worlds from mpi4py's communicators, and calls that one rank cannot make.
#pragma once

#include <exception>

#include <tenfold/dist.hpp>

#include "core/numpy_api.hpp"

namespace tenfold::python {

/// What other ranks are told of a Python exception: "ValueError: its text". Needs Python's lock.
error told_to_others(const py::object &raised);

/// Functions of Python's that a collective call calls. Where one raises, its exception is raised on
/// that rank, and a tenfold.Error that tells it on the others.
class called_functions {
public:
    /// Inside the collective call: runs `work`, which calls a function, with Python's lock.
    template <class Work> auto with_lock(const Work &work) {
        const py::gil_scoped_acquire locked;
        try {
            return work();
        } catch (const py::error_already_set &failed) {
            raised_ = std::current_exception();
            throw told_to_others(failed.value());
        }
    }

    /// Makes the collective call without Python's lock.
    template <class Call> void run(const Call &call) {
        const py::gil_scoped_release unlocked;
        run_without_lock(call);
    }
    /// Makes it where the lock has been released, as in compute().
    template <class Call> void run_without_lock(const Call &call) {
        try {
            call();
        } catch (const error &) {
            if (!raised_)
                throw;
        }
        if (raised_)
            std::rethrow_exception(raised_);
    }

private:
    std::exception_ptr raised_; ///< its end needs the lock
};

void define_world(py::module_ &module);

} // namespace tenfold::python
