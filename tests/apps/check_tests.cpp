// Tests tenfold check: what files hold, what is wrong with them, and a library that crashes.
#include <sstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "npy_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

class Check : public ::testing::Test {
protected:
    std::string path(const std::string &name) const { return directory_.file(name); }
    program_result check(const std::string &arguments) const {
        return run_tenfold("check " + arguments);
    }
    /// Checks that a bad file gets this line once, and that the object of --json has it as well.
    void expect_bad(const std::string &arguments, const std::string &told) const {
        SCOPED_TRACE(arguments);
        const program_result text = check(arguments);
        EXPECT_EQ(text.status, 1) << text.out;
        EXPECT_EQ(text.out, "");
        EXPECT_EQ(text.err.find("tenfold check: error: "), 0U) << text.err;
        EXPECT_EQ(text.err.find('\n'), text.err.size() - 1) << text.err;
        EXPECT_NE(text.err.find(told), std::string::npos) << text.err;
        const program_result object = check("--json " + arguments);
        EXPECT_EQ(object.status, 1);
        EXPECT_FALSE(object.json()["valid"].get<bool>());
        const std::string problem = object.json()["error"];
        EXPECT_NE(problem.find(told), std::string::npos) << problem;
    }
    void write_npy(const std::string &name) const {
        write_text(path(name), integer_array({4, 5}, 1, false).file_bytes("<f8", true));
    }
    temporary_directory directory_;
};

TEST_F(Check, SaysWhatAnNpyFileHolds) {
    write_npy("A.npy");
    const program_result text = check(path("A.npy"));
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_EQ(text.out,
              "'" + path("A.npy") + "': npy, float64, extents 4 x 5, Fortran order, 160 bytes\n");
    const nlohmann::json object = check(path("A.npy") + " --json").json();
    EXPECT_TRUE(object["valid"].get<bool>());
    EXPECT_TRUE(object["error"].is_null());
    EXPECT_EQ(object["format"], "npy");
    EXPECT_EQ(object["tensors"].size(), 1U);
    EXPECT_EQ(object["tensors"][0]["type"], "float64");
    EXPECT_EQ(object["tensors"][0]["extents"], (std::vector<int>{4, 5}));
    EXPECT_EQ(object["tensors"][0]["order"], "Fortran");
    EXPECT_EQ(object["tensors"][0]["bytes"], 160);
    EXPECT_EQ(check("--in-process " + path("A.npy")).out, text.out);
    write_text(path("B.npy"), npy_bytes(1, npy_dictionary(">i8", false, {0, 3}), ""));
    EXPECT_NE(check(path("B.npy")).out.find("int64, extents 0 x 3, C order, 0 bytes"),
              std::string::npos);
}

TEST_F(Check, SaysWhatIsWrong) {
    write_npy("A.npy");
    const std::string whole = read_text(path("A.npy"));
    write_text(path("short"), whole.substr(0, whole.size() - 1));
    expect_bad(path("short"), "truncated");
    write_text(path("bool"),
               npy_bytes(1, npy_dictionary("|b1", false, {3}), std::string("\0\1\2", 3)));
    expect_bad(path("bool"), "element [2] is 2");
    write_text(path("text"), "1 2 3\n");
    expect_bad(path("text"), "is no .npy file, no HDF5 file and no checkpoint");
    expect_bad(path("missing"), "cannot be opened");
    expect_bad(path("A.npy").substr(0, path("A.npy").find_last_of('/')), "is a directory");
    expect_bad("/dev/zero", "is not a regular file");
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    expect_bad(path("pipe"), "is not a regular file");
    EXPECT_EQ(check("").status, 2);
    EXPECT_EQ(check(path("A.npy") + " --fast").status, 2);
}

#ifdef TENFOLD_TEST_HDF5
class CheckHdf5 : public Check {
protected:
    CheckHdf5() {
        write_npy("A.npy");
        for (const std::string name : {"a", "x/b"})
            EXPECT_EQ(run_tenfold("contract ji=ij --a " + path("A.npy") + " --out " +
                                  path("A.h5:" + name))
                          .status,
                      0);
    }
};

TEST_F(CheckHdf5, SaysWhatDatasetsThereAre) {
    const std::string file = path("A.h5");
    const program_result all = check(file);
    EXPECT_EQ(all.status, 0) << all.err;
    EXPECT_EQ(all.out, "'" + file + "': hdf5, '/a', f64, extents 5 x 4, C order, 160 bytes\n'" +
                           file + "': hdf5, '/x/b', f64, extents 5 x 4, C order, 160 bytes\n");
    EXPECT_EQ(check(file + ":x/b --json").json()["tensors"].size(), 1U);
    expect_bad(file + ":none", "has no dataset '/none'");
    expect_bad(path("A.npy") + ".h5:a", "cannot be opened");
    write_text(path("B.h5"), read_text(path("A.npy")));
    expect_bad(path("B.h5:a"), "is not an HDF5 file");
}

/// Every beginning of a file, and every change of a byte of its metadata, gives an error or a
/// result.
TEST_F(CheckHdf5, DamageIsFoundOrHarmless) {
    const std::string good = read_text(path("A.h5"));
    std::size_t written = 0;
    const auto write_damaged = [&](const std::string &bytes) {
        write_text(path("damaged" + std::to_string(written++)), bytes);
    };
    for (std::size_t size = 0; size < good.size(); size += 1 + good.size() / 16)
        write_damaged(good.substr(0, size));
    for (std::size_t at = 0; at < 2048 && at < good.size(); at += 37)
        for (const int change : {0x00, 0xff}) {
            std::string bytes = good;
            bytes[at] = static_cast<char>(change);
            write_damaged(bytes);
        }
    const program_result result =
        run_command("for i in $(seq 0 " + std::to_string(written - 1) +
                        "); do " TENFOLD_PROGRAM " check " + path("damaged$i") + " >" +
                        path("out") + " 2>&1; echo $? $(wc -l <" + path("out") + "); done",
                    "");
    std::istringstream lines(result.out);
    std::size_t seen = 0;
    for (int status = 0, told = 0; lines >> status >> told; ++seen) {
        SCOPED_TRACE("damage " + std::to_string(seen));
        EXPECT_TRUE((status == 0 && told >= 1) || (status == 1 && told == 1))
            << status << " " << told;
    }
    EXPECT_EQ(seen, written);
}

#if !defined(__SANITIZE_ADDRESS__)
/// In this test the library crashes whenever a dataset is read.
TEST_F(CheckHdf5, ACrashOfTheLibraryIsTold) {
    const std::string file = path("A.h5");
    for (const auto &[signal, name] : {std::pair("SEGV", "SIGSEGV"), {"ABRT", "SIGABRT"}}) {
        const std::string crashing = std::string("LD_PRELOAD=") + TENFOLD_CRASHING_HDF5 +
                                     " TENFOLD_TEST_CRASH=" + signal + " " + TENFOLD_PROGRAM;
        const program_result result = run_command(crashing, "check --json " + file);
        EXPECT_EQ(result.status, 1) << result.err;
        EXPECT_EQ(result.err, "tenfold check: error: '" + file + "': the HDF5 library crashed (" +
                                  name + ") while reading it: the file is damaged\n");
        EXPECT_FALSE(result.json()["valid"].get<bool>());
        EXPECT_EQ(result.json()["format"], "hdf5");
        // Confirms that the library crashes: without a child, the program crashes with it.
        EXPECT_GE(run_command(crashing, "check --in-process " + file).status, 128);
    }
}
#endif
#endif

#ifdef TENFOLD_TEST_CHECKPOINT
TEST_F(Check, VerifiesTheChecksumsOfCheckpoints) {
    const std::string file = path("checkpoint");
    const program_result run = run_command(
        TENFOLD_CCSD_PROGRAM,
        std::string(TENFOLD_TEST_DATA) + "/h2o_sto3g.FCIDUMP --method ccsd --checkpoint " + file);
    ASSERT_EQ(run.status, 0) << run.err;
    const nlohmann::json good = check("--json " + file).json();
    EXPECT_TRUE(good["valid"].get<bool>());
    EXPECT_EQ(good["format"], "checkpoint");
    EXPECT_GE(good["tensors"].size(), 2U);
    EXPECT_EQ(good["tensors"][0]["order"], "Fortran");

    const std::string bytes = read_text(file);
    std::string damaged = bytes;
    damaged.back() ^= '\1';
    write_text(file, damaged);
    expect_bad(file, "do not have their checksum");
    damaged = bytes;
    damaged[50] ^= '\1';
    write_text(file, damaged);
    expect_bad(file, "header's checksum");
    write_text(file, bytes.substr(0, bytes.size() - 1));
    expect_bad(file, "truncated");
    // Every change of the header is found, and none crashes the program.
    for (std::size_t at = 0; at < 600; at += 23) {
        damaged = bytes;
        damaged[at] = static_cast<char>(~damaged[at]);
        write_text(file, damaged);
        EXPECT_EQ(check(file).status, 1) << at;
    }
}
#endif

} // namespace
} // namespace tenfold::testing
