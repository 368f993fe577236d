// Tests the programs under mpirun.
#include <limits>

#include <gtest/gtest.h>

#include "npy_file.hpp"
#include "run_program.hpp"
#include "support/error_bound.hpp"

namespace tenfold::testing {
namespace {

const std::string problem = "abcd=aebf*dfce --extents a=16,b=15,c=14,d=17,e=13,f=12 ";

TEST(Ranks, ContractDistributedAndVerify) {
    for (const int ranks : {1, 2, 3, 4}) {
        SCOPED_TRACE(ranks);
        const program_result result =
            run_ranks(ranks, TENFOLD_PROGRAM,
                      "contract " + problem + "--verify --json --repeat 2 --beta 0.5");
        ASSERT_EQ(result.status, 0) << result.out << result.err;
        const nlohmann::json json = result.json();
        EXPECT_EQ(json["ranks"], ranks);
        EXPECT_TRUE(json["predicted_seconds"].is_null());
        EXPECT_EQ(json["first_call"], false);
        EXPECT_GE(json["verified_elements"], 1000);
        EXPECT_LE(json["max_relative_error"].get<double>(), error_bound<double>(13 * 12));
        const nlohmann::json plan =
            run_tenfold("explain " + problem + "--json --beta 0.5 --ranks " + std::to_string(ranks))
                .json();
        EXPECT_EQ(json["bytes_received_max"], plan["bytes_received_per_rank"]);
        EXPECT_EQ(json["redistribution_bytes_max"], plan["redistribution_bytes_per_rank"]);
        EXPECT_GT(json["peak_bytes_per_rank"].get<long>(), 0);
    }
}

TEST(Ranks, MadeUpOperandsAreTheSameOnAnyNumberOfRanks) {
    const temporary_directory directory;
    ASSERT_EQ(
        run_tenfold("contract ba=ab --extents a=13,b=7 --out " + directory.file("1.npy")).status,
        0);
    const program_result result = run_ranks(
        3, TENFOLD_PROGRAM, "contract ba=ab --extents a=13,b=7 --out " + directory.file("3.npy"));
    ASSERT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(read_npy_file(directory.file("1.npy")).array.values,
              read_npy_file(directory.file("3.npy")).array.values);
}

/// Files of equal bytes: sums of 6 leaves and more, which a plain process cuts as ranks do.
TEST(Ranks, ReproducibleResultsAreThoseOfAPlainProcess) {
    const temporary_directory directory;
    setenv("TENFOLD_REPRODUCIBLE", "1", 1);
    for (const std::string contraction :
         {"abcd=aebf*dfce --extents a=9,b=8,c=7,d=6,e=41,f=40 --alpha 0.7",
          "ae=ab*bc*cd*de --extents a=14,b=700,c=9,d=310,e=12"}) {
        const std::string command = "contract " + contraction + " --out ";
        EXPECT_EQ(run_tenfold(command + directory.file("plain.npy")).status, 0);
        for (const int ranks : {1, 3}) {
            const program_result result =
                run_ranks(ranks, TENFOLD_PROGRAM, command + directory.file("ranks.npy"));
            EXPECT_EQ(result.status, 0) << result.out << result.err;
            EXPECT_TRUE(read_text(directory.file("plain.npy")) ==
                        read_text(directory.file("ranks.npy")))
                << contraction << " on " << ranks << " ranks";
        }
    }
    unsetenv("TENFOLD_REPRODUCIBLE");
}

TEST(Ranks, FilesInBothOrders) {
    const temporary_directory directory;
    const std::string a = directory.file("A.npy");
    const std::string b = directory.file("B.npy");
    const std::string c = directory.file("C.npy");
    const std::string command = "contract ij=ik*kj --alpha 2 --beta -1 --verify --json --a " + a +
                                " --b " + b + " --c " + c + " --out ";
    write_text(a, integer_array({9, 5}, 1, true).file_bytes("<c16", false));
    write_text(b, integer_array({5, 8}, 2, true).file_bytes("<c16", true));
    write_text(c, integer_array({9, 8}, 3, true).file_bytes("<c16", true));
    ASSERT_EQ(run_tenfold(command + directory.file("1.npy")).status, 0);
    const program_result result = run_ranks(4, TENFOLD_PROGRAM, command + directory.file("4.npy"));
    ASSERT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.json()["max_relative_error"], 0.0);
    EXPECT_EQ(read_npy_file(directory.file("1.npy")).array.values,
              read_npy_file(directory.file("4.npy")).array.values);
}

TEST(Ranks, MoreThanTwoInputs) {
    const std::string chain = "ae=ab*bc*cd*de --extents a=14,b=22,c=9,d=31,e=12 --json ";
    const program_result result =
        run_ranks(3, TENFOLD_PROGRAM, "contract " + chain + "--verify --beta 0.5");
    ASSERT_EQ(result.status, 0) << result.out << result.err;
    const nlohmann::json json = result.json();
    EXPECT_EQ(json["verified_elements"], 14 * 12);
    EXPECT_LE(json["max_relative_error"].get<double>(), error_bound<double>(22 * 9 * 31));
    const program_result explained = run_tenfold("explain " + chain + "--ranks 3 --beta 0.5");
    ASSERT_EQ(explained.status, 0) << explained.err;
    const nlohmann::json plan = explained.json();
    EXPECT_EQ(plan["distributed_steps"].size(), 3u);
    EXPECT_EQ(json["bytes_received_max"], plan["bytes_received_per_rank"]);
    EXPECT_EQ(json["redistribution_bytes_max"], plan["redistribution_bytes_per_rank"]);

    const temporary_directory directory;
    write_text(directory.file("A.npy"), integer_array({5, 7}, 1, false).file_bytes("<f8", false));
    write_text(directory.file("B.npy"), integer_array({7, 6}, 2, false).file_bytes("<f8", true));
    write_text(directory.file("C.npy"), integer_array({6, 4}, 3, false).file_bytes("<f8", false));
    const std::string files = "contract il=ij*jk*kl --verify --json --a " +
                              directory.file("A.npy") + " --in " + directory.file("B.npy") +
                              " --in " + directory.file("C.npy") + " --out ";
    ASSERT_EQ(run_tenfold(files + directory.file("1.npy")).status, 0);
    const program_result spread = run_ranks(2, TENFOLD_PROGRAM, files + directory.file("2.npy"));
    ASSERT_EQ(spread.status, 0) << spread.out << spread.err;
    EXPECT_EQ(spread.json()["max_relative_error"], 0.0);
    EXPECT_EQ(read_npy_file(directory.file("1.npy")).array.values,
              read_npy_file(directory.file("2.npy")).array.values);
}

TEST(Ranks, NaNIsNotVerified) {
    const temporary_directory directory;
    test_array a = integer_array({4, 5}, 1, false);
    a.values[2 * 5 + 3] = std::numeric_limits<double>::quiet_NaN();
    write_text(directory.file("A.npy"), a.file_bytes("<f8", false));
    write_text(directory.file("B.npy"), integer_array({5, 3}, 2, false).file_bytes("<f8", true));
    const program_result result =
        run_ranks(2, TENFOLD_PROGRAM,
                  "contract ij=ik*kj --json --verify --a " + directory.file("A.npy") + " --b " +
                      directory.file("B.npy"));
    EXPECT_NE(result.status, 0);
    const std::string all = result.out + result.err;
    EXPECT_NE(all.find("\"verified\":false"), std::string::npos) << all;
    EXPECT_NE(all.find("a NaN cannot be verified: A is NaN at i=2, k=3"), std::string::npos) << all;
}

/// Counts the program's own messages; the launcher adds others about the exit status.
std::size_t count_errors(const std::string &text) {
    std::size_t count = 0;
    for (std::size_t at = text.find("error: "); at != std::string::npos;
         at = text.find("error: ", at + 1))
        ++count;
    return count;
}

TEST(Ranks, ErrorsAreToldOnce) {
    for (const char *arguments :
         {"contract ab=ac*cb --extents a=2,b=3", "contract ab=ac*cb --bogus",
          "contract ab=ac*cb --a /nonexistent/A.npy --b B.npy",
          "contract ab=ac*cb --extents a=2,b=3,c=4 --out /nonexistent/D.npy",
          "transpose ba=ab --extents a=2,b=3"}) {
        SCOPED_TRACE(arguments);
        const program_result result = run_ranks(3, TENFOLD_PROGRAM, arguments);
        EXPECT_NE(result.status, 0);
        EXPECT_EQ(count_errors(result.out + result.err), 1U) << result.out << result.err;
    }
}

TEST(Ranks, BenchmarkRunsContractionsOnly) {
    const temporary_directory directory;
    const std::string list = directory.file("list");
    const std::string json_file = directory.file("results.json");
    const std::string one_extents = " a=4,b=3,c=2,d=3,e=4,f=5", two_extents = " a=5,b=6,c=7,d=3";
    const std::string one_spec = "abcde-efbad-cf --extents" + one_extents;
    const std::string two_spec = "ab-cad-dcb --extents" + two_extents;
    write_text(list, "one abcde-efbad-cf" + one_extents + "\ntwo ab-cad-dcb" + two_extents + "\n");
    const program_result result =
        run_ranks(2, TENFOLD_BENCH_PROGRAM,
                  "tccg --verify --repeat 2 --beta 1 --file " + list + " --json " + json_file);
    ASSERT_EQ(result.status, 0) << result.out << result.err;
    const auto json = nlohmann::json::parse(read_text(json_file));
    ASSERT_EQ(json["cases"].size(), 2U);
    for (const auto &one : json["cases"]) {
        EXPECT_EQ(one["ranks"], 2);
        EXPECT_LE(one["max_relative_error"].get<double>(),
                  error_bound<double>(one["case"] == "one" ? 5 : 7 * 3));
        const nlohmann::json plan =
            run_tenfold("explain " + (one["case"] == "one" ? one_spec : two_spec) +
                        " --ranks 2 --beta 1 --json")
                .json();
        EXPECT_EQ(one["bytes_received_max"], plan["bytes_received_per_rank"]);
        EXPECT_EQ(one["redistribution_bytes_max"], plan["redistribution_bytes_per_rank"]);
        EXPECT_GE(one["peak_bytes_max"].get<double>(),
                  0.9 * plan["peak_bytes_per_rank"].get<double>());
    }
    for (const char *suite : {"gemm", "ttc", "small", "ceilings"}) {
        const program_result refused = run_ranks(2, TENFOLD_BENCH_PROGRAM, suite);
        EXPECT_NE(refused.status, 0);
        EXPECT_EQ(count_errors(refused.out + refused.err), 1U) << refused.out << refused.err;
    }
}

TEST(Ranks, TraceHasEveryRank) {
    const temporary_directory directory;
    const std::string file = directory.file("trace.json");
    const program_result result =
        run_ranks(2, TENFOLD_PROGRAM, "contract " + problem + "--json --repeat 2 --trace " + file);
    ASSERT_EQ(result.status, 0) << result.out << result.err;
    int calls[2] = {0, 0};
    const nlohmann::json trace = nlohmann::json::parse(read_text(file));
    for (const auto &event : trace["traceEvents"])
        if (event["ph"] == "X" && event["cat"] == "call" &&
            event["name"].get<std::string>().rfind("contract abcd=aebf*dfce #", 0) == 0)
            ++calls[event["pid"].get<int>()];
    EXPECT_EQ(calls[0], 2);
    EXPECT_EQ(calls[1], 2);

    EXPECT_EQ(run_tenfold("contract " + problem + "--trace " + file).status, 2);
}

TEST(Ranks, DistributedSuiteCountsWhatWasPlanned) {
    const temporary_directory directory;
    const std::string json_file = directory.file("results.json");
    for (const int ranks : {1, 2, 3}) {
        SCOPED_TRACE(ranks);
        const program_result result =
            run_ranks(ranks, TENFOLD_BENCH_PROGRAM,
                      "dist --verify --repeat 2 --cases abcd32,cube1024 --json " + json_file);
        ASSERT_EQ(result.status, 0) << result.out << result.err;
        const auto json = nlohmann::json::parse(read_text(json_file));
        ASSERT_EQ(json["cases"].size(), 4U);
        for (const auto &one : json["cases"]) {
            SCOPED_TRACE(one["case"].get<std::string>() + " " + one["layout"].get<std::string>());
            EXPECT_EQ(one["suite"], "dist");
            EXPECT_EQ(one["bytes_received_by_rank"].size(), static_cast<std::size_t>(ranks));
            EXPECT_EQ(one["bytes_received_max"], one["bytes_received_planned"]);
            EXPECT_EQ(one["redistribution_bytes_max"], one["redistribution_bytes_planned"]);
            EXPECT_EQ(one["bytes_received_max"].get<long>() > 0, ranks > 1);
            if (one["layout"] == "plan") {
                EXPECT_EQ(one["redistribution_bytes_max"], 0);
            }
            EXPECT_LE(one["bound_bytes"], one["bytes_received_max"]);
            EXPECT_LE(one["peak_ratio"].get<double>(), 1.05);
            EXPECT_GE(one["overlap"].get<double>(), 0);
            EXPECT_LE(one["overlap"].get<double>(), 1);
            EXPECT_TRUE(one["resident_ratio"].is_null()); // far below 1 GiB
        }
    }
}

} // namespace
} // namespace tenfold::testing
