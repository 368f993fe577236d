// Tests every micro-kernel that this machine runs, one micro-tile at a time, against the
// definition.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>

#include "gemm/forms/small.hpp"
#include "gemm/kernels/registry.hpp"
#include "gemm/matrices.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::delayed_tile;
using gemm_impl::kernel_info;
using gemm_impl::line_runs;
using gemm_impl::micro_tile;
using gemm_impl::panel_source;

std::vector<const kernel_info *> runnable_kernels(data_type type) {
    std::vector<const kernel_info *> found;
    for (const kernel_info &one : gemm_impl::kernels())
        if (one.type == type && gemm_impl::runs(this_machine(), one))
            found.push_back(&one);
    return found;
}

/// 64-byte aligned panels between canaries, filled with values that must be overwritten.
template <class T> struct panels {
    explicit panels(index_t size)
        : memory(static_cast<std::size_t>(size) * sizeof(T) + 192, std::byte{0xcd}) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
        first = memory.data() + 64 + (64 - address % 64) % 64;
        bytes = static_cast<std::size_t>(size) * sizeof(T);
    }
    void expect_canaries() const {
        for (const std::byte *p = memory.data(); p < first; ++p)
            EXPECT_EQ(*p, std::byte{0xcd});
        for (const std::byte *p = first + bytes; p < memory.data() + memory.size(); ++p)
            EXPECT_EQ(*p, std::byte{0xcd});
    }
    std::vector<std::byte> memory;
    std::byte *first;
    std::size_t bytes;
};

/// Rows of a packed panel of real numbers, `height` apart from step to step, beyond the extent are
/// zero; a panel that is not padded holds the same rows and touches nothing beyond a whole one.
template <class T> void check_padding(void (*pack)(const panel_source *, void *),
                                      panel_source source, index_t height,
                                      const panels<T> &padded) {
    panels<T> other(height * source.k);
    source.padded = false;
    pack(&source, other.first);
    other.expect_canaries();
    const auto *expected = reinterpret_cast<const T *>(padded.first);
    const auto *found = reinterpret_cast<const T *>(other.first);
    for (index_t p = 0; p < source.k; ++p)
        for (index_t i = 0; i < height; ++i)
            if (i < source.extent)
                ASSERT_EQ(found[p * height + i], expected[p * height + i]) << i << ", step " << p;
            else
                ASSERT_EQ(expected[p * height + i], T(0)) << i << ", step " << p;
}

/// A small product reads no row beyond m of a panel that is not padded: those are NaN.
template <class T> void check_copied(const kernel_info &info, const gemm_case<T> &c) {
    const gemm_impl::gemm_shape &s = c.shape;
    std::vector<T> a(static_cast<std::size_t>(info.mr * s.k), std::numeric_limits<T>::quiet_NaN());
    const panel_source source{c.a.data(),        s.m,   s.k,  s.row_stride_a,
                              s.column_stride_a, false, false};
    info.kernel->pack_a(&source, a.data());
    guarded_matrix<T> d = c.d;
    const T alpha = base::scalar_cast<T>(c.alpha);
    const T beta = base::scalar_cast<T>(c.beta);
    gemm_impl::small_product product = gemm_impl::small_product_of(s);
    product.a = a.data();
    product.a_step = info.mr;
    product.b = c.b.data();
    product.alpha = &alpha;
    product.beta = &beta;
    product.d = d.data();
    info.kernel->multiply_small(&product);
    drop_negative_zeros(d, s.m, s.n);
    EXPECT_TRUE(d.same_bits(c.expected()))
        << info.name << ", m n k " << s.m << ' ' << s.n << ' ' << s.k;
}

enum class way { packed, fetching, direct };

template <class T> void check_tile(const kernel_info &info, const gemm_case<T> &c, way how) {
    SCOPED_TRACE(std::string(info.name) + (how == way::direct     ? " direct"
                                           : how == way::fetching ? " fetching"
                                                                  : ""));
    const gemm_impl::gemm_shape &s = c.shape;
    panels<T> a(info.mr * s.k);
    panels<T> b(info.nr * s.k);
    const panel_source source_a{c.a.data(), s.m, s.k, s.row_stride_a, s.column_stride_a, s.conj_a};
    const panel_source source_b{c.b.data(), s.n, s.k, s.column_stride_b, s.row_stride_b, s.conj_b};
    info.kernel->pack_a(&source_a, a.first);
    info.kernel->pack_b(&source_b, b.first);
    a.expect_canaries();
    b.expect_canaries();
    if constexpr (!is_complex(data_type_of<T>)) {
        check_padding(info.kernel->pack_a, source_a, info.mr, a);
        check_padding(info.kernel->pack_b, source_b, info.nr, b);
        if (s.row_stride_d == 1 && s.k > 0)
            check_copied(info, c);
    }

    guarded_matrix<T> d = c.d;
    const T alpha = base::scalar_cast<T>(c.alpha);
    const T beta = base::scalar_cast<T>(c.beta);
    micro_tile tile{};
    tile.m = s.m;
    tile.n = s.n;
    tile.k = s.k;
    tile.a = a.first;
    tile.b = b.first;
    tile.alpha = &alpha;
    tile.beta = &beta;
    tile.d = d.data();
    tile.row_stride = s.row_stride_d;
    tile.column_stride = s.column_stride_d;
    if (how == way::direct) {
        tile.a_step = info.mr;
        if (s.row_stride_a == 1 && s.m % info.kernel->vector_length == 0) {
            tile.a = c.a.data();
            tile.a_step = s.column_stride_a;
        }
        tile.b = c.b.data();
        tile.b_step_k = s.row_stride_b;
        tile.b_step_n = s.column_stride_b;
        info.kernel->multiply_direct(&tile);
    } else if (how == way::fetching) {
        // None, fewer and more lines than steps, in runs of three, in memory that is not there.
        line_runs after_a{reinterpret_cast<const char *>(a.first), 2, 3, 4096};
        const auto nowhere = reinterpret_cast<const char *>(std::uintptr_t{4096});
        line_runs after_b{nowhere};
        tile.next_a = {&after_a, s.k % 3 == 0 ? 0 : s.k};
        tile.next_b = {&after_b, s.k / 9};
        const index_t lines = tile.next_a.count, runs = (lines + 1) / 3;
        info.kernel->multiply_fetching(&tile);
        EXPECT_EQ(reinterpret_cast<const std::byte *>(after_a.next) - a.first,
                  lines * line_runs::line + runs * 4096);
        EXPECT_EQ(after_b.next - nowhere, tile.next_b.count * line_runs::line);
    } else {
        info.kernel->multiply(&tile);
    }
    drop_negative_zeros(d, s.m, s.n);
    const guarded_matrix<T> expected = c.expected();
    EXPECT_TRUE(d.same_bits(expected))
        << "m n k " << s.m << ' ' << s.n << ' ' << s.k << ", D's strides " << s.row_stride_d << ' '
        << s.column_stride_d << ", alpha " << c.alpha << ", beta " << c.beta
        << ", first difference at " << d.first_difference(expected);
}

template <class T> void sweep(const kernel_info &info, random_source &random) {
    for (index_t m = 1; m <= info.mr; ++m)
        for (index_t n = 1; n <= info.nr; ++n) {
            for (const index_t k : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 64, 99, 257}) {
                gemm_impl::gemm_shape s = random_shape(random, m, n, k);
                const int kind = static_cast<int>(random.integer(0, 2));
                if (kind == 0)
                    std::tie(s.row_stride_d, s.column_stride_d) = std::pair(1, m);
                if (kind == 1)
                    std::tie(s.row_stride_d, s.column_stride_d) = std::pair(1, m + 5);
                const gemm_case<T> c(s, random_scalar<T>(random), random_scalar<T>(random), random);
                check_tile<T>(info, c, way::packed);
                if (info.kernel->multiply_direct != nullptr)
                    check_tile<T>(info, c, way::direct);
                if (info.kernel->multiply_fetching != nullptr)
                    check_tile<T>(info, c, way::fetching);
                if (::testing::Test::HasFailure())
                    return;
            }
        }
}

TEST(gemm_kernels, every_tile_equals_the_reference) {
    random_source random(0);
    SCOPED_TRACE(rerun_line(0));
    for_each_type([&]<class T>(T) {
        for (const kernel_info *info : runnable_kernels(data_type_of<T>))
            sweep<T>(*info, random);
    });
}

/// A column of tiles, each stored while the next one is computed, equals the same tiles stored at
/// once; short ones, and cut ones among them, are stored at once.
template <class T> void check_delayed(const kernel_info &info, index_t k, random_source &random) {
    constexpr index_t tiles = 4, cut = 2;
    const index_t rows = tiles * info.mr;
    const index_t line = line_runs::line / index_t{sizeof(T)};
    const auto element = [&] { return base::scalar_cast<T>(random_scalar<T>(random)); };
    const T alpha = element(), zero{};
    panels<T> a(rows * k), b(info.nr * k), expected(rows * info.nr), found(rows * info.nr);
    for (panels<T> *one : {&a, &b})
        std::generate_n(reinterpret_cast<T *>(one->first), one->bytes / sizeof(T), element);
    delayed_tile delayed;
    const auto nowhere = reinterpret_cast<const char *>(std::uintptr_t{4096});
    line_runs after_a{nowhere, 2, 3, 4096}, after_b{nowhere};
    index_t lines_a = 0, lines_b = 0;
    const auto multiply = [&](index_t i, panels<T> &to, void (*kernel)(const micro_tile *)) {
        micro_tile tile{};
        tile.m = i == cut ? info.mr - 1 : info.mr;
        tile.n = info.nr;
        tile.k = k;
        tile.a = reinterpret_cast<T *>(a.first) + i * info.mr * k;
        tile.b = b.first;
        tile.alpha = &alpha;
        tile.beta = &zero;
        tile.d = reinterpret_cast<T *>(to.first) + i * info.mr;
        tile.row_stride = 1;
        tile.column_stride = rows;
        tile.streams = true;
        tile.next_a = {&after_a, i * k / 8};
        tile.next_b = {&after_b, i};
        tile.delayed = &delayed;
        kernel(&tile);
        return static_cast<const T *>(tile.d);
    };
    for (index_t i = 0; i < tiles; ++i) {
        multiply(i, expected, info.kernel->multiply);
        const T before = *reinterpret_cast<T *>(found.first + i * info.mr * index_t{sizeof(T)});
        const T *d = multiply(i, found, info.kernel->multiply_fetching);
        lines_a += i * k / 8;
        lines_b += i;
        EXPECT_EQ(after_a.next - nowhere, lines_a * line_runs::line + (lines_a + 1) / 3 * 4096);
        EXPECT_EQ(after_b.next - nowhere, lines_b * line_runs::line);
        const bool waits = i != cut && k >= info.mr / line * info.nr;
        EXPECT_EQ(std::memcmp(d, &before, sizeof before) == 0, waits) << "tile " << i;
        EXPECT_EQ(delayed.d == d, waits) << "tile " << i;
    }
    if (delayed.d != nullptr)
        info.kernel->store_delayed(&delayed);
    EXPECT_EQ(delayed.d, nullptr);
    EXPECT_TRUE(std::equal(expected.first, expected.first + expected.bytes, found.first));
    found.expect_canaries();
}

TEST(gemm_kernels, tiles_on_their_way_past_the_caches) {
    random_source random(2);
    SCOPED_TRACE(rerun_line(2));
    for (const gemm_impl::kernel_info &one : gemm_impl::kernels()) {
        EXPECT_TRUE(one.kernel->store_delayed == nullptr ||
                    one.kernel->multiply_fetching != nullptr)
            << one.name;
        if (one.kernel->store_delayed == nullptr || !gemm_impl::runs(this_machine(), one))
            continue;
        for (const index_t k : {1, 23, 24, 25, 47, 48, 71, 96, 257}) {
            SCOPED_TRACE(std::string(one.name) + ", k " + std::to_string(k));
            if (one.type == data_type::f32)
                check_delayed<float>(one, k, random);
            else
                check_delayed<double>(one, k, random);
        }
    }
}

TEST(gemm_kernels, alpha_and_beta) {
    random_source random(1);
    SCOPED_TRACE(rerun_line(1));
    for_each_type([&]<class T>(T) {
        for (const kernel_info *info : runnable_kernels(data_type_of<T>))
            for (const double alpha : {0.0, 1.0, -1.0, 2.0})
                for (const double beta : {0.0, 1.0, -1.0, 2.0})
                    for (const index_t row_stride : {index_t{1}, index_t{3}})
                        for (const index_t cut : {0, 1}) {
                            gemm_impl::gemm_shape s =
                                random_shape(random, info->mr - cut, info->nr - cut, 11);
                            s.row_stride_d = row_stride;
                            s.column_stride_d = row_stride * info->mr + 1;
                            check_tile<T>(*info, gemm_case<T>(s, alpha, beta, random), way::packed);
                        }
    });
}

TEST(gemm_kernels, names_decode_type_tile_and_isa) {
    std::set<std::string_view> names;
    for (const kernel_info &one : gemm_impl::kernels()) {
        const std::string expected = std::string(name(one.type)) + "_gemm_" +
                                     std::to_string(one.mr) + "x" + std::to_string(one.nr) + "__" +
                                     std::string(one.variant.name);
        EXPECT_EQ(one.name, expected);
        EXPECT_TRUE(names.insert(one.name).second);
        EXPECT_EQ(one.mr % one.kernel->vector_length, 0);
        EXPECT_EQ(one.variant.register_bytes,
                  one.kernel->vector_length * size_of(one.type) / (is_complex(one.type) ? 2 : 1));
    }
    EXPECT_GE(names.size(), 4U);
}

TEST(gemm_kernels, selection) {
    for (const isa wanted : this_machine().isas)
        for (const data_type type :
             {data_type::f32, data_type::f64, data_type::c32, data_type::c64}) {
            const kernel_info *found = gemm_impl::select(type, wanted);
            ASSERT_NE(found, nullptr);
            EXPECT_EQ(found->type, type);
            EXPECT_TRUE(simd::serves(found->variant, wanted)) << found->name;
            EXPECT_TRUE(gemm_impl::runs(this_machine(), *found)) << found->name;
            EXPECT_NE(found->kernel->multiply_small, nullptr);
            EXPECT_EQ(found->kernel->multiply_reduced == nullptr, is_complex(type));
        }
    EXPECT_EQ(gemm_impl::select(data_type::bf16, isa::generic), nullptr);
}

} // namespace
} // namespace tenfold::testing
