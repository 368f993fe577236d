// Small products whose A is read from copies of its panels, one panel at a time.
#pragma once

#include <cstddef>

#include "gemm/kernels/kernel_abi.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// Products of one shape. The kernels' arguments stay in one object whose fields are set for each
/// product: a copy of it would wait for the core's store buffer (docs/adr/0023).
class copied_products {
public:
    /// Returns true if a panel of A fits the room for its copy.
    static bool fits(const micro_kernel &kernel, index_t k, index_t element_size) noexcept;

    /// `like`: one of the products, whose A has columns `like.a_step` and rows `row_stride_a`
    /// elements apart. Its pointers but alpha's are not used.
    copied_products(const micro_kernel &kernel, const small_product &like, index_t row_stride_a,
                    index_t element_size) noexcept;
    copied_products(const copied_products &) = delete;
    copied_products &operator=(const copied_products &) = delete;

    /// Sets what is fetched while a product's last panel is multiplied. `b_next`, `d_next`:
    /// elements from one product's matrix to the next one's. D is fetched only if A is one panel.
    void set_fetched(index_t b_next, bool b, index_t d_next, bool d) noexcept;

    /// `next`: B and D of the product that follows, which are fetched if they are to be; null:
    /// nothing is.
    void multiply(const void *a, const void *b, const void *beta, void *d,
                  const following *next = nullptr) noexcept;

private:
    static constexpr index_t copied_bytes = 32 << 10;

    const micro_kernel &kernel_;
    index_t m_, rows_; ///< of A, and of all its panels but the last
    index_t element_size_;
    panel_source panel_of_; ///< A's rows that are copied
    small_series call_{};   ///< of one product
    alignas(64) std::byte panel_[copied_bytes];
};

} // namespace tenfold::gemm_impl
