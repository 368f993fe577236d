// Compares a random distributed contraction with plain loops, and its counted bytes with the plan.
#pragma once

#include <limits>

#include "mpi/random_contraction.hpp"

namespace tenfold::testing {

template <class T> T random_scalar(random_source &random) {
    if constexpr (is_complex(data_type_of<T>))
        return T(static_cast<typename T::value_type>(random.integer(-2, 2)),
                 static_cast<typename T::value_type>(random.integer(-2, 2)));
    else
        return static_cast<T>(random.integer(-2, 2));
}

inline std::string text_of(const processor_grid &grid) {
    return std::to_string(grid.batch) + "x" + std::to_string(grid.m) + "x" +
           std::to_string(grid.n) + "x" + std::to_string(grid.k);
}

inline std::string text_of(const step_size &step) {
    return std::to_string(step.batch) + "x" + std::to_string(step.m) + "x" +
           std::to_string(step.n) + "x" + std::to_string(step.k);
}

/// Runs one random contraction on random distributions. Compares the result bit for bit with plain
/// loops, and counted bytes with the plan's.
template <class T> void run_case(int test_case, contraction_kind kind) {
    random_source random(test_case);
    const random_contraction c = draw_contraction(random, kind);
    const int size = ranks().size();
    const auto spread = [&](std::size_t operand) {
        return draw_distribution(random, c, operand, size);
    };
    dist_options options = draw_options(random, c, size);
    const T alpha = random.chance(0.1) ? T(0) : random_scalar<T>(random);
    const T beta = random.chance(0.4) ? T(0) : random_scalar<T>(random);
    options.alpha = alpha;
    options.beta = beta;
    options.conj_a = random.chance(0.3);
    options.conj_b = !c.unary && random.chance(0.3);

    dist_tensor<T> a(ranks(), c.extents[0], spread(0));
    dist_tensor<T> b(ranks(), c.unary ? extents_t{} : c.extents[1],
                     c.unary ? distribution::block({}, size) : spread(1));
    dist_tensor<T> d(ranks(), c.extents.back(), spread(c.extents.size() - 1));
    SCOPED_TRACE(c.expression + ", A " + a.distribution().describe() + ", B " +
                 b.distribution().describe() + ", D " + d.distribution().describe() + ", grid " +
                 (options.grid ? text_of(*options.grid) : "free") + ", steps of " +
                 (options.step ? text_of(*options.step) : "any size"));
    fill_values(a, 1);
    fill_values(b, 2);
    // beta = 0 must not read D, and alpha = 0 must read neither A nor B.
    constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
    const bool poisoned = beta == T(0) && !c.diagonal_output;
    if (poisoned)
        d.fill(T(nan));
    else
        fill_values(d, 3);
    if (alpha == T(0)) {
        a.fill(T(nan));
        b.fill(T(nan));
    }

    const dist_report report =
        c.unary ? contract(c.expression, a, d, options) : contract(c.expression, a, b, d, options);

    tensor<T> expected = make_values<T>(c.extents.back(), 3);
    contract_by_loops(c, alpha, options.conj_a, options.conj_b, beta, expected);
    EXPECT_TRUE(equal(d.gather_all(), expected));
    EXPECT_EQ(report.bytes_received_max, report.plan.summary().bytes_received);
    EXPECT_EQ(report.redistribution_max, report.plan.summary().redistribution);
    // Buffers are aligned to 64 bytes each, and there are at most 16.
    const index_t slack = 16 * 64;
    EXPECT_GE(report.peak_bytes_max, report.plan.summary().peak);
    EXPECT_LE(report.peak_bytes_max.value, report.plan.summary().peak.value + slack);
    EXPECT_LE(report.workspace_max.value, report.plan.summary().workspace.value + 64);
    EXPECT_EQ(report.bytes_received_max.value % static_cast<index_t>(sizeof(T)), 0);
    if (options.grid) {
        EXPECT_EQ(report.plan.summary().grid, *options.grid);
    }
}

} // namespace tenfold::testing
