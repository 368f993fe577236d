// A matrix product of 8-bit integers with 32-bit output, for which there is no data_type.
#pragma once

#include <cstdint>

#include <tenfold/gemm_mixed.hpp>
#include <tenfold/tensor_view.hpp>

#include "apps/bench/page_memory.hpp"
#include "contract/reference/reference.hpp"

namespace tenfold::apps_impl {

class integer_product {
public:
    /// C(m x n) = A(m x k) B(k x n), column-major, of sizes m, k, n. Fills A and B with
    /// pseudo-random bytes.
    integer_product(const extents_t &sizes, page_kind pages, int threads);

    void run(std::int32_t *c, const gemm_options &options) const;
    /// Sets C to generated values if it is read; otherwise to values that the product must
    /// overwrite.
    void reset(std::int32_t *c, bool reads_c) const noexcept;
    /// Recomputes `samples` elements of the result of one run after reset(). They must be equal:
    /// the bound is 0.
    contract_impl::verification check(const std::int32_t *c, double beta, index_t samples) const;

private:
    index_t m_, k_, n_;
    page_memory a_, b_;
};

} // namespace tenfold::apps_impl
