// Tests tenfold contract on .npy files, with integer values, so that the results are exact.
#include <limits>

#include <gtest/gtest.h>

#include "npy_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

using complex = std::complex<double>;

/// D[i,j,l] = alpha sum_k A[i,k,l] B[k,j] + beta C[i,j,l], in plain loops.
test_array expected(const test_array &a, const test_array &b, const test_array *c, complex alpha,
                    complex beta) {
    const long ni = a.shape[0], nk = a.shape[1], nl = a.shape[2], nj = b.shape[1];
    test_array d{{ni, nj, nl}, {}};
    for (long i = 0; i < ni; ++i)
        for (long j = 0; j < nj; ++j)
            for (long l = 0; l < nl; ++l) {
                complex sum = 0;
                for (long k = 0; k < nk; ++k)
                    sum += a.at({i, k, l}) * b.at({k, j});
                sum *= alpha;
                if (c != nullptr)
                    sum += beta * c->at({i, j, l});
                d.values.push_back(sum);
            }
    return d;
}

class Files : public ::testing::Test {
protected:
    std::string path(const std::string &name) const { return directory_.file(name + ".npy"); }
    void write(const std::string &name, const test_array &array, const std::string &descr,
               bool fortran_order, int version = 1) const {
        write_text(path(name), array.file_bytes(descr, fortran_order, version));
    }
    program_result contract(const std::string &spec, const std::string &more = "") const {
        return run_tenfold("contract '" + spec + "' --a " + path("A") + " --b " + path("B") +
                           " --out " + path("D") + " --json --verify " + more);
    }
    temporary_directory directory_;
};

TEST_F(Files, BothOrdersOfEveryTypeGiveTheReference) {
    int version = 0;
    for (const char *descr : {"<f4", "<f8", "<c8", "<c16"})
        for (const bool order_a : {false, true})
            for (const bool order_b : {false, true}) {
                version = version % 3 + 1;
                SCOPED_TRACE(std::string(descr) + (order_a ? " F" : " C") + (order_b ? "F" : "C") +
                             ", version " + std::to_string(version));
                const bool is_complex = descr[1] == 'c';
                const test_array a = integer_array({4, 5, 3}, 1, is_complex);
                const test_array b = integer_array({5, 6}, 2, is_complex);
                write("A", a, descr, order_a, version);
                write("B", b, descr, order_b, version);
                const program_result result = contract("ijl=ikl*kj");
                ASSERT_EQ(result.status, 0) << result.err;
                const read_array d = read_npy_file(path("D"));
                EXPECT_EQ(d.descr, descr);
                EXPECT_EQ(d.fortran_order, order_a);
                EXPECT_EQ(d.array.shape, (std::vector<long>{4, 6, 3}));
                EXPECT_EQ(d.array.values, expected(a, b, nullptr, 1, 0).values);
                EXPECT_EQ(result.json()["max_relative_error"], 0.0);
            }
}

TEST_F(Files, BetaReadsC) {
    const test_array a = integer_array({4, 5, 3}, 1, false);
    const test_array b = integer_array({5, 6}, 2, false);
    const test_array c = integer_array({4, 6, 3}, 3, false);
    write("A", a, "<f8", false);
    write("B", b, "<f8", true);
    for (const bool order_c : {false, true}) {
        write("C", c, "<f8", order_c);
        const program_result result =
            contract("ijl=ikl*kj", "--alpha 2 --beta -3 --repeat 3 --c " + path("C"));
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(read_npy_file(path("D")).array.values, expected(a, b, &c, 2, -3).values);
    }
    // "+=" without --beta, too.
    ASSERT_EQ(contract("ijl+=ikl*kj", "--c " + path("C")).status, 0);
    EXPECT_EQ(read_npy_file(path("D")).array.values, expected(a, b, &c, 1, 1).values);
}

TEST_F(Files, BetaZeroDoesNotReadC) {
    const test_array a = integer_array({4, 5, 3}, 1, false);
    const test_array b = integer_array({5, 6}, 2, false);
    test_array c = integer_array({4, 6, 3}, 3, false);
    for (complex &value : c.values)
        value = std::numeric_limits<double>::quiet_NaN();
    write("A", a, "<f8", false);
    write("B", b, "<f8", false);
    write("C", c, "<f8", false);
    const program_result result = contract("ijl=ikl*kj", "--beta 0 --c " + path("C"));
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(read_npy_file(path("D")).array.values, expected(a, b, nullptr, 1, 0).values);
}

TEST_F(Files, ScalarsVectorsEllipsesAndEmptyArraysWork) {
    const test_array a = integer_array({7}, 1, false);
    const test_array b = integer_array({7}, 2, false);
    write("A", a, "<f8", false);
    write("B", b, "<f8", false);
    ASSERT_EQ(contract("i,i->").status, 0);
    const read_array dot = read_npy_file(path("D"));
    complex sum = 0;
    for (std::size_t i = 0; i < 7; ++i)
        sum += a.values[i] * b.values[i];
    EXPECT_TRUE(dot.array.shape.empty());
    EXPECT_EQ(dot.array.values, std::vector<complex>{sum});

    const test_array batch = integer_array({2, 3, 4}, 3, false);
    write("A", batch, "<f8", false);
    ASSERT_EQ(
        run_tenfold("contract '...ij->...ji' --a " + path("A") + " --out " + path("D")).status, 0);
    const test_array swapped = read_npy_file(path("D")).array;
    EXPECT_EQ(swapped.shape, (std::vector<long>{2, 4, 3}));
    EXPECT_EQ(swapped.at({1, 3, 2}), batch.at({1, 2, 3}));

    write("A", {{3, 0}, {}}, "<f8", false);
    write("B", {{0, 2}, {}}, "<f8", false);
    ASSERT_EQ(contract("ij=ik*kj").status, 0);
    EXPECT_EQ(read_npy_file(path("D")).array.values, std::vector<complex>(6, 0.0));
}

TEST_F(Files, ContradictionsAreRefused) {
    write("A", integer_array({4, 5}, 1, false), "<f8", false);
    write("B", integer_array({5, 6}, 2, false), "<f8", false);
    write("C", integer_array({4, 7}, 2, false), "<f8", false);
    write("F", integer_array({5, 6}, 2, false), "<f4", false);
    struct wrong {
        std::string spec, more, told;
    };
    for (const auto &[spec, more, told] :
         {wrong{"ij=ik*kj", "--type f32", "--type f32"},
          wrong{"ij=ik*kj", "--extents k=6", "label 'k'"},
          wrong{"ij=ik*kj", "--extents z=6", "label 'z'"}, wrong{"ij=ik*jk", "", "label 'k'"},
          wrong{"ijl=ikl*kj", "", "2 axes"}, wrong{"ij=ik*kj", "--beta 1", "--c is missing"},
          wrong{"ij=ik*kj", "--c " + path("C"), "beta is 0"},
          wrong{"ij=ik*kj", "--beta 1 --c " + path("C"), "label 'j'"},
          wrong{"ij=ij", "", "one input only"}}) {
        SCOPED_TRACE(spec + " " + more);
        const program_result result = contract(spec, more);
        EXPECT_EQ(result.status, 2);
        EXPECT_NE(result.err.find(told), std::string::npos) << result.err;
    }
    const program_result mixed = run_tenfold("contract ij=ik*kj --a " + path("A") + " --b " +
                                             path("F") + " --out " + path("D"));
    EXPECT_EQ(mixed.status, 2);
    EXPECT_NE(mixed.err.find("holds f32"), std::string::npos) << mixed.err;
    EXPECT_EQ(contract("ij=ik*kj", "--type f64 --extents k=5").status, 0);
}

} // namespace
} // namespace tenfold::testing
