// Programs as text: what is read is written again, and mistakes are told with their place.
#include <gtest/gtest.h>

#include <tenfold/program.hpp>

#include "support/temporary_folder.hpp"

namespace tenfold::testing {
namespace {

/// Without white space and comments.
std::string squeezed(const std::string &text) {
    std::string kept;
    bool comment = false;
    for (const char c : text) {
        comment = c != '\n' && (comment || c == '#');
        if (!comment && c != ' ' && c != '\n' && c != '\t')
            kept += c;
    }
    return kept;
}

TEST(ProgramText, IsWrittenAsItWasRead) {
    for (const char *name : {"mp2", "mp3", "lccd", "ccd", "spin_orbital_ccd"}) {
        SCOPED_TRACE(name);
        const std::string path = std::string(TENFOLD_METHODS) + "/" + name + ".tenfold";
        const program read = read_program(path);
        EXPECT_EQ(squeezed(read.to_string()), squeezed(text_in(path)));
        const program again = parse_program(read.to_string());
        EXPECT_EQ(again.to_string(), read.to_string());
        EXPECT_EQ(again, read);
        EXPECT_EQ(again.tensors(), read.tensors());
    }
}

TEST(ProgramText, WritesEachStatement) {
    const std::string text = "index i, j, k: occupied\n"
                             "index a: virtual\n"
                             "input V[i,j,k], e[occupied], s\n"
                             "output R[i,j], n\n"
                             "R[i,j] = -.5*s*V[i,j,k] + P(i,j)*V[j,i,k] / (e[i] - 2*e[j] + s)\n"
                             "R[i,j] -= 2e-1*V[i,k,j]*V[k,i,j]\n"
                             "n = 0\n"
                             "Q[i,j] = V[i,k,j]\n"
                             "repeat until abs(n - 2) < 1e-10 and n > 1 at most 50 {\n"
                             "    repeat until sqrt(n) > 0 at most 2 {\n"
                             "        n += R[i,j]*R[i,j] / (s + 3)\n"
                             "    }\n"
                             "    diis R, Q with Q, Q keep 4\n"
                             "}\n";
    const program read = parse_program(text);
    EXPECT_EQ(read.to_string(), text);
    EXPECT_EQ(read.ranges(), (std::vector<std::string>{"occupied", "virtual"}));
    const std::vector<program_tensor> tensors{
        {"V", {"occupied", "occupied", "occupied"}, tensor_role::input},
        {"e", {"occupied"}, tensor_role::input},
        {"s", {}, tensor_role::input},
        {"R", {"occupied", "occupied"}, tensor_role::output},
        {"n", {}, tensor_role::output},
        {"Q", {"occupied", "occupied"}, tensor_role::intermediate}};
    EXPECT_EQ(read.tensors(), tensors);
}

/// What is wrong with `text` behind some declarations, which take three lines.
std::string problem_of(const std::string &text, errc code) {
    try {
        static_cast<void>(parse_program("index i, j, k: occ\nindex a, b: vir\n"
                                        "input V[a,i], W[a,b,i,j], e[i], f[a], s\n" +
                                        text));
    } catch (const error &problem) {
        EXPECT_EQ(problem.code(), code) << problem.what();
        return problem.what();
    }
    return "nothing";
}

struct mistake {
    const char *text;
    errc code;
    const char *told;
};

TEST(ProgramText, MistakesAreTold) {
    const mistake mistakes[] = {
        {"R[a,i] = V[a,i", errc::syntax, "line 4, column 15: expected ']', found the end"},
        {"R[a,i] =\n  V[a,i] $", errc::syntax, "line 5, column 10: unexpected character '$'"},
        {"R[a,i] = s\u2212V[a,i]", errc::syntax, "line 4, column 11: unexpected character U+2212"},
        {"R[a,i] = V[a,i]\xFF", errc::syntax, "line 4, column 16: unexpected byte 0xFF"},
        {"R[a,i] = 1.2.3*V[a,i]", errc::syntax, "line 4, column 10: '1.2.3' is not a number"},
        {"R[a,i] V[a,i]", errc::syntax, "line 4, column 8: expected '=', '+=' or '-=', found 'V'"},
        {"E[] = V[a,i]*V[a,i]", errc::syntax,
         "line 4, column 3: expected a label, found ']': scalars are written without brackets"},
        {"output = 2", errc::syntax, "expected the name of a tensor, found '='"},
        {"n = 2\noutput E", errc::syntax,
         "line 5, column 1: 'output' stands before the first line"},
        {"repeat until s < 1 at most 0 { n = 1 }", errc::syntax,
         "'0' is not a whole number above 0"},
        {"repeat until s < 1 at most 5 { n = 1", errc::syntax, "expected '}' of the '{' in line 4"},
        {"repeat until s < 1 at most 5 { }", errc::syntax, "a block without lines"},
        {"R[a,i] = V[a,i] / (f[a])*2", errc::syntax, "a divisor is the last thing of its term"},
        {"keep = 1", errc::syntax, "expected the name of a tensor, which 'keep' cannot be"},
        {"R[a,x] = V[a,i]", errc::unknown_label, "line 4, column 5: label 'x' is of no range"},
        {"R[a,i] = V[a,j]", errc::unknown_label,
         "line 4, column 10: label 'i' (occ) of 'R' is in no factor of this term"},
        {"R[a,i] = V[i,a]", errc::extent_mismatch,
         "line 4, column 12: label 'i' is of range 'occ', but mode 0 of 'V' is over 'vir'"},
        {"R[a,i] = V[a,i]\nR[i,a] = V[a,i]", errc::extent_mismatch,
         "line 5, column 3: label 'i' is of range 'occ', but mode 0 of 'R' is over 'vir'"},
        {"R[a,i] = W[a,b,i]", errc::order_mismatch,
         "line 4, column 10: 'W' has 4 modes (vir, vir, occ, occ), but 3 labels are here"},
        {"R[a,i] = s*V", errc::order_mismatch, "'V' has 2 modes (vir, occ), but 0 labels are here"},
        {"R[a,i] = G[a,i]", errc::invalid_argument,
         "line 4, column 10: 'G' is read here, but it is no input, and no line above writes it"},
        {"R[a,i] += V[a,i]", errc::invalid_argument, "'R' is read here"},
        {"n = 1\nn = n + 1\nn = n*V[a,i]*V[a,i]", errc::overlap,
         "line 6, column 5: 'n' is on both"},
        {"n = 2\nn = 5 + V[a,i]*V[a,i] / (n)", errc::overlap,
         "line 5, column 26: 'n' is on both sides"},
        {"R[a,i] = V[a,i]\nR[a,i] = 2*R[a,i]", errc::overlap,
         "line 5, column 12: 'R' is on both sides; use +="},
        {"V[a,i] = 0", errc::invalid_argument, "'V' is an input, which lines cannot write"},
        {"R[a,a] = W[a,b,i,j]", errc::repeated_label, "label 'a' is twice in 'R'"},
        {"R[a,i] = V[a,i] + 1", errc::unknown_label, "a term without tensors is all of its line"},
        {"R[i,j] = P(i,k)*W[a,b,i,j]", errc::unknown_label,
         "label 'k' is exchanged, but is not in 'R'"},
        {"R[a,i] = P(a,i)*V[a,i]", errc::extent_mismatch,
         "labels 'a' of range 'vir' and 'i' of range 'occ' cannot be exchanged"},
        {"R[i,j] = S(i,j; j,i)*W[a,b,i,j]", errc::repeated_label, "label 'j' is exchanged twice"},
        {"R[a,i] = V[a,i] / (e[j])", errc::unknown_label,
         "label 'j' of the divisor is not on the left side"},
        {"R[a,i] = V[a,i] / (V[a,i])", errc::order_mismatch, "divisors are made of vectors"},
        {"n = 0\nrepeat until V[a,i] < 1 at most 5 { n += 1 }", errc::invalid_argument,
         "tests are about scalars"},
        {"repeat until n < m at most 5 { n = 1 }", errc::invalid_argument,
         "line 4, column 18: 'm' is read here"},
        {"n = 1\ndiis n with n", errc::invalid_argument, "diis stands in a repeated block"},
        {"T[a,i] = V[a,i]\nn = 0\nrepeat until n < 1 at most 5 { diis T, T with V, V }",
         errc::invalid_argument, "line 6, column 40: 'T' is extrapolated twice"},
    };
    for (const mistake &one : mistakes) {
        SCOPED_TRACE(one.text);
        const std::string told = problem_of(one.text, one.code);
        EXPECT_NE(told.find(one.told), std::string::npos) << told;
    }
}

TEST(ProgramText, WritesPairs) {
    const std::string right = "index i, j: occ\n"
                              "index ij, kl: pairs(occ)\n"
                              "index AB, CD: strict_pairs(vir)\n"
                              "index a, b: vir\n"
                              "input V[a,b,i,j], W[ij,kl], pack, half\n"
                              "output R[AB,i,j], unpack\n"
                              "pack R[AB,i,j] = V[a,b,i,j]\n"
                              "pack P[AB,ij] = V[a,b,i,j]\n"
                              "X[ij] = W[ij,kl]\n"
                              "Q[a,b,i,j] = V[a,b,i,j]\n"
                              "unpack = pack + half\n"
                              "unpack Q[a,b,i,j] += P[AB,ij]\n"
                              "unpack Y[i,j] = X[ij]\n";
    const program read = parse_program(right);
    EXPECT_EQ(read.to_string(), right);
    EXPECT_EQ(read.ranges(), (std::vector<std::string>{"occ", "vir"}));
    EXPECT_EQ(read.tensors()[1],
              (program_tensor{"W", {"pairs(occ)", "pairs(occ)"}, tensor_role::input}));
    EXPECT_EQ(read.tensors()[4],
              (program_tensor{"R", {"strict_pairs(vir)", "occ", "occ"}, tensor_role::output}));

    const std::string both = "index i, j: occ\n"
                             "index a, b: vir\n"
                             "index ij: pairs(occ)\n"
                             "index ab: pairs(vir)\n"
                             "input V[a,b,i,j]\n"
                             "pack P[ab,ij], M[ab,ij] = V[a,b,i,j] with half diagonal\n"
                             "pack P[ab,ij], M[ab,ij] = V[a,b,i,j]\n"
                             "unpack X[a,b,i,j] = P[ab,ij], M[ab,ij]\n"
                             "unpack X[a,b,i,j] += P[ab,ij], M[ab,ij]\n";
    EXPECT_EQ(parse_program(both).to_string(), both);
}

TEST(ProgramText, MistakesInPairsAreTold) {
    const mistake mistakes[] = {
        {"pack P[ab,i,j] = 2*W[a,b,i,j]", errc::syntax, "expected the name of a tensor, found '2'"},
        {"pack P[ab,i,j] += W[a,b,i,j]", errc::syntax, "line 8, column 16: expected '=', found"},
        {"X[a,i] = V[a,i]\nunpack X[a,i] -= Q[ab]", errc::syntax,
         "line 9, column 15: expected '=' or '+=', found '-='"},
        {"pack P[ab,i,j] = W[a,b,i,j] with half diagonal", errc::syntax,
         "line 8, column 34: half diagonals are of two tensors"},
        {"pack P[ab,ij], M[ab,ij] = W[a,b,i,j] with diagonal", errc::syntax, "expected 'half'"},
        {"pack P[ab,i,j] = G[a,b,i,j]", errc::invalid_argument, "'G' is read here"},
        {"pack V[ab] = W[a,b,i,j]", errc::invalid_argument, "'V' is an input"},
        {"pack P[ab,i,j] = W[a,b,j,i]", errc::unknown_label,
         "line 8, column 11: label 'i' of 'P' is neither a pair nor the next label of 'W', which "
         "is "
         "'j'"},
        {"pack P[ab,i,j,k] = W[a,b,i,j]", errc::unknown_label,
         "label 'k' of 'P' is neither a pair nor the next label of 'W', which has no more"},
        {"pack P[a,b,ab] = W[a,b,i,j]", errc::extent_mismatch,
         "line 8, column 12: label 'ab' of 'P' stands for two labels of range 'vir' of 'W', but "
         "mode 2, 'i', is of range 'occ'"},
        {"pack P[ab] = V[a,i]", errc::extent_mismatch, "but mode 1, 'i', is of range 'occ'"},
        {"pack P[ab] = f[a]", errc::order_mismatch,
         "label 'ab' of 'P' stands for two labels of range 'vir' of 'f', which has 1 modes"},
        {"pack P[ab,i] = W[a,b,i,j]", errc::order_mismatch,
         "line 8, column 24: label 'j' of 'W' is in no label of 'P'"},
        {"pack P[a,b,i,j] = W[a,b,i,j]", errc::invalid_argument,
         "no label of 'P' stands for two of 'W'; declare one: index ij: pairs(RANGE)"},
        {"pack P[ab,i,j] = W[a,a,i,j]", errc::repeated_label, "label 'a' is twice in 'W'"},
        {"pack P[ab,ij], P[ab,ij] = W[a,b,i,j]", errc::overlap, "'P' cannot be both"},
        {"pack P[ab,ij], M[ab,IJ] = W[a,b,i,j]", errc::invalid_argument,
         "label 'IJ' of 'M' is over strict pairs: both of two packed tensors are over pairs(occ)"},
        {"pack P[ab,ij], M[cd,ij] = W[a,b,i,j]", errc::unknown_label,
         "line 8, column 18: label 'cd' of 'M' is not that of 'P', 'ab'"},
        {"pack P[ab,i,j], M[ab,i,j] = W[a,b,i,j]", errc::invalid_argument,
         "two packed tensors have two labels, each of which stands for two of 'W'"},
        {"unpack X[a,b,i,j] += Q[ab]", errc::invalid_argument, "'X' is read here"},
        {"unpack V[a,i] = Q[ab]", errc::invalid_argument, "'V' is an input"},
        {"unpack X[i,j] = Q[ab]", errc::extent_mismatch, "but mode 0, 'i', is of range 'occ'"},
        {"R[ij] = V[a,i]", errc::unknown_label, "label 'ij' (pairs(occ)) of 'R' is in no factor"},
    };
    for (const mistake &one : mistakes) {
        SCOPED_TRACE(one.text);
        const std::string told =
            problem_of(std::string("index ab, cd: pairs(vir)\nindex ij: pairs(occ)\n"
                                   "index IJ: strict_pairs(occ)\ninput Q[ab]\n") +
                           one.text,
                       one.code);
        EXPECT_NE(told.find(one.told), std::string::npos) << told;
    }
}

/// Texts of strangers neither exhaust the stack nor all memory.
TEST(ProgramText, TextsOfAnyDepthAreRead) {
    std::string deep, many;
    for (int i = 0; i < 100000; ++i)
        deep += "repeat until s < 1 at most 2 { ";
    EXPECT_NE(problem_of(deep.c_str(), errc::unsupported).find("blocks inside one another"),
              std::string::npos);
    for (int i = 0; i < 60; ++i)
        many += "P(i,j)*";
    EXPECT_NE(problem_of(("R[i,j] = " + many + "W[a,b,i,j]").c_str(), errc::unsupported)
                  .find("a term is symmetrised 60 times; 10 is the most"),
              std::string::npos);
}

TEST(ProgramText, MistakesInDeclarationsAreTold) {
    const mistake mistakes[] = {
        {"index i: occ\nindex i: vir", errc::invalid_argument,
         "line 2, column 7: label 'i' is of range 'occ' already"},
        {"input V[a]", errc::unknown_label, "line 1, column 9: label 'a' is of no range"},
        {"index i: occ\ninput V[i], V[i]", errc::invalid_argument,
         "line 2, column 13: 'V' is declared twice"},
        {"index i: occ\noutput V[i]", errc::invalid_argument,
         "line 2, column 8: output 'V' is never written"},
        {"index at: occ", errc::syntax, "expected a label, which 'at' cannot be, found 'at'"},
    };
    for (const mistake &one : mistakes) {
        SCOPED_TRACE(one.text);
        try {
            static_cast<void>(parse_program(one.text));
            ADD_FAILURE() << "no error";
        } catch (const error &problem) {
            EXPECT_EQ(problem.code(), one.code);
            EXPECT_NE(std::string(problem.what()).find(one.told), std::string::npos)
                << problem.what();
        }
    }
}

TEST(ProgramText, ErrorsHaveFields) {
    try {
        static_cast<void>(parse_program("index i: occ\nindex a: vir\ninput V[a,i]\n"
                                        "R[i] = V[i,a]"));
        FAIL();
    } catch (const error &problem) {
        EXPECT_EQ(problem.details().label, "i");
        EXPECT_EQ(problem.details().first.name, "V");
        EXPECT_EQ(problem.details().first.mode, 0);
    }
}

TEST(ProgramText, FilesAreNamed) {
    const temporary_folder folder;
    const std::string path = folder.file("wrong.tenfold");
    write_into(path, "index i: occ\nR[i] = 2*V[i]\n");
    try {
        static_cast<void>(read_program(path));
        FAIL();
    } catch (const error &problem) {
        EXPECT_EQ(std::string(problem.what()),
                  "'" + path +
                      "', line 2, column 10: 'V' is read here, but it is no input, and no "
                      "line above writes it");
    }
    EXPECT_THROW(static_cast<void>(read_program(folder.file("none"))), error);
    write_into(path, "\xEF\xBB\xBFindex i: occ\n");
    EXPECT_EQ(read_program(path).to_string(), "index i: occ\n");
}

} // namespace
} // namespace tenfold::testing
