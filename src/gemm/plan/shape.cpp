#include "gemm/plan/shape.hpp"

#include <cmath>

#include "base/checked.hpp"

namespace tenfold::gemm_impl {
namespace {

/// Returns approximate cycles if vectors run along m: k FMAs per register and column, two per
/// cycle, plus the stores of D, by registers if rows are adjacent and by elements if not.
double orientation_cost(const gemm_shape &s, index_t vector_length) noexcept {
    const double vectors = static_cast<double>(base::divide_up(s.m, vector_length));
    const double n = static_cast<double>(s.n);
    const bool adjacent = std::abs(s.row_stride_d) == 1 || s.m == 1;
    return vectors * n * static_cast<double>(s.k) / 2 +
           (adjacent ? vectors * n : 2 * static_cast<double>(s.m) * n);
}

} // namespace

orientation unturned(const gemm_shape &given) noexcept {
    orientation result{given};
    gemm_shape &shape = result.shape;
    if (shape.row_stride_d == -1) {
        // Take the rows from the last to the first: the same elements with stride 1.
        result.offset_a = (shape.m - 1) * shape.row_stride_a;
        result.offset_d = (shape.m - 1) * shape.row_stride_d;
        shape.row_stride_a = -shape.row_stride_a;
        shape.row_stride_d = 1;
    }
    return result;
}

orientation orient(const gemm_shape &given, index_t vector_length) noexcept {
    const gemm_shape other = given.transposed();
    if (orientation_cost(other, vector_length) >= orientation_cost(given, vector_length))
        return unturned(given);
    orientation result = unturned(other);
    result.transposed = true;
    return result;
}

} // namespace tenfold::gemm_impl
