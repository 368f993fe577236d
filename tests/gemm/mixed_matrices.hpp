// Mixed products with their data, for every kernel that this machine runs.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gemm/matrices.hpp"
#include "gemm/plan/mixed_plan.hpp"

namespace tenfold::testing {

using gemm_impl::mixed_plan;
using gemm_impl::mixed_product;

/// This machine, and if it has dot products, the same machine without them.
inline std::vector<base::machine> feature_levels() {
    base::machine plain = this_machine();
    if (!plain.avx512_bf16 && !plain.avx512_vnni)
        return {plain};
    plain.avx512_bf16 = plain.avx512_vnni = false;
    return {plain, this_machine()};
}

/// Calls f(options) for every instruction set, with and without dot products.
template <class F> void for_each_platform(F &&f) {
    for (const base::machine &machine : feature_levels())
        for (const isa set : machine.isas) {
            gemm_impl::gemm_plan_options options;
            options.machine = &machine;
            options.instruction_set = set;
            f(options);
        }
}

/// A plan's workspace with the alignment that the plan needs.
class aligned_workspace {
public:
    explicit aligned_workspace(const mixed_plan &plan)
        : memory_(static_cast<std::size_t>(plan.workspace_size().value) + 64) {}
    std::byte *data() {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
        return memory_.data() + (64 - address % 64) % 64;
    }

private:
    std::vector<std::byte> memory_;
};

/// Element types of a product: `in` and `in_b`, of A and B, in the library's interface, `out` as
/// the plan computes it.
struct bf16_types {
    using in = bf16;
    using in_b = bf16;
    using out = float;
};
struct f16_types {
    using in = f16;
    using in_b = f16;
    using out = float;
};
struct i8_types {
    using in = std::int8_t;
    using in_b = std::int8_t;
    using out = std::uint32_t;
};
struct u8_i8_types {
    using in = std::uint8_t;
    using in_b = std::int8_t;
    using out = std::uint32_t;
};
struct i8_u8_types {
    using in = std::int8_t;
    using in_b = std::uint8_t;
    using out = std::uint32_t;
};

struct i32_types {
    using in = std::int32_t;
    using in_b = std::int32_t;
    using out = std::uint32_t;
};

template <class F> void for_each_product(F &&f) {
    f(bf16_types{}, mixed_product::bf16_widened);
    f(bf16_types{}, mixed_product::bf16_dot);
    f(f16_types{}, mixed_product::f16_widened);
    f(i8_types{}, mixed_product::i8);
    f(u8_i8_types{}, mixed_product::u8_i8);
    f(i8_u8_types{}, mixed_product::i8_u8);
    f(i32_types{}, mixed_product::i32);
}

/// The values between the elements of an input: NaN if the type has it.
template <class In> In gap_filling() {
    if constexpr (std::is_integral_v<In>)
        return 77;
    else
        return In(std::numeric_limits<float>::quiet_NaN());
}

/// Numbers whose products and sums are exact in f32, or any integers.
template <class In> In exact_number(random_source &random) {
    if constexpr (std::is_same_v<In, std::int8_t>)
        return static_cast<std::int8_t>(random.chance(0.2) ? -128 : random.integer(-128, 127));
    else if constexpr (std::is_same_v<In, std::uint8_t>)
        return static_cast<std::uint8_t>(random.chance(0.2) ? 255 : random.integer(0, 255));
    else if constexpr (std::is_same_v<In, std::int32_t>)
        return static_cast<std::int32_t>(random.integer(INT32_MIN, INT32_MAX));
    else
        return In(static_cast<float>(random.integer(-3, 3)));
}

template <class Out> Out exact_factor(random_source &random) {
    if constexpr (std::is_same_v<Out, float>)
        return static_cast<float>(random.pick<int>({0, 1, 1, -1, 2}));
    else // large ones, so that integers wrap around
        return random.chance(0.5) ? static_cast<Out>(random.integer(0, 2))
                                  : static_cast<Out>(random.integer(INT32_MIN, INT32_MAX));
}

/// Calls f(workspace) with memory for the plan, and checks that nothing behind it is written.
template <class F> void with_guarded_workspace(const mixed_plan &plan, F &&f) {
    const auto size = static_cast<std::size_t>(plan.workspace_size().value);
    std::vector<std::byte> memory(size + 64 + 64, std::byte{0xab});
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    std::byte *const workspace = memory.data() + (64 - address % 64) % 64;
    f(workspace);
    for (std::byte *past = workspace + size; past < memory.data() + memory.size(); ++past)
        EXPECT_EQ(*past, std::byte{0xab}) << "written past the workspace";
}

/// An exact product: every kernel gives the reference's result, bit for bit.
template <class Types> struct mixed_case {
    using in = typename Types::in;
    using in_b = typename Types::in_b;
    using out = typename Types::out;
    using exact = std::conditional_t<std::is_same_v<out, float>, double, std::uint64_t>;

    gemm_impl::gemm_shape shape;
    guarded_matrix<in> a;
    guarded_matrix<in_b> b;
    guarded_matrix<out> d;
    out alpha, beta;

    mixed_case(const gemm_impl::gemm_shape &s, random_source &random)
        : shape(s), a(s.m, s.k, s.row_stride_a, s.column_stride_a, gap_filling<in>()),
          b(s.k, s.n, s.row_stride_b, s.column_stride_b, gap_filling<in_b>()),
          d(s.m, s.n, s.row_stride_d, s.column_stride_d, out(77)), alpha(exact_factor<out>(random)),
          beta(exact_factor<out>(random)) {
        for (index_t i = 0; i < s.m; ++i)
            for (index_t p = 0; p < s.k; ++p)
                a.at(i, p) = exact_number<in>(random);
        for (index_t p = 0; p < s.k; ++p)
            for (index_t j = 0; j < s.n; ++j)
                b.at(p, j) = exact_number<in_b>(random);
        for (index_t i = 0; i < s.m; ++i)
            for (index_t j = 0; j < s.n; ++j)
                if constexpr (std::is_same_v<out, float>)
                    d.at(i, j) = beta == 0 ? not_a_number<float>() : small_integer<float>(random);
                else
                    d.at(i, j) = static_cast<out>(random.integer(0, UINT32_MAX));
    }

    template <class In> static exact value(In x) {
        if constexpr (std::is_same_v<out, float>)
            return static_cast<double>(static_cast<float>(x));
        else
            return static_cast<std::uint64_t>(std::int64_t{x});
    }

    guarded_matrix<out> expected() {
        guarded_matrix<out> result = d;
        for (index_t i = 0; i < shape.m; ++i)
            for (index_t j = 0; j < shape.n; ++j) {
                exact sum = 0;
                for (index_t p = 0; p < shape.k; ++p)
                    sum += value(a.at(i, p)) * value(b.at(p, j));
                exact total = static_cast<exact>(alpha) * sum;
                if (beta != 0)
                    total += static_cast<exact>(beta) * static_cast<exact>(d.at(i, j));
                result.at(i, j) = static_cast<out>(total);
            }
        drop_negative_zeros(result, shape.m, shape.n);
        return result;
    }

    guarded_matrix<out> computed(const mixed_plan &plan) const {
        guarded_matrix<out> result = d;
        with_guarded_workspace(plan, [&](std::byte *workspace) {
            plan.execute<out>({alpha, a.data(), b.data(), beta, result.data(), workspace});
        });
        drop_negative_zeros(result, shape.m, shape.n);
        return result;
    }

    void check(const mixed_plan &plan) {
        const guarded_matrix<out> is = computed(plan);
        const guarded_matrix<out> should = expected();
        EXPECT_TRUE(is.same_bits(should))
            << plan.describe() << "\nm n k " << shape.m << ' ' << shape.n << ' ' << shape.k
            << ", strides A " << shape.row_stride_a << ' ' << shape.column_stride_a << ", B "
            << shape.row_stride_b << ' ' << shape.column_stride_b << ", D " << shape.row_stride_d
            << ' ' << shape.column_stride_d << ", alpha " << alpha << ", beta " << beta
            << ", first difference at " << is.first_difference(should);
    }
};

/// An exact sum of products of one shape, whose matrices lie anywhere.
template <class Types> struct mixed_sum {
    using out = typename Types::out;

    std::vector<mixed_case<Types>> terms; ///< alpha, beta and D are those of the first

    mixed_sum(const gemm_impl::gemm_shape &shape, index_t count, random_source &random) {
        for (index_t i = 0; i < count; ++i)
            terms.emplace_back(shape, random);
    }

    static void find(const void *all, index_t first, index_t count, const void **a,
                     const void **b) {
        const auto *from = static_cast<const mixed_case<Types> *>(all) + first;
        for (index_t i = 0; i < count; ++i) {
            a[i] = from[i].a.data();
            b[i] = from[i].b.data();
        }
    }

    guarded_matrix<out> expected() const {
        mixed_case<Types> sum = terms.front();
        sum.d = sum.expected();
        for (std::size_t i = 1; i < terms.size(); ++i) {
            mixed_case<Types> next = terms[i];
            next.alpha = sum.alpha;
            next.beta = out(1);
            next.d = sum.d;
            sum.d = next.expected();
        }
        return sum.d;
    }

    void check(const mixed_plan &plan) const {
        const mixed_case<Types> &first = terms.front();
        guarded_matrix<out> is = first.d;
        with_guarded_workspace(plan, [&](std::byte *workspace) {
            const gemm_impl::mixed_operands<out> x{.alpha = first.alpha,
                                                   .a = nullptr,
                                                   .b = nullptr,
                                                   .beta = first.beta,
                                                   .d = is.data(),
                                                   .workspace = workspace};
            plan.execute_sum(x, {static_cast<index_t>(terms.size()), 0, terms.data(), find});
        });
        drop_negative_zeros(is, first.shape.m, first.shape.n);
        const guarded_matrix<out> should = expected();
        EXPECT_TRUE(is.same_bits(should))
            << plan.describe() << "\nm n k " << first.shape.m << ' ' << first.shape.n << ' '
            << first.shape.k << ", " << terms.size() << " terms, alpha " << first.alpha << ", beta "
            << first.beta << ", first difference at " << is.first_difference(should);
    }
};

} // namespace tenfold::testing
