#include "gemm/plan/small_form.hpp"

#include "gemm/forms/small.hpp"
#include "gemm/kernels/registry.hpp"

namespace tenfold::gemm_impl {

void small_form::multiply(const small_product &with_pointers) const noexcept {
    if (!copies)
        kernel->multiply_small(&with_pointers);
    else
        multiply_copied_small(*kernel, with_pointers, row_stride_a, element_size);
}

std::optional<small_form> find_small_form(const gemm_shape &shape,
                                          const gemm_plan_options &options) {
    const kernel_info *info = select(shape.type, options.instruction_set);
    if (info == nullptr || options.back != backend::native)
        return std::nullopt;
    const bool turned =
        shape.m > 1 && (shape.row_stride_d != 1 || (shape.n == 1 && shape.row_stride_a != 1));
    const gemm_shape s = turned ? shape.transposed() : shape;
    const index_t size = size_of(s.type);
    const bool alone = options.threads <= 1 && !options.reproducible && !is_complex(s.type);
    if (!is_small(*info->kernel, s.m, s.n, s.k) &&
        !(alone && fits_in_place(*options.machine, *info->kernel, s.m, s.n, s.k, size)))
        return std::nullopt;
    if (s.row_stride_d != 1 && s.m > 1)
        return std::nullopt;
    small_product product{};
    product.m = s.m;
    product.n = s.n;
    product.k = s.k;
    product.a_step = s.column_stride_a;
    product.b_step_k = s.row_stride_b;
    product.b_step_n = s.column_stride_b;
    product.d_step = s.column_stride_d;
    product.conj_a = s.conj_a;
    product.conj_b = s.conj_b;
    const bool copies = copies_a(*options.machine, *info->kernel, product, s.row_stride_a, size);
    if (copies && !can_copy_a(*info->kernel, s.k, size))
        return std::nullopt;
    return small_form{info->kernel, turned, copies, product, s.row_stride_a, size};
}

} // namespace tenfold::gemm_impl
