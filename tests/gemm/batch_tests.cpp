// Compares batches and batch-reduce sums with reference_gemm, bit for bit: every variant, type and
// instruction set.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tenfold/epilogue.hpp>
#include <tenfold/gemm_batch.hpp>

#include "gemm/forms/batch.hpp"
#include "gemm/forms/reduce.hpp"
#include "gemm/matrices.hpp"
#include "support/fenced.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_shape;
using gemm_impl::reduce_form;
using gemm_impl::reduce_plan;

/// A context for each instruction set of this machine.
const std::vector<std::unique_ptr<context>> &contexts() {
    static const auto all = [] {
        std::vector<std::unique_ptr<context>> made;
        for (const isa set : this_machine().isas) {
            settings chosen;
            chosen.isa = set;
            made.push_back(std::make_unique<context>(chosen));
        }
        return made;
    }();
    return all;
}

enum class variant { strides, offsets, addresses };

/// The layout of a batch: strides within a matrix, and from one matrix to the next.
struct batch_layout {
    index_t rows, columns, row_stride, column_stride, count, stride;

    index_t low() const { return sum(-1); }
    index_t high() const { return sum(1); }

private:
    index_t sum(int sign) const {
        const auto part = [&](index_t extent, index_t step) {
            const index_t reach = std::max<index_t>(0, extent - 1) * step;
            return reach * sign > 0 ? reach : 0;
        };
        return part(rows, row_stride) + part(columns, column_stride) + part(count, stride);
    }
};

/// Matrices follow one another with or without a gap, in either direction; sometimes their elements
/// alternate; inputs sometimes share one matrix.
batch_layout random_layout(random_source &random, index_t rows, index_t columns, index_t count,
                           bool only_read) {
    auto [rs, cs] = random_strides(random, rows, columns, only_read);
    batch_layout one{rows, columns, rs, cs, 1, 0};
    const index_t extent = one.high() - one.low() + 1;
    if (only_read && random.chance(0.15))
        return {rows, columns, rs, cs, count, 0};
    const index_t turns = std::max<index_t>(1, count);
    if (random.chance(0.15))
        return {rows, columns, rs * turns, cs * turns, count, 1};
    const index_t stride = extent + (random.chance(0.5) ? 0 : random.integer(1, 9));
    return {rows, columns, rs, cs, count, random.chance(0.2) ? -stride : stride};
}

/// The memory of a batch, NaN or -77 between its elements, and one of its descriptions.
template <class T> class stored_batch {
public:
    stored_batch(const batch_layout &layout, variant how, T filling, random_source &random)
        : layout_(layout), how_(how),
          data_(static_cast<std::size_t>(layout.high() - layout.low() + 1 + 2 * margin), filling) {
        for (index_t i = 0; i < layout.count; ++i)
            order_.push_back(i);
        if (how != variant::strides)
            random.shuffle(order_);
        for (const index_t i : order_) {
            offsets_.push_back(i * layout.stride);
            addresses_.push_back(origin() + i * layout.stride);
        }
    }
    stored_batch(const stored_batch &) = delete;

    /// The i-th matrix in the order of the batch.
    T *matrix(index_t i) { return origin() + order_[static_cast<std::size_t>(i)] * layout_.stride; }
    T &at(index_t i, index_t r, index_t c) {
        return matrix(i)[r * layout_.row_stride + c * layout_.column_stride];
    }
    template <class F> void set(F &&f) {
        for (index_t i = 0; i < layout_.count; ++i)
            for (index_t r = 0; r < layout_.rows; ++r)
                for (index_t c = 0; c < layout_.columns; ++c)
                    at(i, r, c) = f(at(i, r, c));
    }

    template <class U> matrix_batch<U> view() {
        const matrix_view<U> first(origin(), layout_.rows, layout_.columns, layout_.row_stride,
                                   layout_.column_stride);
        switch (how_) {
        case variant::strides:
            break;
        case variant::offsets:
            return matrix_batch<U>::at_offsets(first, offsets_);
        case variant::addresses:
            return matrix_batch<U>::at_addresses(
                {nullptr, first.rows, first.columns, first.row_stride, first.column_stride},
                std::span<T *const>(addresses_));
        }
        return matrix_batch<U>::strided(first, layout_.count, layout_.stride);
    }
    std::vector<T> &memory() { return data_; }

private:
    static constexpr index_t margin = 40;
    T *origin() { return data_.data() + margin - layout_.low(); }

    batch_layout layout_;
    variant how_;
    std::vector<T> data_;
    std::vector<index_t> order_, offsets_;
    std::vector<T *> addresses_;
};

template <class T> bool same_bits(const std::vector<T> &x, const std::vector<T> &y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

variant random_variant(random_source &random) {
    return random.pick<variant>({variant::strides, variant::offsets, variant::addresses});
}

struct extents {
    index_t m, n, k, count;
};

template <class T> T filled(random_source &random, scalar beta) {
    return beta == scalar{} ? not_a_number<T>() : small_integer<T>(random);
}

gemm_shape shape_of(data_type type, const batch_layout &a, const batch_layout &b,
                    const batch_layout &c, const gemm_options &options) {
    return {type,
            a.rows,
            b.columns,
            a.columns,
            a.row_stride,
            a.column_stride,
            b.row_stride,
            b.column_stride,
            c.row_stride,
            c.column_stride,
            options.conj_a && is_complex(type),
            options.conj_b && is_complex(type)};
}

template <class T> gemm_options random_options(random_source &random) {
    return {.alpha = random_scalar<T>(random),
            .beta = random_scalar<T>(random),
            .conj_a = random.chance(0.3),
            .conj_b = random.chance(0.3),
            .threads = random.pick<int>({1, 3}),
            .ctx = contexts()[static_cast<std::size_t>(
                                  random.integer(0, static_cast<index_t>(contexts().size()) - 1))]
                       .get()};
}

template <class T> void check_batch(const extents &e, random_source &random) {
    gemm_options options = random_options<T>(random);
    const batch_layout la = random_layout(random, e.m, e.k, e.count, true);
    const batch_layout lb = random_layout(random, e.k, e.n, e.count, true);
    const batch_layout lc = random_layout(random, e.m, e.n, e.count, false);
    stored_batch<T> a(la, random_variant(random), not_a_number<T>(), random);
    stored_batch<T> b(lb, random_variant(random), not_a_number<T>(), random);
    stored_batch<T> c(lc, random_variant(random), T(-77), random);
    const auto integer = [&](T) { return small_integer<T>(random); };
    a.set(integer);
    b.set(integer);
    c.set([&](T) { return filled<T>(random, options.beta); });
    epilogue finish;
    finish.scale(2.0);
    if (random.chance(0.3))
        options.epilogue = &finish;

    const std::vector<T> before = c.memory();
    const gemm_shape shape = shape_of(data_type_of<T>, la, lb, lc, options);
    for (index_t i = 0; i < e.count; ++i)
        reference_gemm(shape, options.alpha, a.matrix(i), b.matrix(i), options.beta, c.matrix(i));
    c.set([&](T x) { return (options.epilogue != nullptr ? x * T(2) : x) + T{}; });
    const std::vector<T> should = c.memory();
    c.memory() = before; // in place, because the batch points into it
    gemm_batch<T>(a.template view<const T>(), b.template view<const T>(), c.template view<T>(),
                  options);
    c.set([](T x) { return x + T{}; });
    EXPECT_TRUE(same_bits(c.memory(), should))
        << name(data_type_of<T>) << " m n k count " << e.m << ' ' << e.n << ' ' << e.k << ' '
        << e.count << ", alpha " << options.alpha << ", beta " << options.beta << ", threads "
        << options.threads << ", " << name(options.ctx->isa());
}

template <class T> void check_reduce(const extents &e, random_source &random) {
    gemm_options options = random_options<T>(random);
    const batch_layout la = random_layout(random, e.m, e.k, e.count, true);
    const batch_layout lb = random_layout(random, e.k, e.n, e.count, true);
    const batch_layout lc = random_layout(random, e.m, e.n, 1, false);
    const bool by_stride = random.chance(0.5); // in both: one product of a longer k
    stored_batch<T> a(la, by_stride ? variant::strides : random_variant(random), not_a_number<T>(),
                      random);
    stored_batch<T> b(lb, by_stride ? variant::strides : random_variant(random), not_a_number<T>(),
                      random);
    stored_batch<T> c(lc, variant::strides, T(-77), random);
    const auto integer = [&](T) { return small_integer<T>(random); };
    a.set(integer);
    b.set(integer);
    c.set([&](T) { return filled<T>(random, options.beta); });
    std::vector<T> bias(static_cast<std::size_t>(e.m));
    for (T &one : bias)
        one = small_integer<T>(random);
    epilogue finish;
    finish.add_along_columns(bias.data(), e.m).scale(2.0);
    if (random.chance(0.3))
        options.epilogue = &finish;

    const std::vector<T> before = c.memory();
    gemm_shape shape = shape_of(data_type_of<T>, la, lb, lc, options);
    shape.k = e.count > 0 ? e.k : 0;
    for (index_t i = 0; i < std::max<index_t>(1, e.count); ++i)
        reference_gemm(shape, options.alpha, e.count > 0 ? a.matrix(i) : nullptr,
                       e.count > 0 ? b.matrix(i) : nullptr, i == 0 ? options.beta : 1.0,
                       c.matrix(0));
    for (index_t i = 0; i < e.m; ++i)
        for (index_t j = 0; j < e.n; ++j) {
            T &x = c.at(0, i, j);
            if (options.epilogue != nullptr)
                x = (x + bias[static_cast<std::size_t>(i)]) * T(2);
            x += T{};
        }
    const std::vector<T> should = c.memory();
    c.memory() = before;
    gemm_batch_reduce<T>(a.template view<const T>(), b.template view<const T>(),
                         c.template view<T>().layout(), options);
    c.set([](T x) { return x + T{}; });
    EXPECT_TRUE(same_bits(c.memory(), should))
        << name(data_type_of<T>) << " m n k count " << e.m << ' ' << e.n << ' ' << e.k << ' '
        << e.count << ", alpha " << options.alpha << ", beta " << options.beta << ", threads "
        << options.threads << ", " << name(options.ctx->isa());
}

extents random_extents(random_source &random, int test_case) {
    const auto extent = [&] { return random.integer(1, random.chance(0.2) ? 70 : 20); };
    extents e{extent(), extent(), extent(), random.integer(1, 12)};
    switch (test_case % 8) {
    case 0: // an empty product of either kind
        *random.pick<index_t *>({&e.m, &e.n, &e.k, &e.count}) = 0;
        break;
    case 1:
        *random.pick<index_t *>({&e.m, &e.n, &e.k}) = 1;
        break;
    case 2: // large enough for a team
        e = {random.integer(90, 130), random.integer(90, 130), random.integer(90, 130),
             random.integer(1, 4)};
        break;
    case 3:
        e.count = random.integer(100, 700);
        break;
    default:
        break;
    }
    return e;
}

TEST(gemm_batch, equals_the_reference) {
    for (const int i : cases(300)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        for_each_type([&]<class T>(T) { check_batch<T>(random_extents(random, i), random); });
        if (HasFailure())
            return;
    }
}

TEST(gemm_batch, reduce_equals_the_reference) {
    for (const int i : cases(400)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        for_each_type([&]<class T>(T) {
            extents e = random_extents(random, i);
            if (i % 8 == 6) // columns are shared among the team
                e = {random.integer(50, 90), random.integer(50, 90), random.integer(20, 40),
                     random.integer(15, 25)};
            if (i % 8 == 7) { // cut into leaves
                e.k = random.integer(40, 60);
                e.count = random.integer(120, 200);
            }
            check_reduce<T>(e, random);
        });
        if (HasFailure())
            return;
    }
}

TEST(gemm_batch, few_large_products_are_shared_and_many_small_ones_dealt_out) {
    const auto options = plan_options(this_machine().best_isa(), 4);
    const auto square = [](index_t n) {
        return gemm_shape{data_type::f64, n, n, n, 1, n, 1, n, 1, n};
    };
    EXPECT_EQ(gemm_impl::batch_plan(square(16), 10000, options).dealt(), 10000);
    EXPECT_EQ(gemm_impl::batch_plan(square(16), 10000, options).team(), 4);
    EXPECT_EQ(gemm_impl::batch_plan(square(16), 2, options).team(), 1);
    EXPECT_EQ(gemm_impl::batch_plan(square(600), 2, options).dealt(), 0);
    EXPECT_EQ(gemm_impl::batch_plan(square(600), 6, options).dealt(), 4);
}

TEST(gemm_batch, ways_of_summing) {
    const auto options = plan_options(this_machine().best_isa(), 2);
    const gemm_shape s{data_type::f64, 20, 20, 20, 1, 20, 20, 1, 1, 20};
    EXPECT_EQ(reduce_plan({s, 30, 400, 400}, options).form(), reduce_form::longer_k);
    gemm_shape turns = s;
    turns.row_stride_a = 30 * 20;
    turns.column_stride_a = 30;
    turns.row_stride_b = 30;
    turns.column_stride_b = 30 * 20;
    EXPECT_EQ(reduce_plan({turns, 30, 1, 1}, options).form(), reduce_form::longer_k);
    gemm_shape c64_shape = s;
    c64_shape.type = data_type::c64;
    EXPECT_EQ(reduce_plan({c64_shape, 30, 401, 400}, options).form(), reduce_form::chain);
    const reduce_plan apart({s, 30, 401, 400}, options);
    EXPECT_EQ(apart.form(), reduce_form::in_registers);
    EXPECT_EQ(apart.leaves(), 1);
    EXPECT_GT(reduce_plan({s, 3000, 401, 400}, options).leaves(), 1);
}

TEST(gemm_batch, results_do_not_depend_on_the_threads) {
    random_source random(0);
    for (const auto &[n, count] : {std::pair<index_t, index_t>{24, 700}, {40, 90}, {150, 7}}) {
        std::vector<double> a(static_cast<std::size_t>(n * (n + 1) * count));
        for (double &one : a)
            one = random.real() - 0.5;
        const auto matrices = matrix_batch<const double>::strided(
            matrix_view<const double>(a.data(), n, n), count, n * (n + 1));
        std::vector<double> one(static_cast<std::size_t>(n * n)), other(one);
        std::vector<double> many(static_cast<std::size_t>(n * n * count)), again(many);
        gemm_batch_reduce(matrices, matrices, matrix_view<double>(one.data(), n, n),
                          {.threads = 1});
        gemm_batch(
            matrices, matrices,
            matrix_batch<double>::strided(matrix_view<double>(many.data(), n, n), count, n * n),
            {.threads = 1});
        for (const int threads : {2, 3, 4}) {
            gemm_batch_reduce(matrices, matrices, matrix_view<double>(other.data(), n, n),
                              {.threads = threads});
            EXPECT_TRUE(same_bits(one, other)) << n << " on " << threads;
            gemm_batch(matrices, matrices,
                       matrix_batch<double>::strided(matrix_view<double>(again.data(), n, n), count,
                                                     n * n),
                       {.threads = threads});
            EXPECT_TRUE(same_bits(many, again)) << n << " on " << threads;
        }
    }
}

TEST(gemm_batch, sums_read_nothing_but_their_matrices) {
    for (const side fence : {side::begin, side::end})
        for (const index_t m : {1, 3, 4, 8, 15, 17, 31, 50})
            for (const index_t n : {1, 5, 9}) {
                const index_t k = 3;
                constexpr index_t size = sizeof(float);
                fenced_memory a(m * k * size, fence), b(k * n * size, fence),
                    c(m * n * size, fence);
                auto *const x = reinterpret_cast<float *>(a.data());
                auto *const y = reinterpret_cast<float *>(b.data());
                auto *const z = reinterpret_cast<float *>(c.data());
                std::fill_n(x, m * k, 2.0F);
                std::fill_n(y, k * n, 3.0F);
                const auto xs = matrix_batch<const float>::strided({x, m, k}, 4, 0);
                const auto ys = matrix_batch<const float>::strided({y, k, n}, 4, 0);
                for (const auto &ctx : contexts()) {
                    std::fill_n(z, m * n, 1.0F);
                    gemm_batch_reduce(xs, ys, matrix_view<float>(z, m, n),
                                      {.beta = 1.0, .ctx = ctx.get()});
                    EXPECT_EQ(std::count(z, z + m * n, static_cast<float>(4 * 6 * k + 1)), m * n)
                        << name(ctx->isa()) << ' ' << m << ' ' << n;
                }
            }
}

} // namespace
} // namespace tenfold::testing
