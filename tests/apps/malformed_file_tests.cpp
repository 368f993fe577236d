// Tests that every malformed .npy file gets an error that names the file and the problem.
#include <gtest/gtest.h>

#include "npy_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

struct malformed_file {
    const char *name;
    std::string bytes;
    const char *told;
};

std::vector<malformed_file> malformed_files() {
    const std::string data(4 * 5 * 8, '\0');
    const std::string good = npy_dictionary("<f8", false, {4, 5});
    const std::string whole = npy_bytes(1, good, data);
    const auto replaced = [&](const std::string &from, const std::string &to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return npy_bytes(1, text, data);
    };
    return {
        {"empty", "", "is not an .npy file"},
        {"text", "1 2 3\n4 5 6\n", "is not an .npy file"},
        {"half a magic", whole.substr(0, 4), "is not an .npy file"},
        {"magic only", whole.substr(0, 6), "truncated"},
        {"no header", whole.substr(0, 10), "truncated"},
        {"half a header", whole.substr(0, 40), "truncated"},
        {"no data", whole.substr(0, whole.size() - data.size()), "truncated"},
        {"one byte short", whole.substr(0, whole.size() - 1), "truncated"},
        {"one byte long", whole + "x", "too long"},
        {"version 4", npy_bytes(4, good, data), "version 4.0"},
        {"text as elements", replaced("<f8", "<U2"), "'<U2' is not supported"},
        {"long doubles", replaced("<f8", "<f16"), "'<f16' is not supported"},
        {"half precision, of the data of doubles", replaced("<f8", "<f2"), "too long"},
        {"zeros as header", npy_bytes(1, std::string(64, '\0'), data), "'{' expected"},
        {"zeros behind the header", replaced(", }", std::string(", }\0\0\0", 6)), "after the"},
        {"header of 3 GiB", std::string("\x93NUMPY\x02\x00\x00\x00\x00\xc0", 12) + data,
         "header of 3221225472 bytes"},
        {"objects", replaced("'<f8'", "'|O'"), "'|O' is not supported"},
        {"structured", replaced("'<f8'", "[('x', '<f8')]"), "structured"},
        {"no descr", replaced("'descr': '<f8', ", ""), "'descr' is missing"},
        {"no order", replaced("'fortran_order': False, ", ""), "'fortran_order' is missing"},
        {"no shape", replaced("'shape': (4, 5), ", ""), "'shape' is missing"},
        {"unknown key", replaced("'shape'", "'shapes'"), "unknown key 'shapes'"},
        {"order is a number", replaced("False", "0"), "True or False"},
        {"negative extent", replaced("(4, 5)", "(-4, 5)"), "an extent expected"},
        {"extent is a float", replaced("(4, 5)", "(4.0, 5)"), "malformed"},
        {"huge extent", replaced("(4, 5)", "(99999999999999999999, 5)"), "64 bits"},
        {"huge shape", replaced("(4, 5)", "(4000000000, 4000000000)"), "64 bits"},
        {"no brace", replaced("{", ""), "malformed"},
        {"shape does not end", replaced("(4, 5), }", "(4, 5"), "malformed"},
        {"string does not end", npy_bytes(1, "{'descr: ", data), "does not end"},
        {"text after it", replaced(", }", ", } 1"), "after the dictionary"},
    };
}

TEST(MalformedFiles, AreNamedWithTheirProblem) {
    const temporary_directory directory;
    const std::string a = directory.file("A.npy");
    const std::string b = directory.file("B.npy");
    write_text(b, integer_array({5, 6}, 2, false).file_bytes("<f8", false));
    for (const malformed_file &wrong : malformed_files()) {
        SCOPED_TRACE(wrong.name);
        write_text(a, wrong.bytes);
        const program_result result =
            run_tenfold("contract ij=ik*kj --json --a " + a + " --b " + b);
        EXPECT_EQ(result.status, 1);
        EXPECT_EQ(result.out, "");
        EXPECT_NE(result.err.find("error: '" + a + "'"), std::string::npos) << result.err;
        EXPECT_NE(result.err.find(wrong.told), std::string::npos) << result.err;
    }
}

TEST(MalformedFiles, ADirectoryIsNoFile) {
    const program_result result = run_tenfold("contract ij=ik*kj --a /tmp --b /tmp");
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.err.find("directory"), std::string::npos) << result.err;
}

TEST(MalformedFiles, HeadersThatOthersWriteAreUnderstood) {
    const temporary_directory directory;
    const std::string a = directory.file("A.npy");
    const std::string data = integer_array({2, 3}, 1, false).file_bytes("<f8", false).substr(128);
    for (const char *dictionary :
         {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
          "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f8\"}",
          "{'shape': (2L, 3L), 'fortran_order': False, 'descr': '<f8'}",
          "{ 'descr' : '=f8' , 'fortran_order' : False , 'shape' : ( 2 , 3 , ) }"}) {
        SCOPED_TRACE(dictionary);
        write_text(a, npy_bytes(1, dictionary, data));
        const program_result result = run_tenfold("contract ji=ij --verify --json --a " + a);
        EXPECT_EQ(result.status, 0) << result.err;
    }
}

} // namespace
} // namespace tenfold::testing
