// Options of distributed contractions, and what they refer to.
#pragma once

#include <memory>

#include <tenfold/dist_plan.hpp>

#include "core/epilogues.hpp"
#include "core/numpy_api.hpp"

namespace tenfold::python {

/// Settings of Python's Context for this extension, which holds a library of its own: kept plans
/// and memory are not those of the other extension.
struct context_object {
    std::shared_ptr<const context> own;
};

/// Arguments by keyword, read once. The steps' arrays live as long.
class options_object {
public:
    /// Throws TypeError for other names, and for values of other types. `used` may be null: the
    /// context of the process.
    options_object(const py::dict &given, epilogue_steps steps, const context_object *used);
    options_object(const options_object &) = delete;
    options_object &operator=(const options_object &) = delete;

    const dist_options &get() const noexcept { return options_; }

private:
    epilogue_steps steps_;
    contraction_epilogue finish_;
    std::shared_ptr<const context> context_;
    dist_options options_;
};

void define_options(py::module_ &module);

} // namespace tenfold::python
