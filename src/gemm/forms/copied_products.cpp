#include "gemm/forms/copied_products.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "gemm/forms/small.hpp"

namespace tenfold::gemm_impl {
namespace {

/// Copies a panel without splitting real and imaginary parts, unlike packing.
template <class Number> void copy_panel(const panel_source &from, index_t step, std::byte *panel) {
    const auto *x = static_cast<const Number *>(from.x);
    auto *to = reinterpret_cast<Number *>(panel);
    for (index_t p = 0; p < from.k; ++p, x += from.stride_k, to += step)
        if (from.stride == 1)
            std::copy_n(x, from.extent, to);
        else
            for (index_t i = 0; i < from.extent; ++i)
                to[i] = x[i * from.stride];
}

} // namespace

bool copied_products::fits(const micro_kernel &kernel, index_t k, index_t element_size) noexcept {
    return kernel.mr * k * element_size <= copied_bytes;
}

copied_products::copied_products(const micro_kernel &kernel, const small_product &like,
                                 index_t row_stride_a, index_t element_size) noexcept
    : kernel_(kernel), m_(like.m),
      element_size_(element_size), panel_of_{nullptr,     0,     like.k,          row_stride_a,
                                             like.a_step, false, /*padded=*/false} {
    const index_t vectors = base::divide_up(m_, kernel.vector_length);
    rows_ = base::divide_up(vectors, base::divide_up(m_, kernel.mr)) * kernel.vector_length;
    call_.first = like;
    call_.first.a = panel_;
    call_.first.a_step = kernel.mr;
    call_.count = 1;
    call_.a_after = panel_;
}

void copied_products::set_fetched(index_t b_next, bool b, index_t d_next, bool d) noexcept {
    call_.b_next = b_next;
    call_.fetches_b = b;
    call_.d_next = d_next;
    call_.fetches_d = d && rows_ >= m_;
}

void copied_products::multiply(const void *a, const void *b, const void *beta, void *d,
                               const following *next) noexcept {
    const auto *from = static_cast<const std::byte *>(a);
    auto *to = static_cast<std::byte *>(d);
    call_.first.b = b;
    call_.first.beta = beta;
    for (index_t left = m_; left > 0; left -= rows_) {
        call_.first.m = std::min(rows_, left);
        call_.first.d = to;
        panel_of_.x = from;
        panel_of_.extent = call_.first.m;
        if (!is_complex(kernel_))
            kernel_.pack_a(&panel_of_, panel_);
        else if (element_size_ == sizeof(c32))
            copy_panel<c32>(panel_of_, kernel_.mr, panel_);
        else
            copy_panel<c64>(panel_of_, kernel_.mr, panel_);
        if (next == nullptr || left > rows_) {
            kernel_.multiply_small(&call_.first);
        } else {
            call_.later_beta = beta;
            call_.b_after = next->b;
            call_.d_after = next->d;
            kernel_.multiply_series(&call_);
        }
        from += rows_ * panel_of_.stride * element_size_;
        to += rows_ * element_size_;
    }
}

} // namespace tenfold::gemm_impl
