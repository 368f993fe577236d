// Tests every kernel of small, skinny and summed products that this machine runs, each on its own,
// next to protected pages: every cut of a tile, bit for bit against the reference.
#include <array>

#include "base/checked.hpp"
#include "gemm/kernels/registry.hpp"
#include "gemm/matrices.hpp"
#include "support/fenced.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_shape;
using gemm_impl::kernel_info;
using gemm_impl::micro_kernel;
using gemm_impl::reduced_product;
using gemm_impl::skinny_product;
using gemm_impl::small_product;

/// Memory for any matrix of these tests: whole pages with a protected page at both ends.
class room {
public:
    /// Returns the address at which `elements` elements end, or begin, at a protected page.
    template <class T> T *place(index_t elements, side fence) {
        const index_t offset =
            fence == side::begin ? 0 : bytes - elements * static_cast<index_t>(sizeof(T));
        EXPECT_GE(offset, 0);
        return reinterpret_cast<T *>(memory_.data() + offset);
    }

private:
    static constexpr index_t bytes = 1 << 20;
    fenced_memory memory_{bytes, side::begin};
};

struct layout {
    index_t rows, columns, row_stride, column_stride;

    index_t low() const {
        return std::min<index_t>(0, (rows - 1) * row_stride) +
               std::min<index_t>(0, (columns - 1) * column_stride);
    }
    index_t elements() const {
        return (rows - 1) * std::abs(row_stride) + (columns - 1) * std::abs(column_stride) + 1;
    }
};

/// A matrix next to a protected page; `filling` is between its elements.
template <class T> class fenced_matrix {
public:
    fenced_matrix(room &where, side fence, const layout &shape, T filling)
        : shape_(shape), first_(where.place<T>(shape.elements(), fence)) {
        std::fill_n(first_, shape.elements(), filling);
    }
    T *data() const { return first_ - shape_.low(); }
    template <class F> void set(F &&value) {
        for (index_t j = 0; j < shape_.columns; ++j)
            for (index_t i = 0; i < shape_.rows; ++i)
                value(data()[i * shape_.row_stride + j * shape_.column_stride]);
    }
    std::vector<T> copy() const { return {first_, first_ + shape_.elements()}; }
    index_t origin() const { return -shape_.low(); }

private:
    layout shape_;
    T *first_;
};

struct rooms {
    room a, b, d, sums;
};

/// B has any strides: by columns, by rows, with gaps, negative, zero.
layout random_b(random_source &random, index_t k, index_t n) {
    const index_t gap = random.chance(0.7) ? 1 : 2;
    layout b{k, n, gap, k * gap + random.integer(0, 3)};
    if (random.chance(0.4))
        b = {k, n, n * gap + random.integer(0, 3), gap};
    if (random.chance(0.1))
        b.row_stride = -b.row_stride;
    if (random.chance(0.1))
        b.column_stride = -b.column_stride;
    if (random.chance(0.05))
        b.row_stride = b.column_stride = 0;
    return b;
}

constexpr std::array names = {"small", "tall", "wide", "deep", "reduced"};

/// Tests kernel number `way` of `names` on a random product of this size.
template <class T> void check(const kernel_info &info, std::size_t way, index_t m, index_t n,
                              index_t k, rooms &where, random_source &random) {
    const micro_kernel &kernel = *info.kernel;
    const side fence = random.chance(0.8) ? side::end : side::begin;
    const index_t count = names[way] == std::string_view("reduced") ? random.integer(1, 4) : 1;
    const T alpha = base::scalar_cast<T>(random_scalar<T>(random));
    const T beta = base::scalar_cast<T>(random_scalar<T>(random));
    const bool conj_a = random.chance(0.5);
    const bool conj_b = random.chance(0.5);
    // The matrices of a batch-reduce sum are side by side in one matrix with `count` times as many
    // steps.
    const layout of_a{m, k * count, 1, m + random.integer(0, 3)};
    const layout of_b = random_b(random, k * count, n);
    const bool streams = names[way] == std::string_view("tall") && random.chance(0.3);
    constexpr index_t line = 64 / static_cast<index_t>(sizeof(T));
    const layout of_d{m, n, 1, streams ? base::round_up(m, line) : m + random.integer(0, 3)};
    fenced_matrix<T> a(where.a, fence, of_a, not_a_number<T>());
    fenced_matrix<T> b(where.b, fence, of_b, not_a_number<T>());
    fenced_matrix<T> d(where.d, streams ? side::begin : fence, of_d, T(-77));
    const auto any = [&](T &x) { x = small_integer<T>(random); };
    a.set(any);
    b.set(any);
    d.set([&](T &x) { x = beta == T(0) ? not_a_number<T>() : small_integer<T>(random); });

    // What earlier steps have summed, which a tall product adds before alpha.
    const bool adds = names[way] == std::string_view("tall") && random.chance(0.5);
    const layout of_sums{m, n, 1, m + random.integer(0, 3)};
    fenced_matrix<T> sums(where.sums, fence, of_sums, not_a_number<T>());
    sums.set(any);

    std::vector<T> should = d.copy();
    const gemm_shape shape{data_type_of<T>,
                           m,
                           n,
                           k * count,
                           1,
                           of_a.column_stride,
                           of_b.row_stride,
                           of_b.column_stride,
                           1,
                           of_d.column_stride,
                           conj_a,
                           conj_b};
    gemm_impl::reference_gemm(shape, alpha, a.data(), b.data(), beta, should.data() + d.origin());
    if (adds)
        for (index_t j = 0; j < n; ++j)
            for (index_t i = 0; i < m; ++i)
                should[static_cast<std::size_t>(i + j * of_d.column_stride)] +=
                    alpha * sums.data()[i + j * of_sums.column_stride];
    for (T &x : should)
        x += T{}; // no -0

    const small_product product{m,
                                n,
                                k,
                                a.data(),
                                of_a.column_stride,
                                b.data(),
                                of_b.row_stride,
                                of_b.column_stride,
                                &alpha,
                                &beta,
                                d.data(),
                                of_d.column_stride,
                                conj_a,
                                conj_b,
                                streams};
    if (way == 4) {
        const index_t offset = random.integer(0, 5);
        std::vector<const void *> first, second;
        for (index_t i = 0; i < count; ++i) {
            first.push_back(a.data() + i * k * of_a.column_stride);
            second.push_back(b.data() + i * k * of_b.row_stride - offset);
        }
        const reduced_product sum{product, count, first.data(), second.data(), offset};
        kernel.multiply_reduced(&sum);
    } else if (way == 0) {
        kernel.multiply_small(&product);
    } else {
        const std::array ways = {kernel.skinny.tall, kernel.skinny.wide, kernel.skinny.deep};
        // The kernel prefetches the tiles of a product that follows.
        const bool ends = random.chance(0.5);
        skinny_product tested{product};
        if (!ends) {
            tested.next_a = a.data();
            tested.next_b = b.data();
            tested.next_d = d.data();
        }
        if (adds) {
            tested.sums = sums.data();
            tested.sums_step = of_sums.column_stride;
        }
        ways[way - 1](&tested);
    }
    d.set([](T &x) { x += T{}; });
    const std::vector<T> is = d.copy();
    EXPECT_EQ(std::memcmp(is.data(), should.data(), is.size() * sizeof(T)), 0)
        << info.name << ' ' << names[way] << ", m n k " << m << ' ' << n << ' ' << k << " times "
        << count << ", steps " << of_a.column_stride << ", " << of_b.row_stride << ' '
        << of_b.column_stride << ", " << of_d.column_stride << ", alpha " << alpha << ", beta "
        << beta << ", conj " << conj_a << conj_b << (streams ? ", streams" : "")
        << (adds ? ", adds sums" : "");
}

/// Sweeps up to a register past a whole tile, then past two; up to two tiles and a column.
template <class T> void sweep(const kernel_info &info, int &number) {
    rooms where;
    for (index_t m = 1; m <= 2 * info.mr + info.kernel->vector_length + 1; ++m) {
        if (m > info.mr + info.kernel->vector_length + 1 && m < 2 * info.mr)
            continue;
        for (index_t n = 1; n <= 2 * info.nr + 1; ++n) {
            if (!runs(number++))
                continue;
            SCOPED_TRACE(rerun_line(number - 1));
            random_source random(number - 1);
            const std::size_t ways = info.kernel->multiply_reduced == nullptr ? 1 : names.size();
            for (std::size_t way = 0; way < ways; ++way)
                check<T>(info, way, m, n, random.pick<index_t>({1, 2, 3, 5, 16, 17, 40}), where,
                         random);
            if (::testing::Test::HasFailure())
                return;
        }
    }
}

template <class T> void sweep_all(int &number) {
    for (const kernel_info &info : gemm_impl::kernels())
        if (info.type == data_type_of<T> && gemm_impl::runs(this_machine(), info))
            sweep<T>(info, number);
}

TEST(GemmSmallKernels, EveryCutOfATileStaysWithinItsMatrices) {
    int number = 0;
    for_each_type([&]<class T>(T) { sweep_all<T>(number); });
    EXPECT_GT(number, 0);
}

} // namespace
} // namespace tenfold::testing
