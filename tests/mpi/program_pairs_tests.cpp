// Lines of programs that pack pairs and unpack them compute what plain loops compute, and take what
// their plans say.
#include <gtest/gtest.h>

#include <tenfold/chem_pairs.hpp>
#include <tenfold/dist_program.hpp>

#include "mpi/ranks.hpp"
#include "support/message_of.hpp"

namespace tenfold::testing::program_pairs {
namespace {

using chem::pair_count;
using chem::strict_pair_count;

constexpr index_t o = 3;
constexpr index_t v = 5;
const char *const declared = "index i, j, k, l: occ\nindex a, b, c, d: vir\n"
                             "index ij, kl: pairs(occ)\nindex ab, cd: pairs(vir)\n"
                             "index IJ: strict_pairs(occ)\nindex AB: strict_pairs(vir)\n"
                             "input V[a,b,i,j], U[a,b,c,d]\n";

double V(index_t a, index_t b, index_t i, index_t j) {
    return value_at<double>(extents_t{a, b, i, j}, 1);
}
/// As amplitudes: V[a,b,i,j] = V[b,a,j,i].
double T(index_t a, index_t b, index_t i, index_t j) { return V(a, b, i, j) + V(b, a, j, i); }

/// As (ac|bd).
double U(index_t a, index_t b, index_t c, index_t d) {
    return value_at<double>(extents_t{a, b, c, d}, 2) + value_at<double>(extents_t{b, a, d, c}, 2);
}

fill_callback filler(int salt) {
    return [salt](const extents_t &at, tensor_view<double> block) { fill_block(at, block, salt); };
}

program_plan plan_of(const std::string &lines) {
    return make_program_plan(parse_program(declared + lines), {{"occ", o}, {"vir", v}},
                             ranks().size(), {.contraction = {.threads = 1}});
}

/// Runs lines, which must take what their plan says.
program_result run_lines(const std::string &lines) {
    const program_plan plan = plan_of(lines);
    const std::map<std::string, program_input> inputs{{"V", filler(1)}, {"U", filler(2)}};
    static_cast<void>(run_program(plan, ranks(), inputs)); // rank 0 tells its rates
    program_result result = run_program(plan, ranks(), inputs);
    for (std::size_t i = 0; i < result.lines.size(); ++i) {
        SCOPED_TRACE(result.lines[i].text);
        EXPECT_EQ(result.lines[i].received.value, plan.lines()[i].received.value);
        EXPECT_LE(result.lines[i].peak.value, plan.lines()[i].peak.value + 4096);
    }
    return result;
}

/// Compares an output with a function of positions, bit for bit.
template <class Expected> void expect_equal(const program_result &result, const std::string &name,
                                            const extents_t &extents, const Expected &expected) {
    const tensor<double> found = result.tensors.at(name).gather_all();
    ASSERT_EQ(found.shape().extents(), extents) << name;
    for_each_position(extents_t(extents.size(), 0), extents, [&](const extents_t &p) {
        ASSERT_EQ(found.data()[found.shape().offset_of(p)], expected(p)) << name;
    });
}

TEST(DistProgramPairs, OfOnePairOfModes) {
    const program_result result = run_lines("output P[ab,i,j], M[a,b,IJ], R[a,b,i,j]\n"
                                            "pack P[ab,i,j] = V[a,b,i,j]\n"
                                            "pack M[a,b,IJ] = V[a,b,i,j]\n"
                                            "R[a,b,i,j] = 2*V[a,b,i,j]\n"
                                            "unpack R[a,b,i,j] += P[ab,i,j]\n");
    expect_equal(result, "P", {pair_count(v), o, o}, [](const extents_t &at) {
        const auto [a, b] = chem::pair_at(at[0]);
        return V(a, b, at[1], at[2]) + V(b, a, at[1], at[2]);
    });
    expect_equal(result, "M", {v, v, strict_pair_count(o)}, [](const extents_t &at) {
        const auto [i, j] = chem::strict_pair_at(at[2]);
        return V(at[0], at[1], i, j) - V(at[0], at[1], j, i);
    });
    expect_equal(result, "R", {v, v, o, o}, [](const extents_t &p) {
        return 2 * V(p[0], p[1], p[2], p[3]) +
               0.5 * (V(p[0], p[1], p[2], p[3]) + V(p[1], p[0], p[2], p[3]));
    });
}

TEST(DistProgramPairs, OfTwoPairsOfModes) {
    const program_result result = run_lines("output P[AB,ij], R[a,b,i,j]\n"
                                            "pack P[AB,ij] = V[a,b,i,j]\n"
                                            "R[a,b,i,j] = V[a,b,i,j]\n"
                                            "unpack R[a,b,i,j] = P[AB,ij]\n");
    const auto packed = [](index_t a, index_t b, index_t i, index_t j) {
        return V(a, b, i, j) - V(b, a, i, j) + V(a, b, j, i) - V(b, a, j, i);
    };
    expect_equal(result, "P", {strict_pair_count(v), pair_count(o)}, [&](const extents_t &at) {
        const auto [a, b] = chem::strict_pair_at(at[0]);
        const auto [i, j] = chem::pair_at(at[1]);
        return packed(a, b, i, j);
    });
    expect_equal(result, "R", {v, v, o, o}, [&](const extents_t &p) {
        return p[0] == p[1] ? 0.0 : 0.25 * packed(p[0], p[1], p[2], p[3]);
    });
}

/// A ladder: the sum over a and b of U[a,b,c,d] T[a,b,i,j].
const char *const ladder = "output R[a,b,i,j], Tp[ab,ij], Tm[ab,ij]\n"
                           "T[a,b,i,j] = S(a,b; i,j)*V[a,b,i,j]\n"
                           "pack Tp[ab,ij], Tm[ab,ij] = T[a,b,i,j] with half diagonal\n"
                           "G[a,b,c,d] = S(a,b; c,d)*U[a,b,c,d]\n"
                           "pack Gp[ab,cd], Gm[ab,cd] = G[a,b,c,d]\n"
                           "Pp[cd,ij] = Gp[ab,cd]*Tp[ab,ij]\n"
                           "Pm[cd,ij] = Gm[ab,cd]*Tm[ab,ij]\n"
                           "R[a,b,i,j] = V[a,b,i,j]\n"
                           "unpack R[a,b,i,j] += Pp[ab,ij], Pm[ab,ij]\n";

TEST(DistProgramPairs, OfBothKindsAtOnce) {
    const program_result result = run_lines(ladder);
    const extents_t pairs{pair_count(v), pair_count(o)};
    expect_equal(result, "Tp", pairs, [&](const extents_t &at) {
        const auto [a, b] = chem::pair_at(at[0]);
        const auto [i, j] = chem::pair_at(at[1]);
        return (a == b ? 0.5 : 1.0) * (T(a, b, i, j) + T(b, a, i, j));
    });
    expect_equal(result, "Tm", pairs, [&](const extents_t &at) {
        const auto [a, b] = chem::pair_at(at[0]);
        const auto [i, j] = chem::pair_at(at[1]);
        return T(a, b, i, j) - T(b, a, i, j);
    });
    expect_equal(result, "R", {v, v, o, o}, [&](const extents_t &p) {
        double sum = V(p[0], p[1], p[2], p[3]);
        for (index_t a = 0; a < v; ++a)
            for (index_t b = 0; b < v; ++b)
                sum += U(a, b, p[0], p[1]) * T(a, b, p[2], p[3]);
        return sum;
    });
}

TEST(DistProgramPairs, AreInTheProfile) {
    const program_result result = run_lines(ladder);
    const std::string told = result.describe();
    EXPECT_NE(told.find("pack Tp[ab,ij], Tm[ab,ij] = T[a,b,i,j] with half diagonal"),
              std::string::npos)
        << told;
    EXPECT_NE(told.find("unpack R[a,b,i,j] += Pp[ab,ij], Pm[ab,ij]"), std::string::npos) << told;
}

/// Of one orbital there is one pair, and no strict pair.
TEST(DistProgramPairs, OfOneOrbital) {
    const program_plan plan = make_program_plan(
        parse_program(std::string(declared) + "output P[ij,AB], R[a,b,i,j], M[ab,IJ], n\n"
                                              "X[i,j,a,b] = V[a,b,i,j]\n"
                                              "pack P[ij,AB] = X[i,j,a,b]\n"
                                              "pack M[ab,IJ] = V[a,b,i,j]\n"
                                              "unpack R[a,b,i,j] = M[ab,IJ]\n"
                                              "n = M[ab,IJ]*M[ab,IJ]\n"),
        {{"occ", 1}, {"vir", 2}}, ranks().size(), {.contraction = {.threads = 1}});
    const program_result result = run_program(plan, ranks(), {{"V", filler(1)}, {"U", filler(2)}});
    expect_equal(result, "P", {1, 1},
                 [](const extents_t &) { return 2 * (V(1, 0, 0, 0) - V(0, 1, 0, 0)); });
    expect_equal(result, "R", {2, 2, 1, 1}, [](const extents_t &) { return 0.0; });
    EXPECT_EQ(result.scalars.at("n"), 0);
}

} // namespace
} // namespace tenfold::testing::program_pairs
