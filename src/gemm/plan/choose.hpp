// Which form a product takes: every condition on shapes that decides it stands here or in
// choose.cpp, once. The forms know how they run, not when. Plans ask; so do contractions and
// distributed plans, through gemm's plans.
//
// What decides are shapes, kernels and caches. Sums are grouped differently by different forms, so
// neither threads nor rates have a say, on which results must not depend.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gemm/kernels/kernel_abi.hpp"
#include "gemm/kernels/mixed_registry.hpp"
#include "gemm/plan/options.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

struct small_form;

enum class gemm_form : std::uint8_t {
    nothing,
    scale,
    small,
    dot,
    gemv,
    outer,
    packed,
    streamed,
    split_k,
    blis
};
std::string_view name(gemm_form form) noexcept;

/// The micro-tiles of D that are counted when a sum may be cut into leaves.
struct counted_tile {
    index_t rows, columns;

    static counted_tile of(const micro_kernel &kernel) noexcept { return {kernel.mr, kernel.nr}; }
};
/// For mixed products: the same for all instruction sets, and for D^T, so that all cut k alike.
inline constexpr counted_tile square_tile{24, 24};

/// A form, and the orientation that it computes D in.
struct chosen_form {
    gemm_form form = gemm_form::nothing;
    orientation way;
    index_t leaves = 1; ///< of split_k; none is empty
};

/// Returns the form of one product. Kernels of mixed types lack those of some forms, which then are
/// not chosen. Of the options threads, back, reproducible, machine, packs_small and
/// same_for_all_shapes count.
chosen_form choose_form(const gemm_shape &shape, const micro_kernel &kernel,
                        const counted_tile &tile, const gemm_plan_options &options) noexcept;

/// Returns true for products of any factors that are too small to pack or to share among threads
/// on any machine: three matrices of f64 fit 256 KiB. Extents below 1 are not small.
inline bool is_small(bool complex, index_t m, index_t n, index_t k) noexcept {
    constexpr index_t longest = 16384;
    return m > 0 && n > 0 && k > 0 && m <= longest && n <= longest && k <= longest &&
           m * n * k <= (complex ? 64 * 64 * 64 : 96 * 96 * 96);
}

/// Returns true for larger products that need no packing either, because they fit L2 and C's
/// columns are contiguous. Real ones qualify only `alone`: on one thread, and if results may depend
/// on the number of threads, because their bits may differ from those of packed products. Complex
/// sums are grouped differently from packed ones, so these products take this form for any number
/// of threads, which share C's columns.
bool fits_in_place(data_type type, index_t m, index_t n, index_t k, bool alone,
                   const micro_kernel &kernel, const base::machine &machine) noexcept;

/// Returns true if small products are computed as C^T = B^T A^T, in which rows and columns change
/// places: C's columns are to be contiguous, and a single one is computed as a row if the rows of A
/// are not adjacent.
inline bool is_turned(index_t m, index_t n, index_t row_stride_a, index_t row_stride_d) noexcept {
    return m > 1 && (row_stride_d != 1 || (n == 1 && row_stride_a != 1));
}

/// Returns true if a product takes the form of small products. The shape is turned as is_turned()
/// says. Complex ones beyond is_small() are packed.
bool takes_small_form(const gemm_shape &turned, const micro_kernel &kernel,
                      const gemm_plan_options &options) noexcept;

/// Returns true if small products that are added up in one D are summed in registers rather than
/// one by one: if each would load and store parts of registers. Whole ones cost less than the lines
/// that a series fetches ahead.
bool sums_in_registers(const gemm_shape &turned, const small_form &form,
                       const micro_kernel &kernel) noexcept;

/// Returns true if so many products whose matrices are interleaved fill a register. With fewer,
/// every access would be masked, and hardware does not prefetch those.
bool fills_registers(data_type type, index_t products, const micro_kernel &kernel) noexcept;

/// Returns true if a shape is skinny and kernels can read and write it in place: A's and D's rows
/// are adjacent. Whole products and leaves of split ones are streamed then.
bool can_stream(const gemm_shape &shape, const micro_kernel &kernel,
                const base::machine &machine) noexcept;

/// The way of a streamed product: along its longest extent, m, n or k.
enum class stream_way : std::uint8_t { tall, wide, deep };

struct chosen_stream {
    stream_way way = stream_way::tall;
    index_t most_steps = 1;       ///< of k that are taken together
    bool fetches_columns = false; ///< A's next rows are fetched column by column
};
chosen_stream choose_stream(const gemm_shape &shape, const micro_kernel &kernel,
                            const base::machine &machine) noexcept;

/// Returns true if so many bytes do not stay in the caches of a team until they are used again.
/// D is written past the caches then, if the form can.
bool leaves_caches(double bytes, const base::machine &machine, int threads) noexcept;

/// Returns how many parts of a matrix-vector product's sum are added by a tree: 1 if y alone
/// occupies the threads.
index_t choose_vector_leaves(index_t m, index_t k) noexcept;

/// How many products of a batch are dealt to a team, each to one thread; the whole team computes
/// the others, one after the other.
struct chosen_deal {
    int team = 1;
    index_t dealt = 0;
};
/// `seconds` are those of the batch on one thread; `shared` is the number of threads that pays for
/// one of its products.
chosen_deal choose_deal(index_t count, bool small, int shared, int threads,
                        double seconds) noexcept;

enum class reduce_form : std::uint8_t {
    longer_k,     ///< one product: the A_i, and the B_i, continue each other
    in_registers, ///< the kernel sums the batch in registers
    chain         ///< one product after the other, added to C
};

/// A sum of `count` products of one shape; strides lead from matrix to matrix, if they are equal.
struct product_sum {
    gemm_shape each;
    index_t count = 0;
    std::optional<index_t> stride_a = std::nullopt, stride_b = std::nullopt;
};

struct chosen_sum {
    reduce_form form = reduce_form::chain;
    gemm_shape longer;  ///< of longer_k
    index_t leaves = 1; ///< parts that a tree sums; of the other forms
};
/// `small` is the small form of a product of the sum, or null. Throws errc::overflow.
chosen_sum choose_sum(const product_sum &sum, const micro_kernel &kernel, const counted_tile &tile,
                      const small_form *small);

/// Returns how many terms of a sum of mixed products are joined (forms/joined.hpp), each of
/// `steps` steps of k, which include those that pad it; 1: each is a product of its own. Terms are
/// joined wherever two fit a block of `kc` steps: both ways pack and multiply the same elements,
/// and D is updated less often. Of the options whole.terms and same_for_all_shapes count.
index_t choose_terms_at_once(index_t steps, index_t kc, const gemm_plan_options &options) noexcept;

/// Returns how numbers of bf16 are multiplied. If the options leave it open: by dot products if the
/// processor has an instruction for them whose rate is higher than that of multiply-adds of f32;
/// otherwise widened, which keeps subnormal numbers. Reproducible products that leave it open are
/// widened everywhere.
mixed_product choose_bf16(const gemm_plan_options &options) noexcept;

/// Returns how numbers of a type that is narrower than its products' are multiplied.
mixed_product choose_mixed(data_type inputs, const gemm_plan_options &options) noexcept;

} // namespace tenfold::gemm_impl
