#include "gemm/small_form.hpp"

#include "gemm/registry.hpp"
#include "gemm/small.hpp"

namespace tenfold::gemm_impl {
namespace {

/// A's and D's rows are adjacent.
bool suits(const gemm_shape &s) noexcept {
    return (s.row_stride_a == 1 || s.m == 1) && (s.row_stride_d == 1 || s.m == 1);
}

} // namespace

std::optional<small_form> find_small_form(const gemm_shape &shape,
                                          const gemm_plan_options &options) {
    const kernel_info *info = select(shape.type, options.instruction_set);
    if (info == nullptr || info->kernel->multiply_small == nullptr ||
        options.back != backend::native)
        return std::nullopt;
    if (!is_small(shape.m, shape.n, shape.k))
        return std::nullopt;
    const bool turned = !suits(shape);
    const gemm_shape s = turned ? shape.transposed() : shape;
    if (!suits(s))
        return std::nullopt;
    small_product product{};
    product.m = s.m;
    product.n = s.n;
    product.k = s.k;
    product.a_step = s.column_stride_a;
    product.b_step_k = s.row_stride_b;
    product.b_step_n = s.column_stride_b;
    product.d_step = s.column_stride_d;
    return small_form{info->kernel, turned, product};
}

} // namespace tenfold::gemm_impl
