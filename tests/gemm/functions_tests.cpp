// Tests the functions of epilogues against long double: accuracy, special values, and that the
// result does not depend on an element's place.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gemm/matrices.hpp"

namespace tenfold::testing {
namespace {

using element_kernel_info = simd::table_entry<gemm_impl::element_kernel_set>;
using gemm_impl::element_kernels;

constexpr std::array functions{elementwise::relu,    elementwise::exp,       elementwise::tanh,
                               elementwise::sigmoid, elementwise::gelu_tanh, elementwise::gelu_erf};

/// The bounds of <tenfold/epilogue.hpp>, in units in the last place.
double stated_error(elementwise function) {
    switch (function) {
    case elementwise::relu:
        return 0;
    case elementwise::exp:
        return 1.5;
    case elementwise::tanh:
    case elementwise::sigmoid:
        return 3;
    case elementwise::gelu_tanh:
        return 4;
    case elementwise::gelu_erf:
        return 7;
    }
    return 0;
}

using wide = long double;

/// exp(x) / (1 + exp(x)) without overflow.
wide logistic(wide x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }

wide exact(elementwise function, wide x) {
    const wide pi = std::acos(wide(-1));
    switch (function) {
    case elementwise::relu:
        return x < 0 ? 0 : x;
    case elementwise::exp:
        return std::exp(x);
    case elementwise::tanh:
        return std::tanh(x);
    case elementwise::sigmoid:
        return logistic(x);
    case elementwise::gelu_tanh:
        return x * logistic(2 * std::sqrt(2 / pi) * (x + wide(0.044715L) * x * x * x));
    case elementwise::gelu_erf:
        return x / 2 * std::erfc(-x * std::sqrt(wide(0.5)));
    }
    return 0;
}

/// |is - should| in units in the last place of `should` as a T.
template <class T> double error_in_ulps(T is, wide should) {
    using limits = std::numeric_limits<T>;
    const T rounded = static_cast<T>(should);
    if (std::isinf(rounded) || std::isinf(is) || std::isnan(is))
        return is == rounded ? 0 : std::numeric_limits<double>::infinity();
    int exponent = 0;
    std::frexp(should, &exponent);
    const wide unit =
        std::ldexp(wide(1), std::max(exponent, limits::min_exponent) - limits::digits);
    return static_cast<double>(std::abs(static_cast<wide>(is) - should) / unit);
}

/// Arguments of every kind: dense around 0, where the functions are curved, out to where they are
/// constant, and of every exponent.
template <class T> T argument(random_source &random) {
    using limits = std::numeric_limits<T>;
    const double far = sizeof(T) == 4 ? 106 : 750;
    const std::vector<double> reaches{0.7, 2, 8, 40, far};
    double x = random.chance(0.8)
                   ? random.real() * random.pick(reaches)
                   : std::ldexp(1 + random.real(), static_cast<int>(random.integer(
                                                       limits::min_exponent - limits::digits, 4)));
    return static_cast<T>(random.chance(0.5) ? x : -x);
}

template <class T> const element_kernels &of_type(const element_kernel_info &info) {
    if constexpr (sizeof(T) == 4)
        return info.kernels->f32;
    else
        return info.kernels->f64;
}

template <class T> void apply(const element_kernel_info &info, elementwise function, T *d,
                              index_t m, index_t n = 1, index_t column_stride = 0) {
    const gemm_impl::element_tile tile{m, n, d, column_stride};
    of_type<T>(info).functions[static_cast<int>(function)](&tile);
}

std::vector<element_kernel_info> runnable() {
    std::vector<element_kernel_info> found;
    for (const element_kernel_info &one : gemm_impl::element_kernel_table())
        if (runs(this_machine(), one.variant))
            found.push_back(one);
    return found;
}

template <class F> void for_each_real_type(F &&f) {
    f(float{});
    f(double{});
}

TEST(gemm_functions, are_as_accurate_as_stated) {
    if (std::numeric_limits<wide>::digits <= std::numeric_limits<double>::digits)
        GTEST_SKIP() << "long double is double here";
    for (const int i : cases(150)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        for_each_real_type([&]<class T>(T) {
            std::vector<T> x(2003);
            for (T &one : x)
                one = argument<T>(random);
            for (const elementwise function : functions) {
                std::vector<wide> should(x.size());
                for (std::size_t p = 0; p < x.size(); ++p)
                    should[p] = exact(function, x[p]);
                for (const element_kernel_info &info : runnable()) {
                    std::vector<T> is = x;
                    apply(info, function, is.data(), static_cast<index_t>(is.size()));
                    for (std::size_t p = 0; p < x.size(); ++p)
                        ASSERT_LE(error_in_ulps(is[p], should[p]), stated_error(function))
                            << info.kernels->name << ' ' << name(function) << '('
                            << static_cast<double>(x[p]) << ") = " << static_cast<double>(is[p]);
                }
            }
        });
        if (HasFailure())
            return;
    }
}

TEST(gemm_functions, special_values) {
    for_each_real_type([]<class T>(T) {
        using limits = std::numeric_limits<T>;
        const T infinity = limits::infinity();
        const T largest = limits::max();
        const T least = limits::denorm_min();
        struct row {
            elementwise function;
            T at, is;
        };
        const std::vector<row> table{
            {elementwise::relu, infinity, infinity},
            {elementwise::relu, -infinity, 0},
            {elementwise::relu, -least, 0},
            {elementwise::relu, least, least},
            {elementwise::relu, -T(0), -T(0)},
            {elementwise::exp, infinity, infinity},
            {elementwise::exp, -infinity, 0},
            {elementwise::exp, largest, infinity},
            {elementwise::exp, -largest, 0},
            {elementwise::exp, 0, 1},
            {elementwise::exp, -T(0), 1},
            {elementwise::exp, least, 1},
            {elementwise::tanh, infinity, 1},
            {elementwise::tanh, -infinity, -1},
            {elementwise::tanh, largest, 1},
            {elementwise::tanh, 0, 0},
            {elementwise::tanh, -T(0), -T(0)},
            {elementwise::tanh, least, least},
            {elementwise::tanh, -least, -least},
            {elementwise::sigmoid, infinity, 1},
            {elementwise::sigmoid, -infinity, 0},
            {elementwise::sigmoid, largest, 1},
            {elementwise::sigmoid, -largest, 0},
            {elementwise::sigmoid, 0, T(0.5)},
            {elementwise::gelu_tanh, infinity, infinity},
            {elementwise::gelu_tanh, -infinity, -T(0)},
            {elementwise::gelu_tanh, largest, largest},
            {elementwise::gelu_tanh, -largest, -T(0)},
            {elementwise::gelu_tanh, 0, 0},
            {elementwise::gelu_erf, infinity, infinity},
            {elementwise::gelu_erf, -infinity, -T(0)},
            {elementwise::gelu_erf, largest, largest},
            {elementwise::gelu_erf, -largest, -T(0)},
            {elementwise::gelu_erf, 0, 0},
        };
        for (const element_kernel_info &info : runnable()) {
            for (const row &one : table) {
                T d = one.at;
                apply(info, one.function, &d, 1);
                EXPECT_TRUE(d == one.is && std::signbit(d) == std::signbit(one.is))
                    << info.kernels->name << ' ' << name(one.function) << '('
                    << static_cast<double>(one.at) << ") = " << static_cast<double>(d);
            }
            for (const elementwise function : functions) {
                T d = limits::quiet_NaN();
                apply(info, function, &d, 1);
                EXPECT_TRUE(std::isnan(d)) << info.kernels->name << ' ' << name(function);
            }
        }
    });
}

TEST(gemm_functions, do_not_depend_on_the_place) {
    random_source random(0);
    SCOPED_TRACE(rerun_line(0));
    for_each_real_type([&]<class T>(T) {
        for (const element_kernel_info &info : runnable())
            for (const elementwise function : functions)
                for (const index_t m : {1, 2, 7, 15, 16, 17, 33}) {
                    // Three columns with a gap after each; every element is also computed alone.
                    const index_t stride = m + 3;
                    std::vector<T> before(static_cast<std::size_t>(3 * stride));
                    for (T &one : before)
                        one = argument<T>(random);
                    std::vector<T> after = before;
                    apply(info, function, after.data(), m, 3, stride);
                    for (std::size_t p = 0; p < before.size(); ++p) {
                        T alone = before[p];
                        if (static_cast<index_t>(p) % stride < m)
                            apply(info, function, &alone, 1);
                        EXPECT_EQ(std::memcmp(&alone, &after[p], sizeof(T)), 0)
                            << info.kernels->name << ' ' << name(function) << " of " << m;
                    }
                }
    });
}

} // namespace
} // namespace tenfold::testing
