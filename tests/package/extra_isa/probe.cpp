// probe VARIANT...: the kernels of this build are those of these variants, best first; each
// computes what plain loops do, and isa::generic is served by the first.
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "contract/products/kernels/vector_abi.hpp"
#include "gemm/kernels/registry.hpp"
#include "simd/kernel_table.hpp"
#include "transpose/kernels/kernel_abi.hpp"

TENFOLD_DECLARE_KERNELS(transpose_copies, tenfold::transpose_impl::copy_kernels)
TENFOLD_DECLARE_KERNELS(contract_vector_loops, tenfold::contract_impl::vector_kernel_set)

namespace {

using namespace tenfold;

int failures = 0;

void check(bool good, std::string_view what, std::string_view where) {
    if (good)
        return;
    ++failures;
    std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(where.size()), where.data(),
                 static_cast<int>(what.size()), what.data());
}

/// Small integers, so that every order of summation gives the same.
std::vector<double> numbers(std::int64_t count, int start) {
    std::vector<double> x;
    for (std::int64_t i = 0; i < count; ++i)
        x.push_back(static_cast<double>((start + 7 * i) % 11 - 5));
    return x;
}

void multiply(const gemm_impl::kernel_info &kernel) {
    constexpr std::int64_t m = 13, n = 7, k = 9; // parts of registers and of tiles
    const std::vector<double> a = numbers(m * k, 1), b = numbers(k * n, 4);
    std::vector<double> d = numbers(m * n, 2);
    const std::vector<double> before = d;
    const double alpha = 2, beta = -1;
    gemm_impl::small_product product{.m = m,
                                     .n = n,
                                     .k = k,
                                     .a = a.data(),
                                     .a_step = m,
                                     .b = b.data(),
                                     .b_step_k = 1,
                                     .b_step_n = k,
                                     .alpha = &alpha,
                                     .beta = &beta,
                                     .d = d.data(),
                                     .d_step = m};
    kernel.kernel->multiply_small(&product);
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) {
            double sum = 0;
            for (std::int64_t p = 0; p < k; ++p)
                sum +=
                    a[static_cast<std::size_t>(i + p * m)] * b[static_cast<std::size_t>(p + j * k)];
            const auto at = static_cast<std::size_t>(i + j * m);
            check(d[at] == 2 * sum - before[at], "a wrong product", kernel.name);
        }
}

void dot(const contract_impl::vector_kernel_set &kernels, std::string_view name) {
    const std::vector<double> a = numbers(67, 3), b = numbers(67, 8);
    double d = 5;
    double expected = 5;
    for (std::size_t i = 0; i < a.size(); ++i)
        expected += a[i] * b[i];
    kernels.f64.dot(
        {67, 1, a.data(), b.data(), &d, 1, 1, 1, 0, 0, 0, {1, 0}, {1, 0}, false, false});
    check(d == expected, "a wrong dot product", name);
}

void scale(const transpose_impl::copy_kernels &kernels, std::string_view name) {
    using transpose_impl::operation;
    std::vector<double> y = numbers(21, 6);
    const std::vector<double> before = y;
    kernels.scale_f64(reinterpret_cast<char *>(y.data() + 1), 19 * 8,
                      {operation::term::absent,
                       operation::term::straight,
                       false,
                       transpose_impl::store_kind::plain,
                       {},
                       {},
                       {3, 3},
                       {}});
    for (std::size_t i = 0; i < y.size(); ++i)
        check(y[i] == (i == 0 || i == 20 ? before[i] : 3 * before[i]), "wrongly scaled", name);
}

} // namespace

int main(int count, char **arguments) {
    const std::vector<std::string_view> expected(arguments + 1, arguments + count);
    std::vector<std::string_view> listed;
    for (const simd::variant &one : simd::variants())
        listed.push_back(one.name);
    check(listed == expected, "other variants are listed", "the build");
    if (failures > 0 || expected.empty())
        return 1;

    std::size_t products = 0;
    for (const gemm_impl::kernel_info &one : gemm_impl::kernels()) {
        check(one.name.ends_with("__" + std::string(one.variant.name)), "a wrong name", one.name);
        check(one.variant.isa == isa::generic, "another instruction set", one.name);
        if (one.type == data_type::f64) {
            check(one.variant.name == expected[products], "another order of kernels", one.name);
            multiply(one);
            ++products;
        }
    }
    check(products == expected.size(), "kernels of f64 are missing", "the registry");
    for (const data_type type : {data_type::f32, data_type::f64, data_type::c32, data_type::c64})
        check(gemm_impl::select(type, isa::generic)->variant.name == expected.front(),
              "isa::generic has another kernel", "the registry");

    const auto loops = TENFOLD_KERNEL_TABLE(contract_vector_loops);
    const auto copies = TENFOLD_KERNEL_TABLE(transpose_copies);
    for (const simd::variant &one : simd::variants()) {
        dot(*loops.compiled_for(one), one.name);
        scale(*copies.compiled_for(one), one.name);
    }
    check(loops.find(isa::generic).variant.name == expected.front(), "not found", "vector loops");
    check(copies.find(isa::generic).variant.name == expected.front(), "not found", "copies");
    std::printf("%zu kernels of matrix products\n", gemm_impl::kernels().size());
    return failures == 0 ? 0 : 1;
}
