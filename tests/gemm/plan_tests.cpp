// Compares whole multiplications by gemm_plan with the reference, bit for bit.
#include "gemm/matrices.hpp"

#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "gemm/kernels/registry.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::blocking;
using gemm_impl::gemm_form;
using gemm_impl::gemm_plan;

index_t random_extent(random_source &random) {
    return random.chance(0.3)   ? random.integer(1, 8)
           : random.chance(0.6) ? random.integer(1, 70)
                                : random.integer(60, 260);
}

template <class T> void run_random_case(random_source &random) {
    const gemm_impl::gemm_shape s =
        random_shape(random, random_extent(random), random_extent(random), random_extent(random));
    const gemm_case<T> c(s, random_scalar<T>(random), random_scalar<T>(random), random);
    auto options =
        plan_options(random.pick(this_machine().isas), static_cast<int>(random.integer(1, 4)));
#if defined(TENFOLD_HAVE_BLIS)
    if (random.chance(0.2))
        options.back = backend::blis;
#endif
    // Tiny blocks run every loop several times; the larger cases below do so with the machine's own
    // blocks.
    if (random.chance(0.6))
        options.blocks =
            blocking{0, 0, random.integer(1, 70), random.integer(1, 130), random.integer(1, 90)};
    if (random.chance(0.3))
        options.whole.d = 1 << 30; // D bypasses the caches wherever that is possible
    const gemm_plan plan(c.shape, options);
    c.check(plan);
}

TEST(gemm_plan, random_shapes_and_strides) {
    for (const int i : cases(800)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        switch (i % 4) {
        case 0:
            run_random_case<float>(random);
            break;
        case 1:
            run_random_case<double>(random);
            break;
        case 2:
            run_random_case<c32>(random);
            break;
        default:
            run_random_case<c64>(random);
        }
        if (HasFailure())
            return;
    }
}

TEST(gemm_plan, larger_than_every_block) {
    random_source random(0);
    for_each_type([&]<class T>(T) {
        for (const isa one : this_machine().isas)
            for (const int threads : {1, 2, 3}) {
                gemm_impl::gemm_shape s;
                s.m = 301;
                s.n = 203;
                s.k = 601;
                s.row_stride_a = 1;
                s.column_stride_a = s.m + 2;
                s.row_stride_b = s.n;
                s.column_stride_b = 1;
                s.row_stride_d = 1;
                s.column_stride_d = s.m;
                const gemm_case<T> c(s, 1.0, 1.0, random);
                c.check(gemm_plan(c.shape, plan_options(one, threads)));
            }
    });
}

TEST(gemm_plan, long_sums_are_cut) {
    for (const int i : cases(16)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        for_each_type([&]<class T>(T) {
            // A few tiles of any kernel; 40 x 40 may have enough small tiles for a team.
            const bool few = random.chance(0.5);
            const index_t most = few ? 8 : 40;
            const gemm_impl::gemm_shape s =
                random_shape(random, random.integer(2, most), random.integer(2, most),
                             random.integer(4096, 9000));
            const gemm_case<T> c(s, random_scalar<T>(random), random_scalar<T>(random), random);
            const isa one = random.pick(this_machine().isas);
            const gemm_plan plan(c.shape,
                                 plan_options(one, static_cast<int>(random.integer(1, 4))));
            if (few) {
                EXPECT_EQ(plan.form(), gemm_form::split_k);
            }
            c.check(plan);
        });
        if (HasFailure())
            return;
    }
}

TEST(gemm_plan, a_forced_isa_gives_its_kernel) {
    for (const isa one : this_machine().isas) {
        const gemm_impl::gemm_shape s{data_type::f64, 100, 100, 100, 1, 100, 1, 100, 1, 100};
        const gemm_plan plan(s, plan_options(one));
        EXPECT_EQ(plan.form(), gemm_form::packed);
        const std::string bits = one == isa::sve ? std::to_string(8 * base::sve_bytes()) : "";
        EXPECT_TRUE(plan.kernel_name().ends_with("__" + std::string(name(one)) + bits))
            << plan.kernel_name();
        EXPECT_NE(plan.describe().find(plan.kernel_name()), std::string::npos);
    }
}

TEST(gemm_plan, blis_does_what_it_accepts) {
    auto options = plan_options(this_machine().best_isa());
    options.back = backend::blis;
    gemm_impl::gemm_shape s{data_type::f64, 50, 50, 50, 1, 50, 1, 50, 1, 50};
#if defined(TENFOLD_HAVE_BLIS)
    EXPECT_EQ(gemm_plan(s, options).kernel_name(), "blis");
    s.row_stride_a = -1; // BLIS does not support it and would abort
    EXPECT_EQ(gemm_plan(s, options).form(), gemm_form::packed);
#else
    EXPECT_THROW(gemm_plan(s, options), error);
#endif
}

TEST(gemm_plan, row_major_results_are_computed_transposed) {
    // Row-major operands are as good as column-major ones: the same workspace, the same prediction.
    const gemm_impl::gemm_shape columns{data_type::f64, 96, 96, 96, 1, 96, 1, 96, 1, 96};
    const gemm_impl::gemm_shape rows = columns.transposed();
    const auto options = plan_options(this_machine().best_isa());
    EXPECT_EQ(gemm_plan(columns, options).predicted_seconds(options),
              gemm_plan(rows, options).predicted_seconds(options));
}

TEST(gemm_plan, errors) {
    const auto options = plan_options(this_machine().best_isa());
    EXPECT_THROW(gemm_plan({data_type::bf16, 2, 2, 2, 1, 2, 1, 2, 1, 2}, options), error);
    try {
        gemm_plan({data_type::f32, 2, -2, 2, 1, 2, 1, 2, 1, 2}, options);
        FAIL();
    } catch (const error &e) {
        EXPECT_EQ(e.code(), errc::invalid_argument);
        EXPECT_STREQ(e.what(), "GEMM extents m, n, k = 2, -2, 2: none may be negative");
    }
}

TEST(gemm_plan, sizes_beyond_64_bits) {
    const auto options = plan_options(this_machine().best_isa());
    const index_t most = index_t{1} << 60; // a copy of the second vector has 2^63 bytes
    for (const index_t k : {most, most - 1}) {
        try {
            const gemm_plan plan({data_type::f64, 1, 1, k, 0, 0, 0, 0, 1, 1}, options);
            ADD_FAILURE() << plan.workspace_size().value;
        } catch (const error &e) {
            EXPECT_EQ(e.code(), errc::overflow);
        }
    }
    EXPECT_GT(gemm_plan({data_type::f64, 1, 1, most / 2, 0, 0, 0, 0, 1, 1}, options)
                  .workspace_size()
                  .value,
              0);
}

/// The last register of rows has one lane in use, so that D's transpose takes fewer registers.
TEST(gemm_plan, rows_that_leave_lanes_idle_are_streamed) {
    for (const isa one : this_machine().isas)
        for (const data_type type : {data_type::f32, data_type::f64}) {
            const gemm_impl::micro_kernel &kernel = *gemm_impl::select(type, one)->kernel;
            if (kernel.skinny.tall == nullptr)
                continue;
            const index_t m = 100 * kernel.vector_length + 1;
            const index_t n = 4 * kernel.nr / kernel.vector_length * kernel.vector_length;
            const index_t k = 20000;
            gemm_impl::gemm_shape s{type, m, n, k, 1, m, 1, k, 1, m};
            EXPECT_TRUE(gemm_impl::orient(s, kernel.vector_length).transposed) << name(one);
            EXPECT_EQ(gemm_plan(s, plan_options(one)).form(), gemm_form::streamed) << name(one);
            // Rows of B lie like columns of its transpose, which turned products read in place.
            s.row_stride_b = n;
            s.column_stride_b = 1;
            EXPECT_EQ(gemm_plan(s, plan_options(one)).form(), gemm_form::packed) << name(one);
        }
}

/// Kernels of skinny products count columns in 32 bits.
TEST(gemm_plan, columns_beyond_32_bits_are_not_streamed) {
    for (const isa one : this_machine().isas) {
        gemm_impl::gemm_shape s{data_type::f64, 8, index_t{1} << 20, 8, 1, 8, 1, 8, 1, 8};
        EXPECT_EQ(gemm_plan(s, plan_options(one)).form(), gemm_form::streamed) << name(one);
        for (const index_t n : {index_t{1} << 31, (index_t{1} << 32) + 5}) {
            s.n = n;
            EXPECT_EQ(gemm_plan(s, plan_options(one)).form(), gemm_form::packed) << name(one);
        }
    }
}

/// Larger than the caches: columns that are aligned to cache lines may be written past them.
template <class T> void check_tall(isa set, index_t n, index_t k, random_source &random) {
    constexpr index_t line = 64 / static_cast<index_t>(sizeof(T));
    const index_t m = (24 << 20) / ((n + k) * static_cast<index_t>(sizeof(T))) + 13;
    const index_t step = base::round_up(m, line) + line;
    const T beta(random.chance(0.7) ? 0 : 2);
    const gemm_case<T> c({data_type_of<T>, m, n, k, 1, m, 1, k, 1, step}, 1, 0, random);
    const guarded_matrix<T> product = c.expected();
    std::vector<T> memory(static_cast<std::size_t>(n * step + 2 * line));
    for (const index_t offset : {index_t{0}, line / 2, index_t{1}})
        for (const bool finishes : {false, true}) {
            const gemm_plan plan(c.shape,
                                 plan_options(set, static_cast<int>(random.integer(1, 3))));
            epilogue steps;
            steps.scale(3.0);
            const gemm_impl::fused_epilogue finish(steps, data_type_of<T>, m, n, set);
            std::vector<std::byte> workspace(static_cast<std::size_t>(plan.workspace_size().value) +
                                             64);
            const auto to_line = [](auto *p) {
                const auto past = reinterpret_cast<std::uintptr_t>(p) % 64;
                return p + (64 - past) % 64 / sizeof(*p);
            };
            std::fill(memory.begin(), memory.end(), T(-77));
            T *const d = to_line(memory.data()) + offset;
            plan.execute({.alpha = 1.0,
                          .a = c.a.data(),
                          .b = c.b.data(),
                          .beta = beta,
                          .d = d,
                          .workspace = to_line(workspace.data()),
                          .finish = finishes ? &finish : nullptr});
            index_t wrong = 0;
            for (index_t j = 0; j < n; ++j)
                for (index_t i = 0; i < step; ++i) {
                    const T sum = i < m ? product.data()[i + j * step] + beta * T(-77) : T(-77);
                    wrong += d[i + j * step] != (finishes && i < m ? 3 * sum : sum);
                }
            EXPECT_EQ(wrong, 0) << plan.describe() << ", offset " << offset << ", beta " << beta
                                << ", epilogue " << finishes;
        }
}

TEST(gemm_plan, tall_products_larger_than_caches) {
    random_source random(0);
    for (const isa one : this_machine().isas)
        for (const auto &[n, k] : {std::pair<index_t, index_t>{7, 3}, {41, 2}}) {
            check_tall<float>(one, n, k, random);
            check_tall<double>(one, n, k, random);
        }
}

/// Twice as many columns are multiplied in place if two registers are one cache line of D.
TEST(gemm_plan, columns_that_bypass_caches) {
    base::machine machine = this_machine();
    machine.l3.size = index_t{32} << 20; // some keep all of D
    for (const isa one : this_machine().isas)
        for (const data_type type : {data_type::f32, data_type::f64}) {
            const index_t m = 200000;
            gemm_impl::gemm_shape s{type, m, 48, 24, 1, m, 1, 24, 1, m};
            const gemm_impl::micro_kernel &kernel = *gemm_impl::select(type, one)->kernel;
            const bool halves = 2 * kernel.vector_length * size_of(type) == 64 &&
                                kernel.mr * size_of(type) % 64 == 0;
            auto options = plan_options(one);
            options.machine = &machine;
            const auto form = [&] { return gemm_plan(s, options).form(); };
            const gemm_form in_general =
                s.n <= 4 * kernel.nr ? gemm_form::streamed : gemm_form::packed;
            EXPECT_EQ(form(), halves && s.n <= 8 * kernel.nr ? gemm_form::streamed : in_general);
            s.column_stride_d = m + 1;
            EXPECT_EQ(form(), in_general) << name(one);
            s.column_stride_d = m;
            s.m = 2000;
            EXPECT_EQ(form(), in_general) << name(one);
        }
}

/// A is streamed from memory, a few columns at a time, and D is updated again and again; k is
/// shorter and longer than m.
TEST(gemm_plan, columns_that_pass_by) {
    random_source random(0);
    for (const isa one : this_machine().isas)
        for (const auto &[m, n, k] : {std::array<index_t, 3>{1700, 13, 403}, {801, 9, 1702}}) {
            const gemm_impl::gemm_shape s{data_type::f64, m, n, k, 1, m, 1, k, 1, m};
            const gemm_case<double> c(s, 2.0, -1.0, random);
            for (const int threads : {1, 3}) {
                const gemm_plan plan(c.shape, plan_options(one, threads));
                // Several threads may divide a long k in another way.
                const bool fits = gemm_impl::select(data_type::f64, one)->kernel->nr > 4;
                EXPECT_TRUE(threads > 1 || !fits || plan.form() == gemm_form::streamed)
                    << name(one) << ' ' << plan.describe();
                c.check(plan);
            }
        }
}

} // namespace
} // namespace tenfold::testing
