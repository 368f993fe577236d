// Tenfold's contexts: settings, with which Python's code chooses threads, limits and the like.
#pragma once

#include <memory>

#include <tenfold/context.hpp>

#include "numpy_api.hpp"

namespace tenfold::python {

/// The context that the calling code is in: that of the innermost `with tenfold.settings(..)` of
/// this thread or task. Keeps it alive; needs Python's lock, as its destructor does.
class current_context {
public:
    /// Throws py::error_already_set.
    current_context();
    /// Null: the global one.
    const context *get() const noexcept { return context_; }
    const py::object &object() const noexcept { return object_; }

private:
    py::object object_;
    const context *context_ = nullptr;
};

void define_context(py::module_ &module);

} // namespace tenfold::python
