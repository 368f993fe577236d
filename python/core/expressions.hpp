// Expressions that have been read, and outputs for them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/tensor_view.hpp>

#include "arrays.hpp"
#include "numpy_api.hpp"

namespace tenfold::python {

/// What an expression says about inputs of known orders.
struct expression {
    /// Throws std::bad_alloc.
    explicit expression(contraction_spec read);

    contraction_spec spec;
    std::vector<label_t> summed; ///< labels that the output lacks, in the order of NumPy's loops
    bool has_diagonal_output;    ///< a label stands twice in the output
};

/// Reads numpy.einsum()'s notation only. Throws as parse() does, and errc::syntax for another one.
expression read_numpy(std::string_view text, std::span<const int> orders);

/// Extents by label, from those of the arrays: 1 gives way to others. Returns false where two
/// others differ; output_extents() says which.
bool gather_extents(const expression &read, std::span<PyArrayObject *const> arrays,
                    std::span<index_t> extents) noexcept;

/// Products of all extents: multiply-adds of one loop nest.
double multiply_adds(std::span<const index_t> extents) noexcept;

/// The same of operands, 0 where extents differ.
double multiply_adds(const expression &read, std::span<const operand *const> given);

/// Bytes from one position of a label to the next in an array: a label that stands twice walks the
/// diagonal. 0 for modes of extent 1.
index_t stride_along(label_t label, const std::vector<label_t> &labels, PyArrayObject *array);

/// Modes of an output, outermost first.
using nesting = std::vector<std::size_t>;
/// That of numpy.einsum(order="K"): modes are nested as those of the inputs, if these agree.
nesting nesting_as_inputs(const expression &read, std::span<PyArrayObject *const> arrays);

/// A new array for the output. Throws tenfold::error for extents that do not fit, and
/// py::error_already_set.
py::object new_output(const expression &read, std::span<PyArrayObject *const> arrays,
                      int numpy_number, const nesting &modes);
/// The same, with `order` as in numpy.einsum().
py::object new_output(const expression &read, std::span<PyArrayObject *const> arrays,
                      int numpy_number, NPY_ORDER order);

void define_expression(py::module_ &module);

} // namespace tenfold::python
