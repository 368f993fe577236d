// A short cut for small products: no plan, no packing, no threads. For many products of one shape
// the decision is made once.
#pragma once

#include <optional>

#include <tenfold/gemm.hpp>

#include "base/machine.hpp"
#include "gemm/kernels/kernel_abi.hpp"
#include "gemm/plan/options.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

inline bool is_complex(const micro_kernel &kernel) noexcept {
    return kernel.multiply_direct == nullptr;
}

/// Returns true if A is read from a copy of one panel at a time. This is so if A's rows are not
/// adjacent, or if its columns are so many, and so far apart by a multiple of a large power of two,
/// that they evict each other from L1.
bool copies_a(const base::machine &machine, const micro_kernel &kernel,
              const small_product &product, index_t row_stride_a, index_t element_size) noexcept;

/// A quick test: if it returns false, so does copies_a(), because with few columns a copy does not
/// pay. It does not look at the machine.
inline bool may_copy_a(const micro_kernel &kernel, const small_product &product,
                       index_t row_stride_a) noexcept {
    return (row_stride_a != 1 && product.m > 1) || product.n >= 4 * kernel.nr;
}

/// Computes C = alpha A B + beta C if the product is small, the strides suit the kernels and the
/// arguments are plainly valid. Returns false if it did nothing; then gemm() must check the
/// arguments and plan. Overhead: about 10 ns.
template <class T> bool multiply_if_small(const matrix_view<const T> &a,
                                          const matrix_view<const T> &b, const matrix_view<T> &c,
                                          const gemm_options &options, const context &ctx);

/// Bytes of caches that a sum in registers takes.
struct cache_shares {
    index_t cached; ///< of L2: C, or A and B of several products
    index_t near;   ///< of L1: A and B of several products

    static cache_shares of(const base::machine &machine) noexcept {
        return {machine.l2.size / 8, machine.l1d.size * 2 / 3};
    }
};

/// Products that multiply_reduced is given at most in one call.
inline constexpr index_t most_at_once = 128;
/// Returns how many products of so many columns the kernel sums in one call: as many as L1 holds,
/// or more, from L2, if k is so short that loading and storing C would take noticeable time.
index_t products_at_once(const gemm_shape &s, index_t columns, const cache_shares &shares) noexcept;

/// Arguments of multiply_small and multiply_reduced for a shape.
struct small_form {
    const micro_kernel *kernel;
    bool turned;           ///< computes C^T = B^T A^T: A and B are swapped
    bool copies;           ///< multiplies from copies of A's panels
    small_product product; ///< without pointers
    index_t row_stride_a;
    index_t element_size;
    /// Matrices of products that follow, because they are in no L2.
    bool fetches_a = false, fetches_b = false, fetches_d = false;
    index_t summed_at_once = 1; ///< products of a sum; 1: added to D one by one

    bool fetches() const noexcept { return fetches_a || fetches_b || fetches_d; }
    /// Returns true if the next product's A, or B, is fetched although it is not one run: its rows
    /// or columns have adjacent elements. Complex kernels fetch whole matrices only.
    bool fetches_runs_of_a() const noexcept {
        return fetches_a && !copies && !is_complex(*kernel) &&
               fetches_runs(runs_of_a(product), element_size);
    }
    bool fetches_runs_of_b() const noexcept {
        return fetches_b && !is_complex(*kernel) && fetches_runs(runs_of_b(product), element_size);
    }
    /// Returns true if multiply_reduced and multiply_small can read A in place.
    bool in_place() const noexcept { return row_stride_a == 1 || product.m == 1; }
    /// Multiplies; the argument is `product` with its pointers set.
    void multiply(const small_product &with_pointers) const noexcept;
    /// Multiplies all products of a series, from the first one on, in order. The steps of A and B
    /// are those of the form's A and B. The first product keeps beta times D, the others
    /// `later_beta` times D. `next`: the first of the series that follows, which may be fetched.
    void multiply_all(const small_product &first, const product_series &steps,
                      const void *later_beta, following next) const noexcept;
    /// Adds up all products of a series in the first one's D, several of them in registers.
    /// `one`: 1 of D's type.
    void sum_all(const small_product &first, const product_series &steps, const void *one,
                 following next) const noexcept;

private:
    /// Not inline, as multiply_copied().
    [[gnu::noinline]] void multiply_all_copied(const small_product &first,
                                               const product_series &steps, const void *later_beta,
                                               following next) const noexcept;
};

/// Returns the kernel's arguments for a product, without pointers.
small_product small_product_of(const gemm_shape &shape) noexcept;

/// The form for a shape that takes it, turned as is_turned() says (plan/choose.hpp).
small_form make_small_form(const gemm_shape &turned, bool is_turned, const micro_kernel &kernel,
                           const gemm_plan_options &options) noexcept;

/// Returns nothing if there is no such kernel, or the product does not take this form.
std::optional<small_form> find_small_form(const gemm_shape &shape,
                                          const gemm_plan_options &options);

} // namespace tenfold::gemm_impl
