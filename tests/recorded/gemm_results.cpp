// Matrix products, alone, mixed and in batches: all shapes, strides, conjugations and factors.
#include <sstream>

#include <gtest/gtest.h>

#include <tenfold/epilogue.hpp>
#include <tenfold/gemm_batch.hpp>
#include <tenfold/gemm_mixed.hpp>

#include "recorded/reals.hpp"
#include "recorded/recording.hpp"
#include "recorded/results.hpp"

namespace tenfold::testing {
namespace {

constexpr std::uint64_t gemm_seed = 2001;
constexpr std::uint64_t batch_seed = 2002;

struct sizes {
    index_t m, n, k;
};

/// Draws small shapes, nearly square ones, ones with one or two short sides, and sums that are cut
/// into leaves.
sizes random_sizes(random_source &random, int number) {
    const auto up_to = [&](index_t most) { return random.integer(1, most); };
    switch (number % 5) {
    case 0:
        return {up_to(24), up_to(24), up_to(24)};
    case 1:
        return {up_to(200), up_to(200), up_to(200)};
    case 2: {
        sizes s{up_to(300), up_to(300), up_to(200)};
        s.*random.pick<index_t sizes::*>({&sizes::m, &sizes::n, &sizes::k}) = up_to(4);
        return s;
    }
    case 3:
        return {up_to(24), up_to(24),
                random.chance(0.5) ? random.integer(200, 3000) : random.integer(6200, 26'000)};
    default: {
        sizes s{1, 1, 1};
        s.*random.pick<index_t sizes::*>({&sizes::m, &sizes::n, &sizes::k}) = up_to(30'000);
        s.*random.pick<index_t sizes::*>({&sizes::m, &sizes::n, &sizes::k}) = up_to(20);
        return s;
    }
    }
}

/// By columns or rows, padded, with gaps, of any sign; inputs may have zero strides.
layout random_matrix(random_source &random, index_t rows, index_t columns, bool only_read) {
    const index_t gap = random.chance(0.75) ? 1 : random.integer(2, 3);
    const index_t padding = random.chance(0.5) ? 0 : random.integer(1, 9);
    const bool by_columns = random.chance(0.5);
    index_t row_stride = by_columns ? gap : columns * gap + padding;
    index_t column_stride = by_columns ? rows * gap + padding : gap;
    if (random.chance(0.1))
        row_stride = -row_stride;
    if (random.chance(0.1))
        column_stride = -column_stride;
    if (only_read && random.chance(0.04))
        column_stride = 0;
    return {{rows, columns}, {row_stride, column_stride}};
}

template <class T> matrix_view<T> view_of(real_numbers<std::remove_const_t<T>> &numbers) {
    const layout &shape = numbers.shape();
    return {numbers.data(), shape.extent(0), shape.extent(1), shape.stride(0), shape.stride(1)};
}

/// Draws the options that both kinds of product share.
template <class T> gemm_options random_options(random_source &random, const context &ctx) {
    gemm_options options;
    constexpr bool complex = !std::is_integral_v<T> && !std::is_floating_point_v<T>;
    if (std::is_integral_v<T>) {
        options.alpha = static_cast<double>(random.integer(-3, 3));
        options.beta = static_cast<double>(random.integer(-3, 3));
    } else {
        options.alpha = random_factor(random, complex);
        options.beta = random.chance(0.4) ? 0.0 : random_factor(random, complex);
    }
    options.conj_a = complex && random.chance(0.3);
    options.conj_b = complex && random.chance(0.3);
    options.ctx = &ctx;
    return options;
}

template <class Out> epilogue random_finish(random_source &random) {
    epilogue finish;
    finish.scale(0.7);
    if constexpr (std::is_floating_point_v<Out>)
        finish.apply(random.pick<elementwise>({elementwise::relu, elementwise::exp,
                                               elementwise::tanh, elementwise::sigmoid,
                                               elementwise::gelu_tanh, elementwise::gelu_erf}));
    return finish;
}

/// Describes a case for printing.
std::string text_of(const layout &a, const layout &b, const layout &c,
                    const gemm_options &options) {
    std::ostringstream text;
    text << "A " << a.describe() << ", B " << b.describe() << ", C " << c.describe() << ", alpha "
         << options.alpha << ", beta " << options.beta << ", conj " << options.conj_a
         << options.conj_b << (options.epilogue != nullptr ? ", epilogue" : "");
    return text.str();
}

/// `multiply(a, b, c, options)` is a call of gemm().
template <class In, class Out, class Multiply> std::string
line_of_products(const recorded_row &row, const std::string &type, const Multiply &multiply) {
    group_hash all(row.name + " " + type);
    for (int number = 0; number < row.cases; ++number) {
        random_source random(gemm_seed, number);
        const sizes s = random_sizes(random, number);
        real_numbers<In> a(random_matrix(random, s.m, s.k, true), random, random.integer(0, 3));
        real_numbers<In> b(random_matrix(random, s.k, s.n, true), random, random.integer(0, 3));
        real_numbers<Out> c(random_matrix(random, s.m, s.n, false), random, random.integer(0, 3));
        gemm_options options = random_options<Out>(random, row.ctx);
        const epilogue finish = random_finish<Out>(random);
        if (!std::is_integral_v<Out> && random.chance(0.2))
            options.epilogue = &finish;
        multiply(view_of<const In>(a), view_of<const In>(b), view_of<Out>(c), options);
        bits_hash one;
        one.add_elements(c.data(), sizeof(Out), c.shape());
        all.add(number, one, [&] { return text_of(a.shape(), b.shape(), c.shape(), options); });
    }
    return type + " " + all.text();
}

template <class T> std::string line_of_one_type(const recorded_row &row) {
    return line_of_products<T, T>(row, std::string(name(data_type_of<T>)),
                                  [](const auto &a, const auto &b, const auto &c,
                                     const gemm_options &options) { gemm<T>(a, b, c, options); });
}

std::string line_of_bf16(const recorded_row &row, const std::string &title, bf16_sums sums) {
    return line_of_products<bf16, float>(
        row, title,
        [sums](const auto &a, const auto &b, const auto &c, const gemm_options &options) {
            gemm(a, b, c, options, sums);
        });
}

/// The matrices of a batch: one after the other, sometimes with a gap, or all the same.
layout random_batch(random_source &random, index_t rows, index_t columns, index_t count,
                    bool only_read) {
    const layout one = random_matrix(random, rows, columns, only_read);
    index_t stride = one.highest() - one.lowest() + 1 + (random.chance(0.5) ? 0 : 5);
    if (only_read && random.chance(0.15))
        stride = 0;
    return {{rows, columns, count}, {one.stride(0), one.stride(1), stride}};
}

template <class T> matrix_batch<T> batch_of(real_numbers<std::remove_const_t<T>> &numbers) {
    return matrix_batch<T>::strided(view_of<T>(numbers), numbers.shape().extent(2),
                                    numbers.shape().stride(2));
}

template <class T> std::string line_of_batches(const recorded_row &row) {
    const std::string type(name(data_type_of<T>));
    group_hash all(row.name + " " + type);
    for (int number = 0; number < row.cases; ++number) {
        random_source random(batch_seed, number);
        const auto most = random.pick<index_t>({6, 20, 50});
        const auto extent = [&] { return random.integer(1, most); };
        const index_t m = extent(), n = extent(), k = extent();
        const bool sums = random.chance(0.5);
        const index_t count = random.integer(1, sums && most < 20 ? 4000 : 60);
        real_numbers<T> a(random_batch(random, m, k, count, true), random);
        real_numbers<T> b(random_batch(random, k, n, count, true), random);
        real_numbers<T> c(random_batch(random, m, n, sums ? 1 : count, false), random);
        const gemm_options options = random_options<T>(random, row.ctx);
        if (sums)
            gemm_batch_reduce<T>(batch_of<const T>(a), batch_of<const T>(b), view_of<T>(c),
                                 options);
        else
            gemm_batch<T>(batch_of<const T>(a), batch_of<const T>(b), batch_of<T>(c), options);
        bits_hash one;
        one.add_elements(c.data(), sizeof(T), c.shape());
        all.add(number, one, [&] {
            return (sums ? "sum: " : "") + text_of(a.shape(), b.shape(), c.shape(), options);
        });
    }
    return type + " " + all.text();
}

} // namespace

lines gemm_results(const recorded_row &row) {
    const auto call = [](const auto &a, const auto &b, const auto &c, const gemm_options &options) {
        gemm(a, b, c, options);
    };
    return {line_of_one_type<float>(row),
            line_of_one_type<double>(row),
            line_of_one_type<c32>(row),
            line_of_one_type<c64>(row),
            line_of_bf16(row, "bf16-widened", bf16_sums::widened),
            line_of_bf16(row, "bf16-dot", bf16_sums::dot_products),
            line_of_products<f16, float>(row, "f16", call),
            line_of_products<std::int8_t, std::int32_t>(row, "i8", call)};
}

lines batch_results(const recorded_row &row) {
    return {line_of_batches<float>(row), line_of_batches<double>(row), line_of_batches<c32>(row),
            line_of_batches<c64>(row)};
}

} // namespace tenfold::testing
