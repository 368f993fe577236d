// Tests tenfold contract and explain with more than two inputs.
#include <gtest/gtest.h>

#include "npy_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

using complex = std::complex<double>;

TEST(ManyInputs, MadeUpOperandsOfEveryTypeAreVerified) {
    for (const char *type : {"f32", "f64", "c32", "c64"})
        for (const char *spec : {"'ad=ab*bc*cd'", "'ab,bc,cd->ad'", "'ad-ab-bc-cd'",
                                 "'D[a,d]-=0.5*A[a,b]*B[b,c]*E[c,d]'"}) {
            SCOPED_TRACE(std::string(spec) + " " + type);
            const program_result result =
                run_tenfold("contract " + std::string(spec) +
                            " --extents a=6,b=5,c=4,d=7 --verify --repeat 2 --json --type " + type);
            ASSERT_EQ(result.status, 0) << result.err;
            const nlohmann::json json = result.json();
            EXPECT_EQ(json["type"], type);
            EXPECT_EQ(json["verified_elements"], 6 * 7);
            EXPECT_LE(json["max_relative_error"].get<double>(), 1e-5);
            EXPECT_GT(json["workspace_bytes"].get<long>(), 0);
        }
}

TEST(ManyInputs, VerificationTakesWhatItCanAfford) {
    const program_result some =
        run_tenfold("contract ae=ab*bc*cd*de --extents a=50,b=90,c=90,d=90,e=50 --verify --json");
    ASSERT_EQ(some.status, 0) << some.err;
    EXPECT_EQ(some.json()["verified_elements"], 137); // of 90^3 terms each
    const program_result none = run_tenfold(
        "contract ag=ab*bc*cd*de*ef*fg --extents a=9,b=200,c=200,d=200,e=200,f=200,g=9 --verify");
    EXPECT_EQ(none.status, 2);
    EXPECT_NE(none.err.find("--verify: an element of 'ag=ab*bc*cd*de*ef*fg' is a sum of 3.2e+11"),
              std::string::npos)
        << none.err;
}

class ManyFiles : public ::testing::Test {
protected:
    ManyFiles() {
        for (std::size_t i = 0; i < 3; ++i)
            write_text(path(i), arrays_[i].file_bytes("<f8", i == 1));
    }
    std::string path(std::size_t i) const {
        return directory_.file("input" + std::to_string(i) + ".npy");
    }
    std::string d_path() const { return directory_.file("D.npy"); }
    std::vector<complex> product() const {
        std::vector<complex> values;
        for (long i = 0; i < 3; ++i)
            for (long l = 0; l < 2; ++l) {
                complex sum = 0;
                for (long j = 0; j < 4; ++j)
                    for (long k = 0; k < 5; ++k)
                        sum +=
                            arrays_[0].at({i, j}) * arrays_[1].at({j, k}) * arrays_[2].at({k, l});
                values.push_back(sum);
            }
        return values;
    }

    temporary_directory directory_;
    const std::array<test_array, 3> arrays_{integer_array({3, 4}, 1, false),
                                            integer_array({4, 5}, 2, false),
                                            integer_array({5, 2}, 3, false)};
};

TEST_F(ManyFiles, AreNamedByAAndBAndIn) {
    const std::string spec = "contract 'ij,jk,kl->il' --verify --json --out " + d_path();
    for (const std::string &files : {" --a " + path(0) + " --b " + path(1) + " --in " + path(2),
                                     " --in " + path(0) + " --in " + path(1) + " --in " + path(2),
                                     " --a " + path(0) + " --in " + path(1) + " --in " + path(2)}) {
        SCOPED_TRACE(files);
        const program_result result = run_tenfold(spec + files);
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(read_npy_file(d_path()).array.values, product());
        EXPECT_EQ(result.json()["max_relative_error"], 0.0);
    }
    // Two inputs may be named by --in as well.
    EXPECT_EQ(run_tenfold("contract 'ij,jk->ik' --in " + path(0) + " --in " + path(1)).status, 0);
}

TEST_F(ManyFiles, WrongNumbersAndShapesAreRefused) {
    struct wrong {
        std::string arguments, told;
    };
    for (const auto &[arguments, told] :
         {wrong{"--a " + path(0) + " --b " + path(1),
                "'ij,jk,kl->il' has 3 inputs, but 2 files are given"},
          wrong{"--b " + path(0) + " --in " + path(1), "--a is missing"},
          wrong{"--a " + path(0) + " --b " + path(1) + " --in " + path(0),
                "label 'k': axis 1 of '" + path(1) + "' has extent 5, axis 0 of '" + path(0) +
                    "' has extent 3"}}) {
        const program_result result = run_tenfold("contract 'ij,jk,kl->il' " + arguments);
        EXPECT_EQ(result.status, 2) << arguments;
        EXPECT_NE(result.err.find(told), std::string::npos) << result.err;
    }
}

TEST(ManyInputs, ExplainShowsThePath) {
    const std::string command = "explain ad=ab*bc*cd --extents a=10,b=100,c=5,d=50 ";
    const program_result text = run_tenfold(command);
    ASSERT_EQ(text.status, 0) << text.err;
    EXPECT_NE(text.out.find("path: 2 steps, the fewest multiply-adds"), std::string::npos)
        << text.out;
    const program_result result = run_tenfold(command + "--json");
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = result.json();
    EXPECT_EQ(json["flops"], 15000.0);
    EXPECT_EQ(json["flops_at_once"], 1e6);
    EXPECT_EQ(json["largest_intermediate_bytes"], 400);
    ASSERT_EQ(json["steps"].size(), 2U);
    EXPECT_EQ(json["steps"][0]["expression"], "ac=ab*bc");
    EXPECT_EQ(json["steps"][1]["operands"], (std::vector<int>{3, 2}));
}

TEST(ManyInputs, TooLittleMemoryNamesTheLeast) {
    const std::string command =
        "contract ad=ab*bc*cd --extents a=10,b=100,c=5,d=50 --json --algorithm reference ";
    const program_result refused = run_tenfold(command + "--workspace-limit 100");
    EXPECT_EQ(refused.status, 1);
    EXPECT_NE(refused.err.find("needs at least 448 bytes of workspace, but the limit is 100"),
              std::string::npos)
        << refused.err;
    const program_result least = run_tenfold(command + "--workspace-limit 448");
    ASSERT_EQ(least.status, 0) << least.err;
    EXPECT_EQ(least.json()["workspace_bytes"], 448);
}

} // namespace
} // namespace tenfold::testing
