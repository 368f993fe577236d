// Tests --verify if the result is NaN.
#include <limits>

#include <gtest/gtest.h>

#include "npy_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

class NotANumber : public ::testing::Test {
protected:
    /// Writes A.npy and B.npy, of 4 x 5 and 5 x 3, and returns the arguments that name them.
    std::string files(double a_2_3, double b_3_1 = 1) {
        test_array a = integer_array({4, 5}, 1, false);
        test_array b = integer_array({5, 3}, 2, false);
        a.values[2 * 5 + 3] = a_2_3;
        b.values[3 * 3 + 1] = b_3_1;
        write_text(directory_.file("A.npy"), a.file_bytes("<f8", false));
        write_text(directory_.file("B.npy"), b.file_bytes("<f8", true));
        return " --verify --a " + directory_.file("A.npy") + " --b " + directory_.file("B.npy") +
               " ";
    }
    static void expect_unverified(const program_result &result, const std::string &told) {
        EXPECT_EQ(result.status, 1) << result.out << result.err;
        EXPECT_EQ(result.out.find("passed"), std::string::npos) << result.out;
        EXPECT_NE((result.out + result.err).find("a NaN cannot be verified: " + told),
                  std::string::npos)
            << result.out << result.err;
    }

    temporary_directory directory_;
};

TEST_F(NotANumber, IsToldWithWhereItComesFrom) {
    const std::string arguments = "contract ij=ik*kj" + files(nan);
    const program_result text = run_tenfold(arguments);
    expect_unverified(text, "A is NaN at i=2, k=3");
    EXPECT_NE(text.err.find("3 of 12 elements are NaN"), std::string::npos) << text.err;
    const program_result object = run_tenfold(arguments + "--json");
    expect_unverified(object, "A is NaN at i=2, k=3");
    const nlohmann::json json = object.json();
    EXPECT_EQ(json["verified"], false);
    EXPECT_TRUE(json["max_relative_error"].is_null());
    EXPECT_TRUE(json["verification_failure"].is_string());
    expect_unverified(run_tenfold("contract ij=ik*kj" + files(1, nan)), "B is NaN at k=3, j=1");
}

TEST_F(NotANumber, FromInfinitiesThatCancelOrMeetZero) {
    // Row 2 of A holds one infinity, which a 0 of B multiplies, or two infinities that cancel.
    expect_unverified(run_tenfold("contract ij=ik*kj" + files(infinity, 0)),
                      "A is infinite at i=2, k=3, and infinities cancel");
}

TEST_F(NotANumber, OfMoreThanTwoInputsAndOfTranspositions) {
    expect_unverified(
        run_tenfold("contract im=ik*kj*mk" + files(nan) + "--in " + directory_.file("A.npy")),
        "input 1 is NaN at i=2, k=3");
    files(nan);
    expect_unverified(run_tenfold("transpose ji=ij --verify --a " + directory_.file("A.npy") +
                                  " --out " + directory_.file("T.npy")),
                      "A is NaN at i=2, j=3");
}

TEST_F(NotANumber, ElsewhereDoesNotMatter) {
    // beta = 0: C is not read.
    test_array c = integer_array({4, 3}, 3, false);
    c.values[0] = nan;
    write_text(directory_.file("C.npy"), c.file_bytes("<f8", false));
    const std::string with_c = files(1) + "--c " + directory_.file("C.npy");
    EXPECT_EQ(run_tenfold("contract ij=ik*kj" + with_c + " --beta 0").status, 0);
    expect_unverified(run_tenfold("contract ij=ik*kj" + with_c + " --beta 1"),
                      "C is NaN at i=0, j=0");
}

} // namespace
} // namespace tenfold::testing
