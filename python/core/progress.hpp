// Reports of long computations to Python: what tenfold.progress() shows.
#pragma once

#include <string_view>

#include "numpy_api.hpp"

namespace tenfold::python {

/// A report of one computation, if the calling code is in a block that wants them. Its functions
/// need Python's lock.
class progress_report {
public:
    /// Throws py::error_already_set. `title` is the expression.
    explicit progress_report(std::string_view title);
    /// Closes the report.
    ~progress_report();
    progress_report(const progress_report &) = delete;
    progress_report &operator=(const progress_report &) = delete;

    /// `done`: from 0 to 1. Throws py::error_already_set.
    void update(double done) const;

private:
    py::object report_; ///< null: nobody wants one
};

void define_progress(py::module_ &module);
/// In another extension module: what `other` has defined.
void use_progress_of(const py::module_ &other);

} // namespace tenfold::python
