#include "reproducible/matrix_product.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/context_of.hpp"
#include "base/footprint.hpp"
#include "base/internals.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/traffic.hpp"
#include "base/work.hpp"
#include "base/workspace.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold::reproducible_impl {
namespace {

constexpr std::size_t in_a = 0;
constexpr std::size_t in_b = 1;

/// Fuses neighbours that are contiguous in every tensor, and drops modes of extent 1. The order of
/// positions stays, on which bits depend; einsum_impl::fuse() may change it.
void fuse_modes(extents_t &extents, std::initializer_list<extents_t *> strides) {
    std::size_t fused = 0;
    for (std::size_t mode = 0; mode < extents.size(); ++mode) {
        if (extents[mode] == 1)
            continue;
        const bool follows =
            fused > 0 && std::all_of(strides.begin(), strides.end(), [&](const extents_t *one) {
                return (*one)[mode] == (*one)[fused - 1] * extents[fused - 1];
            });
        if (follows) {
            extents[fused - 1] *= extents[mode];
            continue;
        }
        for (extents_t *one : strides)
            (*one)[fused] = (*one)[mode];
        extents[fused++] = extents[mode];
    }
    extents.resize(fused);
    for (extents_t *one : strides)
        one->resize(fused);
}

/// Returns the stride of the modes if they can be fused into one, otherwise nothing.
std::optional<index_t> fused_stride(extents_t extents, extents_t strides) {
    fuse_modes(extents, {&strides});
    if (extents.size() > 1)
        return std::nullopt;
    return extents.empty() ? 1 : strides[0];
}

/// Adds x y without std::complex's handling of infinities, which would prevent vectorisation.
template <class T> void add_product(T &sum, T x, T y) noexcept {
    if constexpr (is_complex(data_type_of<T>))
        sum +=
            T(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
    else
        sum += x * y;
}

/// A sum of products in 16 lanes: term i goes to lane i mod 16, and a tree adds the lanes. The
/// order depends only on the number of terms, not on the runs in which they come.
template <class T> class lane_sum {
public:
    lane_sum(bool conj_a, bool conj_b) noexcept : conj_a_(conj_a), conj_b_(conj_b) {}

    void add(index_t n, const T *a, index_t step_a, const T *b, index_t step_b) noexcept {
        const auto add_one = [&] {
            add_product(sums_[next_], base::op(*a, conj_a_), base::op(*b, conj_b_));
            next_ = (next_ + 1) % lanes;
            a += step_a;
            b += step_b;
            --n;
        };
        while (n > 0 && next_ != 0)
            add_one();
        const index_t whole = n / lanes * lanes;
        if (step_a == 1 && step_b == 1 && !is_complex(data_type_of<T>))
            add_runs(whole, a, b);
        else if (step_a == 1 && step_b == 1 && !conj_a_ && !conj_b_)
            add_whole(whole, {a, 1, false}, {b, 1, false});
        else
            add_whole(whole, {a, step_a, conj_a_}, {b, step_b, conj_b_});
        a += whole * step_a;
        b += whole * step_b;
        n -= whole;
        while (n > 0)
            add_one();
    }

    T total() noexcept {
        for (index_t half = lanes / 2; half > 0; half /= 2)
            for (index_t lane = 0; lane < half; ++lane)
                sums_[lane] += sums_[lane + half];
        return sums_[0];
    }

private:
    static constexpr index_t lanes = 16;

    /// The factors of consecutive terms.
    struct factors {
        const T *first;
        index_t step;
        bool conjugated;

        T operator[](index_t i) const noexcept { return base::op(first[i * step], conjugated); }
    };

    /// Adds real numbers with explicit vectors: compilers do not keep the lanes of the general loop
    /// in registers.
    void add_runs(index_t n, const T *a, const T *b) noexcept {
        if constexpr (!is_complex(data_type_of<T>)) {
            typedef T vector __attribute__((vector_size(16)));
            constexpr auto width = static_cast<index_t>(sizeof(vector) / sizeof(T));
            vector sums[static_cast<std::size_t>(lanes / width)];
            std::memcpy(sums, sums_, sizeof sums);
            for (index_t i = 0; i < n; i += lanes)
                for (index_t one = 0; one < lanes / width; ++one) {
                    vector x;
                    vector y;
                    std::memcpy(&x, a + i + one * width, sizeof x);
                    std::memcpy(&y, b + i + one * width, sizeof y);
                    sums[one] += x * y;
                }
            std::memcpy(sums_, sums, sizeof sums);
        }
    }

    [[gnu::always_inline]] void add_whole(index_t n, factors a, factors b) noexcept {
        T sums[lanes]; // in registers
        std::copy_n(sums_, lanes, sums);
        for (index_t i = 0; i < n; i += lanes)
            for (index_t lane = 0; lane < lanes; ++lane)
                add_product(sums[lane], a[i + lane], b[i + lane]);
        std::copy_n(sums, lanes, sums_);
    }

    bool conj_a_, conj_b_;
    T sums_[lanes] = {};
    index_t next_ = 0; ///< the lane of the next term
};

/// If the first mode has runs of at least this length, the operand is summed in place; otherwise it
/// is copied.
constexpr index_t least_run = 16;

bool begins_with_runs(const extents_t &extents, const extents_t &strides) {
    for (std::size_t mode = 0; mode < extents.size(); ++mode)
        if (extents[mode] != 1)
            return strides[mode] == 1 && extents[mode] >= least_run;
    return true;
}

} // namespace

index_t product_loops::group::size() const noexcept {
    return std::accumulate(extents.begin(), extents.end(), index_t{1}, std::multiplies<>());
}

template <class T>
matrix_product<T>::matrix_product(const product_kind &kind, const product_loops &loops, int threads,
                                  const context &ctx)
    : kind_(kind), batch_(loops.of(label_class::batch).extents),
      m_(loops.of(label_class::m).size()), n_(loops.of(label_class::n).size()),
      k_(loops.of(label_class::k).size()), batches_(loops.of(label_class::batch).size()),
      threads_(threads) {
    if (batches_ * m_ * n_ == 0 || k_ == 0)
        return;
    a_ = arrange(loops, in_a, label_class::m, label_class::k, ctx);
    if (kind_.form == product_form::copies)
        return;
    if (kind_.has_b) {
        b_ = arrange(loops, in_b, label_class::k, label_class::n, ctx);
    } else { // a single 1 stands for all elements of B
        b_.row_stride = b_.column_stride = 0;
        b_.batch_strides.assign(batch_.size(), 0);
    }
    fuse_modes(batch_, {&a_.batch_strides, &b_.batch_strides}); // those of D always are contiguous
    if (kind_.form == product_form::dots) {
        terms_ = loops.of(label_class::k).extents;
        fuse_modes(terms_, {&a_.term_strides, &b_.term_strides});
        if (terms_.empty())
            terms_ = a_.term_strides = b_.term_strides = {1};
    }
    loop_threads_ = batches_ >= index_t{2} * threads ? threads : 1;
    if (kind_.form == product_form::dots) {
        const double products = static_cast<double>(batches_) * static_cast<double>(k_);
        const double bytes = 2 * sizeof(T) * products; // of A and B
        const base::machine_rates &rates = base::rates_of(ctx);
        dot_seconds_ =
            std::max(gemm_impl::least_seconds(data_type_of<T>, products, loop_threads_, rates),
                     bytes / base::traffic(base::machine_of(ctx), rates, sizeof(T))
                                 .bandwidth(bytes, rates.memory_bandwidth, loop_threads_));
        return;
    }
    gemm_impl::gemm_plan_options options = gemm_impl::gemm_plan_options::from(ctx);
    options.threads = loop_threads_ > 1 ? 1 : threads;
    options.back = backend::native;
    options.same_for_all_shapes = true;
    gemm_.emplace(gemm_impl::gemm_shape{data_type_of<T>, m_, n_, k_, a_.row_stride,
                                        a_.column_stride, b_.row_stride, b_.column_stride, 1, m_,
                                        kind_.conj_a, kind_.conj_b},
                  options);
    gemm_seconds_ = gemm_->predicted_seconds(options);
}

template <class T> auto matrix_product<T>::arrange(const product_loops &loops, std::size_t which,
                                                   label_class rows, label_class columns,
                                                   const context &ctx) const -> operand {
    operand result;
    const auto &row = loops.of(rows);
    const auto &column = loops.of(columns);
    const auto &batch = loops.of(label_class::batch);
    const auto row_stride = fused_stride(row.extents, row.strides[which]);
    const auto column_stride = fused_stride(column.extents, column.strides[which]);
    result.batch_strides = batch.strides[which];
    const auto &terms = loops.of(label_class::k);
    result.term_strides = terms.strides[which];
    const data_type type = which == in_a ? kind_.type_a : kind_.type_b;
    const bool as_it_is = type == data_type_of<T>;
    if (kind_.form == product_form::dots && as_it_is &&
        begins_with_runs(terms.extents, result.term_strides))
        return result;
    if (row_stride && column_stride && as_it_is && kind_.form != product_form::copies) {
        result.row_stride = *row_stride;
        result.column_stride = *column_stride;
        return result;
    }
    extents_t extents;
    extents_t strides;
    for (const auto *group : {&row, &column, &batch}) {
        extents.insert(extents.end(), group->extents.begin(), group->extents.end());
        strides.insert(strides.end(), group->strides[which].begin(), group->strides[which].end());
    }
    std::vector<int> same(extents.size());
    std::iota(same.begin(), same.end(), 0);
    const layout from(extents, strides);
    const layout to(extents);
    const bool conjugated = kind_.form == product_form::copies && kind_.conj_a;
    result.copy.emplace(same, type, from, data_type_of<T>, to, conjugated,
                        transpose_options{.threads = threads_, .ctx = &ctx});
    result.copied = to.size();
    result.row_stride = 1;
    result.column_stride = row.size();
    result.term_strides = layout(terms.extents).strides(); // for dots, whose rows are terms
    index_t stride = row.size() * column.size();
    for (std::size_t mode = 0; mode < batch_.size(); ++mode) {
        result.batch_strides[mode] = stride;
        stride *= batch_[mode];
    }
    return result;
}

template <class T> index_t matrix_product<T>::workspace_size() const noexcept {
    constexpr auto element = static_cast<index_t>(sizeof(T));
    index_t size = base::aligned_bytes(b_.copied * element);
    if (kind_.form != product_form::copies) // copies go straight to D
        size += base::aligned_bytes(a_.copied * element);
    if (gemm_)
        size += loop_threads_ * base::aligned_bytes(gemm_->workspace_size().value);
    return size;
}

template <class T> double matrix_product<T>::seconds() const noexcept {
    double sum = dot_seconds_;
    for (const operand *one : {&a_, &b_})
        if (one->copy)
            sum += one->copy->predicted_seconds();
    if (gemm_)
        sum += gemm_seconds_ * static_cast<double>(batches_) / loop_threads_;
    return sum;
}

template <class T> std::string matrix_product<T>::describe() const {
    if (kind_.form != product_form::matrices)
        return kind_.form == product_form::dots ? "dot products in 16 lanes" : "copies";
    if (!gemm_)
        return "nothing to sum";
    return gemm_->describe() + (a_.copy ? ", A copied" : "") + (b_.copy ? ", B copied" : "");
}

template <class T> std::size_t matrix_product<T>::footprint() const noexcept {
    std::size_t sum = sizeof *this + base::allocated_by(batch_) + base::allocated_by(terms_);
    for (const operand *one : {&a_, &b_}) {
        sum += base::allocated_by(one->batch_strides) + base::allocated_by(one->term_strides);
        if (one->copy)
            sum += internals::of(*one->copy).footprint();
    }
    return sum;
}

template <class T> status matrix_product<T>::run(const void *a, const void *b, T *d,
                                                 std::span<std::byte> workspace) const noexcept {
    if (batches_ * m_ * n_ == 0)
        return {};
    if (k_ == 0) {
        std::fill_n(d, batches_ * m_ * n_, T(0));
        return {};
    }
    if (kind_.form == product_form::copies)
        return a_.copy->execute(scalar(1), a, scalar(0), d);
    base::arena memory(workspace);
    status result;
    const auto matrices_of = [&](const operand &one, const void *given) {
        if (!one.copy || !result.ok())
            return static_cast<const T *>(given);
        const base::work_part untold(0); // the products tell
        T *copy = memory.take<T>(one.copied);
        result = one.copy->execute(scalar(1), given, scalar(0), copy);
        return static_cast<const T *>(copy);
    };
    const T *const from_a = matrices_of(a_, a);
    const T *const from_b = kind_.has_b ? matrices_of(b_, b) : &base::one_as<T>;
    if (!result.ok())
        return result;
    if (kind_.form == product_form::dots)
        dot(from_a, from_b, d);
    else
        multiply(from_a, from_b, d, memory.rest().data());
    return {};
}

/// Calls use(thread, a, b, d) for every product; the threads share the products.
template <class T> template <class Use> void
matrix_product<T>::for_each_batch(const T *a, const T *b, T *d, const Use &use) const noexcept {
    base::run_parallel(loop_threads_, [&](base::team_member me) {
        const index_t row = batch_.empty() ? 1 : batch_[0]; // positions along the first mode
        const index_t step_a = batch_.empty() ? 0 : a_.batch_strides[0];
        const index_t step_b = batch_.empty() ? 0 : b_.batch_strides[0];
        const auto run = [&](base::range mine) {
            for (index_t i = mine.begin; i < mine.end;) {
                const index_t first = i % row;
                const T *from_a = a + first * step_a;
                const T *from_b = b + first * step_b;
                index_t rest = i / row;
                for (std::size_t mode = 1; mode < batch_.size(); ++mode) {
                    from_a += rest % batch_[mode] * a_.batch_strides[mode];
                    from_b += rest % batch_[mode] * b_.batch_strides[mode];
                    rest /= batch_[mode];
                }
                const index_t end = std::min(mine.end, i - first + row);
                for (; i < end; ++i, from_a += step_a, from_b += step_b)
                    use(me.id(), from_a, from_b, d + i * m_ * n_);
            }
        };
        base::in_watched_parts(base::split(batches_, me.size(), me.id()), batches_, run);
    });
}

template <class T> void matrix_product<T>::multiply(const T *a, const T *b, T *d,
                                                    std::byte *workspace) const noexcept {
    const index_t each = base::aligned_bytes(gemm_->workspace_size().value);
    for_each_batch(a, b, d, [&](int thread, const T *one, const T *other, T *to) {
        gemm_->execute({.alpha = 1.0,
                        .a = one,
                        .b = other,
                        .beta = 0.0,
                        .d = to,
                        .workspace = workspace + thread * each});
    });
}

template <class T> void matrix_product<T>::dot(const T *a, const T *b, T *d) const noexcept {
    for_each_batch(a, b, d, [&](int, const T *one, const T *other, T *to) {
        lane_sum<T> sum(kind_.conj_a, kind_.conj_b);
        const auto add = [&](const auto &again, std::size_t mode, const T *x, const T *y) -> void {
            const index_t step_x = a_.term_strides[mode];
            const index_t step_y = b_.term_strides[mode];
            if (mode == 0)
                return sum.add(terms_[0], x, step_x, y, step_y);
            for (index_t i = 0; i < terms_[mode]; ++i)
                again(again, mode - 1, x + i * step_x, y + i * step_y);
        };
        add(add, terms_.size() - 1, one, other);
        *to = sum.total();
    });
}

#define TENFOLD_INSTANTIATE(T, name) template class matrix_product<T>;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::reproducible_impl
