#include "gemm/forms/reduce.hpp"

#include <algorithm>
#include <cstddef>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/workspace.hpp"
#include "gemm/forms/split_k.hpp"
#include "gemm/kernels/registry.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::range;

/// Plans one product on one thread, with the steps that follow its k, written to a dense matrix.
gemm_plan plan_of_leaf(gemm_shape shape, gemm_plan_options options) {
    shape.row_stride_d = 1;
    shape.column_stride_d = shape.m;
    options.threads = 1;
    return gemm_plan(shape, options);
}

/// Returns the width of the column blocks of C. For each of them the batch is read from its start.
index_t columns_at_once(const gemm_shape &s, index_t nr, const cache_shares &shares) noexcept {
    const index_t fit = shares.cached / (s.m * size_of(s.type));
    return std::max<index_t>(1, fit / nr) * nr;
}

/// Computes a sum of one product with multiply_small, which is tuned for this case.
void multiply_first(const reduced_product &sum, const small_form &form) noexcept {
    small_product product = sum.each;
    product.a = sum.a[0];
    product.b = static_cast<const std::byte *>(sum.b[0]) + sum.b_offset * form.element_size;
    form.multiply(product);
}

} // namespace

reduce_plan::reduce_plan(const product_sum &sum, const gemm_plan_options &options)
    : shape_(sum.each), count_(sum.count), small_(find_small_form(sum.each, options)),
      shares_(cache_shares::of(*options.machine)), product_(sum.each, options),
      partial_(plan_of_leaf(sum.each, options)) {
    const micro_kernel &kernel = *select(shape_.type, options.instruction_set)->kernel;
    const chosen_sum chosen =
        choose_sum(sum, kernel, counted_tile::of(kernel), small_ ? &*small_ : nullptr);
    form_ = chosen.form;
    leaves_ = chosen.leaves;
    if (form_ == reduce_form::longer_k) {
        product_ = gemm_plan(chosen.longer, options);
        threads_ = product_.threads();
        return;
    }
    if (form_ != reduce_form::in_registers)
        small_.reset();
    else if (small_->turned)
        shape_ = shape_.transposed();
    const double seconds = partial_.predicted_seconds(options) * static_cast<double>(count_);
    const int team = worthwhile_team(options.threads, seconds);
    if (leaves_ > 1)
        threads_ = static_cast<int>(std::min<index_t>(team, leaves_));
    else if (small_)
        threads_ = static_cast<int>(std::min<index_t>(team, base::divide_up(shape_.n, kernel.nr)));
    else
        threads_ = product_.threads();
}

index_t reduce_plan::leaf_bytes() const noexcept {
    return base::aligned_bytes(shape_.m * shape_.n * size_of(shape_.type));
}

byte_count reduce_plan::workspace_size() const noexcept {
    if (leaves_ == 1)
        return form_ == reduce_form::in_registers ? byte_count{} : product_.workspace_size();
    const index_t panels =
        form_ == reduce_form::chain ? base::aligned_bytes(partial_.workspace_size().value) : 0;
    return bytes(leaves_ * leaf_bytes() + threads_ * panels);
}

/// Computes some columns of D, whose columns are d_step apart, from some of the products.
template <class T> void reduce_plan::add_in_registers(const typed_sum<T> &x, index_t d_step,
                                                      range products,
                                                      range columns) const noexcept {
    if constexpr (!element_traits<T>::is_complex) {
        const void *first[most_at_once];
        const void *second[most_at_once];
        const T one(1);
        reduced_product sum{small_->product, 0, first, second, 0};
        sum.each.d_step = d_step;
        sum.each.alpha = &x.alpha;
        const auto &a = small_->turned ? x.b : x.a;
        const auto &b = small_->turned ? x.a : x.b;
        const index_t width = columns_at_once(shape_, small_->kernel->nr, shares_);
        const index_t at_once = products_at_once(shape_, width, shares_);
        for (index_t j = columns.begin; j < columns.end; j += width) {
            sum.each.n = std::min(width, columns.end - j);
            sum.each.d = x.d + j * d_step;
            sum.each.beta = &x.beta;
            sum.b_offset = j * small_->product.b_step_n;
            for (index_t i = products.begin; i < products.end; i += at_once) {
                sum.count = std::min(at_once, products.end - i);
                for (index_t p = 0; p < sum.count; ++p) {
                    first[p] = a.address(i + p);
                    second[p] = b.address(i + p);
                }
                if (sum.count == 1)
                    multiply_first(sum, *small_);
                else
                    small_->kernel->multiply_reduced(&sum);
                sum.each.beta = &one;
            }
        }
    }
}

/// Sums some of the products into a leaf, which is D.
template <class T>
void reduce_plan::fill_leaf(const typed_sum<T> &x, range products) const noexcept {
    if (form_ == reduce_form::in_registers)
        return add_in_registers<T>(x, shape_.m, products, {0, shape_.n});
    base::in_watched_parts(products, products.size(), [&](base::range part) {
        for (index_t i = part.begin; i < part.end; ++i)
            partial_.execute({.alpha = 1.0,
                              .a = x.a.address(i),
                              .b = x.b.address(i),
                              .beta = i == products.begin ? 0.0 : 1.0,
                              .d = x.d,
                              .workspace = x.workspace});
    });
}

template <class T> void reduce_plan::run_leaves(const typed_sum<T> &x) const noexcept {
    const index_t panel_bytes = base::aligned_bytes(partial_.workspace_size().value);
    std::byte *panels = x.workspace + leaves_ * leaf_bytes();
    T *leaves = reinterpret_cast<T *>(x.workspace);
    const index_t leaf_size = leaf_bytes() / static_cast<index_t>(sizeof(T));
    base::run_parallel(threads_, [&](base::team_member me) {
        const range mine = base::split(leaves_, me.size(), me.id());
        for (index_t leaf = mine.begin; leaf < mine.end; ++leaf) {
            const base::work_part part_of_work(1 / static_cast<double>(leaves_));
            fill_leaf<T>({.alpha = T(1),
                          .a = x.a,
                          .b = x.b,
                          .beta = T(0),
                          .d = leaves + leaf * leaf_size,
                          .workspace = panels + me.id() * panel_bytes},
                         base::split(count_, static_cast<int>(leaves_), static_cast<int>(leaf)));
        }
        me.barrier();
        sum_leaves(shape_, computed_leaves<T>{leaves, leaf_size, leaves_}, x,
                   base::split(shape_.n, me.size(), me.id()));
    });
}

template <class T> void reduce_plan::execute(const operands<T> &x) const noexcept {
    const auto one_product = [&](const T *a, const T *b) {
        return product_operands<>{.alpha = x.alpha,
                                  .a = a,
                                  .b = b,
                                  .beta = x.beta,
                                  .d = x.d,
                                  .workspace = x.workspace,
                                  .finish = x.finish};
    };
    if (form_ == reduce_form::longer_k || x.alpha == scalar{})
        return product_.execute(one_product(count_ > 0 ? x.a.address(0) : nullptr,
                                            count_ > 0 ? x.b.address(0) : nullptr));
    if (form_ == reduce_form::chain && leaves_ == 1) {
        return base::in_watched_parts({0, count_}, count_, [&](base::range part) {
            for (index_t i = part.begin; i < part.end; ++i) {
                product_operands<> one = one_product(x.a.address(i), x.b.address(i));
                if (i > 0)
                    one.beta = 1.0;
                if (i + 1 < count_)
                    one.finish = nullptr;
                product_.execute(one);
            }
        });
    }

    typed_sum<T> sum{.alpha = base::scalar_cast<T>(x.alpha),
                     .a = x.a,
                     .b = x.b,
                     .beta = base::scalar_cast<T>(x.beta),
                     .d = x.d,
                     .workspace = x.workspace,
                     .finish = x.finish};
    std::optional<fused_epilogue> turned;
    if (x.finish != nullptr && small_ && small_->turned) {
        turned.emplace(*x.finish).transpose();
        sum.finish = &*turned;
    }
    if (leaves_ > 1)
        return run_leaves<T>(sum);
    base::run_parallel(threads_, [&](base::team_member me) {
        const range columns = base::split(shape_.n, me.size(), me.id());
        if (columns.empty())
            return;
        add_in_registers<T>(sum, shape_.column_stride_d, {0, count_}, columns);
        if (sum.finish != nullptr)
            sum.finish->apply({0, shape_.m}, columns, sum.d, shape_.row_stride_d,
                              shape_.column_stride_d);
    });
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void reduce_plan::execute<T>(const operands<T> &) const noexcept;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::gemm_impl
