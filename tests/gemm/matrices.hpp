// Matrices of small integers with any strides, in guarded memory, and the comparison with the
// reference.
#pragma once

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/context.hpp>

#include "base/machine.hpp"
#include "base/scalars.hpp"
#include "gemm/plan/plan.hpp"
#include "gemm/reference.hpp"
#include "support/random.hpp"

namespace tenfold::testing {

/// This machine with all its instruction sets, or only with the one that TENFOLD_ISA names.
inline const base::machine &this_machine() {
    static const base::machine machine = [] {
        base::machine found = base::machine::detect();
        if (const auto asked = settings::from_environment().isa)
            found.isas = {*asked};
        return found;
    }();
    return machine;
}

/// An integer in [-3, 3] that differs from its neighbours'; sums of products stay exact in f32.
template <class T> T small_integer(random_source &random) {
    if constexpr (element_traits<T>::is_complex)
        return T(static_cast<typename T::value_type>(random.integer(-3, 3)),
                 static_cast<typename T::value_type>(random.integer(-3, 3)));
    else
        return static_cast<T>(random.integer(-3, 3));
}

template <class T> T not_a_number() {
    using limits = std::numeric_limits<decltype(std::real(T{}))>;
    return T(limits::quiet_NaN());
}

/// Memory of one matrix with a margin on both sides. All of it starts as `filling`; elements are
/// set one by one.
template <class T> class guarded_matrix {
public:
    guarded_matrix(index_t rows, index_t columns, index_t row_stride, index_t column_stride,
                   T filling)
        : rows_(rows), columns_(columns), rs_(row_stride), cs_(column_stride) {
        const index_t r = std::max<index_t>(rows - 1, 0) * row_stride;
        const index_t c = std::max<index_t>(columns - 1, 0) * column_stride;
        const index_t low = std::min<index_t>(r, 0) + std::min<index_t>(c, 0);
        const index_t high = std::max<index_t>(r, 0) + std::max<index_t>(c, 0);
        origin_ = margin - low;
        data_.assign(static_cast<std::size_t>(high - low + 1 + 2 * margin), filling);
    }

    T *data() { return data_.data() + origin_; }
    const T *data() const { return data_.data() + origin_; }
    T &at(index_t i, index_t j) { return data()[i * rs_ + j * cs_]; }
    index_t row_stride() const { return rs_; }
    index_t column_stride() const { return cs_; }

    void fill_integers(random_source &random) {
        for (index_t j = 0; j < columns_; ++j)
            for (index_t i = 0; i < rows_; ++i)
                at(i, j) = small_integer<T>(random);
    }

    /// Compares bit for bit, including the space between and around the elements.
    bool same_bits(const guarded_matrix &other) const {
        return data_.size() == other.data_.size() &&
               std::memcmp(data_.data(), other.data_.data(), data_.size() * sizeof(T)) == 0;
    }
    /// The position of the first difference, for messages.
    index_t first_difference(const guarded_matrix &other) const {
        for (std::size_t i = 0; i < data_.size(); ++i)
            if (std::memcmp(&data_[i], &other.data_[i], sizeof(T)) != 0)
                return static_cast<index_t>(i) - origin_;
        return -1;
    }

private:
    static constexpr index_t margin = 70;
    index_t rows_, columns_, rs_, cs_;
    index_t origin_ = 0;
    std::vector<T> data_;
};

/// Replaces -0 by 0, which is equal as a value but not as bits.
template <class T>
void drop_negative_zeros(guarded_matrix<T> &matrix, index_t rows, index_t columns) {
    for (index_t j = 0; j < columns; ++j)
        for (index_t i = 0; i < rows; ++i)
            matrix.at(i, j) += T{};
}

/// One multiplication with its data; run() executes the plan and compares with the reference.
template <class T> struct gemm_case {
    gemm_impl::gemm_shape shape;
    guarded_matrix<T> a, b, d;
    scalar alpha, beta;

    gemm_case(const gemm_impl::gemm_shape &s, scalar alpha_value, scalar beta_value,
              random_source &random)
        : shape(s), a(s.m, s.k, s.row_stride_a, s.column_stride_a, not_a_number<T>()),
          b(s.k, s.n, s.row_stride_b, s.column_stride_b, not_a_number<T>()),
          d(s.m, s.n, s.row_stride_d, s.column_stride_d, T(-77)), alpha(alpha_value),
          beta(beta_value) {
        shape.type = data_type_of<T>;
        a.fill_integers(random);
        b.fill_integers(random);
        for (index_t j = 0; j < s.n; ++j)
            for (index_t i = 0; i < s.m; ++i)
                d.at(i, j) = beta == scalar{} ? not_a_number<T>() : small_integer<T>(random);
    }

    guarded_matrix<T> expected() const {
        guarded_matrix<T> result = d;
        gemm_impl::reference_gemm(shape, alpha, a.data(), b.data(), beta, result.data());
        drop_negative_zeros(result, shape.m, shape.n);
        return result;
    }

    guarded_matrix<T> computed(const gemm_impl::gemm_plan &plan,
                               const gemm_impl::fused_epilogue *finish = nullptr) const {
        guarded_matrix<T> result = d;
        const auto size = static_cast<std::size_t>(plan.workspace_size().value);
        // Canaries follow the workspace, which starts as garbage.
        std::vector<std::byte> memory(size + 64 + 64, std::byte{0xab});
        auto address = reinterpret_cast<std::uintptr_t>(memory.data());
        std::byte *workspace = memory.data() + (64 - address % 64) % 64;
        plan.execute({.alpha = alpha,
                      .a = a.data(),
                      .b = b.data(),
                      .beta = beta,
                      .d = result.data(),
                      .workspace = workspace,
                      .finish = finish});
        for (std::byte *past = workspace + size; past < memory.data() + memory.size(); ++past)
            EXPECT_EQ(*past, std::byte{0xab}) << "written past the workspace";
        drop_negative_zeros(result, shape.m, shape.n);
        return result;
    }

    void check(const gemm_impl::gemm_plan &plan) const {
        const guarded_matrix<T> is = computed(plan);
        const guarded_matrix<T> should = expected();
        EXPECT_TRUE(is.same_bits(should))
            << plan.describe() << "\nm n k " << shape.m << ' ' << shape.n << ' ' << shape.k
            << ", strides A " << shape.row_stride_a << ' ' << shape.column_stride_a << ", B "
            << shape.row_stride_b << ' ' << shape.column_stride_b << ", D " << shape.row_stride_d
            << ' ' << shape.column_stride_d << ", conj " << shape.conj_a << shape.conj_b
            << ", alpha " << alpha << ", beta " << beta << ", first difference at "
            << is.first_difference(should);
    }
};

inline gemm_impl::gemm_plan_options plan_options(isa instruction_set, int threads = 1) {
    gemm_impl::gemm_plan_options options;
    options.machine = &this_machine();
    options.instruction_set = instruction_set;
    options.threads = threads;
    options.packs_small = true;
    return options;
}

/// Random strides of one matrix: any sign, padded, transposed, with a gap between elements, and
/// zero if it is only read.
inline std::pair<index_t, index_t> random_strides(random_source &random, index_t rows,
                                                  index_t columns, bool only_read) {
    if (only_read && random.chance(0.05))
        return {random.integer(0, 1), 0};
    const index_t gap = random.chance(0.75) ? 1 : random.integer(2, 3);
    const index_t padding = random.chance(0.5) ? 0 : random.integer(1, 9);
    std::pair<index_t, index_t> strides;
    if (random.chance(0.5))
        strides = {gap, std::max<index_t>(1, rows) * gap + padding};
    else
        strides = {std::max<index_t>(1, columns) * gap + padding, gap};
    if (random.chance(0.15))
        strides.first = -strides.first;
    if (random.chance(0.15))
        strides.second = -strides.second;
    return strides;
}

inline gemm_impl::gemm_shape random_shape(random_source &random, index_t m, index_t n, index_t k) {
    gemm_impl::gemm_shape s;
    s.m = m;
    s.n = n;
    s.k = k;
    std::tie(s.row_stride_a, s.column_stride_a) = random_strides(random, m, k, true);
    std::tie(s.row_stride_b, s.column_stride_b) = random_strides(random, k, n, true);
    std::tie(s.row_stride_d, s.column_stride_d) = random_strides(random, m, n, false);
    s.conj_a = random.chance(0.3);
    s.conj_b = random.chance(0.3);
    return s;
}

template <class T> scalar random_scalar(random_source &random) {
    const double re = static_cast<double>(random.pick<int>({0, 1, 1, -1, 2}));
    const bool imaginary = element_traits<T>::is_complex && random.chance(0.3);
    return {re, imaginary ? static_cast<double>(random.integer(-2, 2)) : 0.0};
}

/// Calls f(T{}) for the four types.
template <class F> void for_each_type(F &&f) {
    f(float{});
    f(double{});
    f(c32{});
    f(c64{});
}

} // namespace tenfold::testing
