// Compares the kernels for the energy of one triple of (T) with plain loops over the formula.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <tenfold/types.hpp>

#include "apps/ccsd/kernels/triple_energy_table.hpp"
#include "base/machine.hpp"
#include "support/random.hpp"

namespace tenfold::ccsd {
namespace {

using testing::random_source;

/// All that this machine runs.
std::vector<listed_triple_energy> kernels_here() {
    const base::machine machine = base::machine::detect();
    std::vector<listed_triple_energy> found;
    for (const listed_triple_energy &one : triple_energy_table)
        if (machine.supports(one.set))
            found.push_back(one);
    return found;
}

/// Operands whose slack holds numbers that spoil the sum if they are used.
struct random_triple {
    std::vector<double> w, t_i, t_j, t_k, ij, ji, ik, ki, jk, kj, f;
    triple_operands operands;

    random_triple(std::int64_t v, random_source &random) {
        const auto fill = [&](std::vector<double> &to, std::int64_t used, std::int64_t slack) {
            for (std::int64_t i = 0; i < used; ++i)
                to.push_back(2 * random.real() - 1);
            to.resize(to.size() + static_cast<std::size_t>(slack), 1e6);
        };
        fill(w, v * v * v, slack_behind_cube(v));
        for (std::vector<double> *one : {&t_i, &t_j, &t_k, &f})
            fill(*one, v, slack_behind_vector(v));
        for (std::vector<double> *one : {&ij, &ik, &jk})
            fill(*one, v * v, slack_behind_matrix(v));
        const auto transposed = [v](const std::vector<double> &from) {
            std::vector<double> to = from;
            for (std::int64_t y = 0; y < v; ++y)
                for (std::int64_t x = 0; x < v; ++x)
                    to[static_cast<std::size_t>(y + v * x)] =
                        from[static_cast<std::size_t>(x + v * y)];
            return to;
        };
        ji = transposed(ij);
        ki = transposed(ik);
        kj = transposed(jk);
        operands = {v,         w.data(),  t_i.data(), t_j.data(), t_k.data(), ij.data(), ji.data(),
                    ik.data(), ki.data(), jk.data(),  kj.data(),  f.data(),   -10.0};
    }
};

struct expected_sum {
    double value = 0;
    double absolute = 0; ///< no less than the sum of the magnitudes of what is added up
};

expected_sum plain_sum(const triple_operands &x) {
    const std::int64_t v = x.v;
    const auto w = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
        return x.w[a + v * (b + v * c)];
    };
    expected_sum sum;
    for (std::int64_t c = 0; c < v; ++c)
        for (std::int64_t b = 0; b < v; ++b)
            for (std::int64_t a = 0; a < v; ++a) {
                const double s = x.t_i[a] * x.jk[b + v * c] + x.t_j[b] * x.ik[a + v * c] +
                                 x.t_k[c] * x.ij[a + v * b];
                const double d = x.f_occupied - x.f_virtual[a] - x.f_virtual[b] - x.f_virtual[c];
                const double factors = 4 * w(a, b, c) + w(b, c, a) + w(c, a, b) -
                                       2 * (w(c, b, a) + w(a, c, b) + w(b, a, c));
                sum.value += (w(a, b, c) + s) / d * factors;
                // For a = b = c the factors cancel, so that the rounding errors are larger than the
                // term.
                sum.absolute += std::abs((w(a, b, c) + s) / d) * 12;
            }
    return sum;
}

TEST(TripleEnergy, IsThatOfPlainLoops) {
    ASSERT_FALSE(kernels_here().empty());
    // Every remainder of every tile size, with one tile and several.
    for (std::int64_t v = 1; v <= 26; ++v) {
        random_source random(static_cast<int>(v));
        const random_triple triple(v, random);
        const expected_sum expected = plain_sum(triple.operands);
        for (const auto &[set, kernel] : kernels_here())
            EXPECT_NEAR(kernel(triple.operands), expected.value, 1e-13 * expected.absolute)
                << name(set) << ", v = " << v << "; " << testing::rerun_line(static_cast<int>(v));
    }
}

TEST(TripleEnergy, TakesTheKernelsOfAnInstructionSetOrTheLast) {
    for (const listed_triple_energy &one : triple_energy_table)
        EXPECT_EQ(triple_energy_for(one.set), one.kernel) << name(one.set);
    EXPECT_EQ(triple_energy_for(isa::sve), std::end(triple_energy_table)[-1].kernel);
}

} // namespace
} // namespace tenfold::ccsd
