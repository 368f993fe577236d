// Tests programs on HDF5 files. What they write is read again and compared as .npy files, so that
// axes must agree with those; h5py_round_trip compares with another program.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "npy_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

class Hdf5Arrays : public ::testing::Test {
protected:
    std::string path(const std::string &name) const { return directory_.file(name); }
    program_result tenfold(const std::string &arguments, int ranks = 0) const {
        return ranks == 0 ? run_tenfold(arguments) : run_ranks(ranks, TENFOLD_PROGRAM, arguments);
    }
    /// Copies a file's array into another with reversed axes.
    void reverse(const std::string &from, const std::string &to, int ranks = 0) const {
        const program_result result =
            tenfold("contract cba=abc --a " + path(from) + " --out " + path(to), ranks);
        ASSERT_EQ(result.status, 0) << result.out << result.err;
    }
    temporary_directory directory_;
};

TEST_F(Hdf5Arrays, ComeBackAsTheyWere) {
    for (const char *descr : {"<f4", "<f8", "<c8", "<c16"})
        for (const bool fortran_order : {false, true}) {
            SCOPED_TRACE(descr);
            const test_array a = integer_array({4, 5, 3}, 1, descr[1] == 'c');
            write_text(path("A.npy"), a.file_bytes(descr, fortran_order));
            reverse("A.npy", "B.h5:x/reversed");
            reverse("B.h5:/x/reversed", "B.h5:A");
            reverse("B.h5:A", "C.npy");
            reverse("C.npy", "D.npy");
            const read_array d = read_npy_file(path("D.npy"));
            EXPECT_EQ(d.descr, descr);
            EXPECT_EQ(d.array.shape, a.shape);
            EXPECT_EQ(d.array.values, a.values);
        }
}

TEST_F(Hdf5Arrays, OfTransposes) {
    const test_array a = integer_array({4, 5}, 1, false);
    write_text(path("A.npy"), a.file_bytes("<f8", true));
    for (const std::string arguments :
         {"--a A.npy --out B.hdf5:b", "--a A.npy --out B.hdf5:b --beta 2",
          "--a B.hdf5:b --out C.npy"}) {
        const program_result result =
            run_command("cd " + path(".") + " && " TENFOLD_PROGRAM, "transpose ba=ab " + arguments);
        ASSERT_EQ(result.status, 0) << result.err;
    }
    test_array three = a;
    for (std::complex<double> &value : three.values)
        value *= 3;
    EXPECT_EQ(read_npy_file(path("C.npy")).array.values, three.values);
}

#ifdef TENFOLD_TEST_RANKS
TEST_F(Hdf5Arrays, OnAnyNumberOfRanks) {
    const test_array a = integer_array({4, 5, 3}, 1, true);
    write_text(path("A.npy"), a.file_bytes("<c16", false));
    reverse("A.npy", "B.h5:x/reversed", 3);
    reverse("B.h5:x/reversed", "B.h5:A", 2);
    const std::string command = "contract abc=abc --verify --json --beta -2 --c " + path("B.h5:A") +
                                " --a " + path("B.h5:A") + " --out " + path("D.h5:D");
    const program_result result = tenfold(command, 4);
    ASSERT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.json()["max_relative_error"], 0.0);
    reverse("D.h5:D", "E.npy", 1);
    reverse("E.npy", "F.npy");
    test_array negative = a;
    for (std::complex<double> &value : negative.values)
        value = -value;
    EXPECT_EQ(read_npy_file(path("F.npy")).array.values, negative.values);
}
#endif

TEST_F(Hdf5Arrays, ThatCannotBeMeant) {
    write_text(path("A.npy"), integer_array({2, 3}, 1, false).file_bytes("<f8", false));
    ASSERT_EQ(tenfold("contract ab=ab --a " + path("A.npy") + " --out " + path("B.h5:x/A")).status,
              0);
    const auto refused = [&](const std::string &files, int status, const std::string &told) {
        const program_result result = tenfold("contract ab=ab " + files);
        EXPECT_EQ(result.status, status) << result.err;
        EXPECT_NE(result.err.find(told), std::string::npos) << result.err;
    };
    refused("--a " + path("B.h5"), 2, "says no dataset: write ");
    refused("--a " + path("B.h5:"), 2, "says no dataset: write ");
    refused("--a " + path("B.h5:A"), 2, "has no dataset '/A'; there is '/x/A'");
    refused("--a " + path("missing.h5:A"), 1, "missing.h5");
    const program_result half =
        tenfold("transpose ba=ab --type f64-f16 --a " + path("A.npy") + " --out " + path("B.h5:h"));
    EXPECT_EQ(half.status, 0) << half.err;
    EXPECT_EQ(
        tenfold("transpose ab=ba --type f16-f64 --a " + path("B.h5:h") + " --out " + path("C.npy"))
            .status,
        0);
    EXPECT_EQ(read_npy_file(path("C.npy")).array.values, read_npy_file(path("A.npy")).array.values);
    refused("--a " + path("A.npy") + " --out " + path("B.h5:x"), 2, "is there and no dataset");
    refused("--a " + path("A.npy") + " --out " + path("B.h5:.."), 2, "no '..'");
    write_text(path("text.h5"), "text");
    refused("--a " + path("text.h5:A"), 1, "is not an HDF5 file");
    refused("--a " + path("A.npy") + " --out " + path("text.h5:A"), 1, "is not an HDF5 file");
    EXPECT_EQ(read_text(path("text.h5")), "text");
}

/// Opening a pipe would block.
TEST_F(Hdf5Arrays, AreInRegularFiles) {
    ASSERT_EQ(mkfifo(path("pipe.h5").c_str(), 0600), 0);
    const program_result result = run_command(std::string("timeout 20 ") + TENFOLD_PROGRAM,
                                              "contract ji=ij --a " + path("pipe.h5:a"));
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_NE(result.err.find("is not a regular file"), std::string::npos) << result.err;
}

} // namespace
} // namespace tenfold::testing
