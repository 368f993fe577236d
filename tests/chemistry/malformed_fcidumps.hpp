// FCIDUMP files that must be refused, each with what it is to be told.
#pragma once

#include <string>
#include <vector>

namespace tenfold::testing {

inline const std::string minimal_header = "&FCI NORB=2,NELEC=2,MS2=0,\n ORBSYM=1,1,\n&END\n";
inline const std::string minimal_body =
    "0.7 1 1 1 1\n0.6 2 2 1 1\n-1.2 1 1 0 0\n-0.5 2 2 0 0\n0.7 0 0 0 0\n";

enum class told_by { reader, program };

struct malformed {
    std::string what;
    std::string text;
    std::string message; ///< part of it
    int line;            ///< that it names; or one of these
    told_by who = told_by::reader;
};
inline constexpr int some_line = 0; ///< the last one, for instance
inline constexpr int no_line = -1;  ///< of what is no text, or no file

inline std::string with_line(const std::string &line) {
    return minimal_header + line + "\n" + minimal_body;
}
inline std::string with_header(const std::string &text) { return text + minimal_body; }

/// In a file of the smallest molecule, in the header.
inline std::vector<malformed> malformed_headers() {
    return {
        {"empty", "", "empty", some_line},
        {"blank lines only", "\n\n", "empty", some_line},
        {"no header", minimal_body, "expected the header", 1},
        {"another header", with_header("&SCF NORB=2,NELEC=2,\n&END\n"), "expected the header", 1},
        {"open header", "&FCI NORB=2,NELEC=2,\n", "ends within the header", some_line},
        {"header never closed", with_header("&FCI NORB=2,NELEC=2,\n"), "", some_line},
        {"two headers", minimal_header + minimal_header + minimal_body, "second header", 4},
        {"two files", minimal_header + minimal_body + minimal_header + minimal_body,
         "second header", 9},
        {"header within the header", with_header("&FCI NORB=2,\n&FCI NELEC=2,\n&END\n"),
         "within the header", 2},
        {"no NORB", with_header("&FCI NELEC=2,\n&END\n"), "no NORB", 2},
        {"no NELEC", with_header("&FCI NORB=2,\n&END\n"), "no NELEC", 2},
        {"NORB=0", with_header("&FCI NORB=0,NELEC=2,\n&END\n"), "NORB=0", 2},
        {"negative NORB", with_header("&FCI NORB=-2,NELEC=2,\n&END\n"), "NORB=-2", 2},
        {"NORB that overflows", with_header("&FCI NORB=99999999999999999999,NELEC=2,\n&END\n"),
         "expected an integer", 2},
        {"NORB of too many", with_header("&FCI NORB=99999,NELEC=2,\n&END\n"), "NORB=99999", 2},
        {"fractional NORB", with_header("&FCI NORB=2.5,NELEC=2,\n&END\n"), "NORB=2.5", 2},
        {"letters in NORB", with_header("&FCI NORB=2x,NELEC=2,\n&END\n"), "NORB=2X", 2},
        {"NORB without a value", with_header("&FCI NORB=,NELEC=2,\n&END\n"), "NORB", 2},
        {"NORB twice", with_header("&FCI NORB=2,NORB=3,NELEC=2,\n&END\n"), "given twice", 1},
        {"NORB too small", with_header("&FCI NORB=1,NELEC=2,\n&END\n"), "index 2", 4},
        {"NORB too large", with_header("&FCI NORB=3,NELEC=2,\n&END\n"), "over orbital 3", 7},
        {"odd electrons", with_header("&FCI NORB=2,NELEC=3,\n&END\n"), "NELEC=3", 2,
         told_by::program},
        {"no electrons", with_header("&FCI NORB=2,NELEC=0,\n&END\n"), "NELEC=0", 2,
         told_by::program},
        {"negative electrons", with_header("&FCI NORB=2,NELEC=-2,\n&END\n"), "NELEC=-2", 2},
        {"too many electrons", with_header("&FCI NORB=2,NELEC=6,\n&END\n"), "NELEC=6", 2},
        {"open shell", with_header("&FCI NORB=2,NELEC=2,MS2=2\n&END\n"), "MS2=2", 2,
         told_by::program},
        {"UHF", with_header("&FCI NORB=2,NELEC=2,UHF=.TRUE.\n&END\n"), "UHF", 2},
        {"IUHF", with_header("&FCI NORB=2,NELEC=2,IUHF=1\n&END\n"), "UHF", 2},
        {"short ORBSYM", with_header("&FCI NORB=2,NELEC=2,ORBSYM=1,\n&END\n"), "ORBSYM", 2},
        {"long ORBSYM", with_header("&FCI NORB=2,NELEC=2,ORBSYM=3*1,\n&END\n"), "ORBSYM", 2},
        {"ORBSYM repeated beyond 64 bits",
         with_header("&FCI NORB=2,NELEC=2,\nORBSYM=9223372036854775807*1,1,1,1,\n&END\n"),
         "'9223372036854775807*1'", 2},
        {"ORBSYM repeated 'x' times", with_header("&FCI NORB=2,NELEC=2,\nORBSYM=x*1,1\n&END\n"),
         "'X*1'", 2},
        {"ORBSYM repeated less than once",
         with_header("&FCI NORB=2,NELEC=2,ORBSYM=\n1,\n-5*2,6*1\n&END\n"), "'-5*2'", 3},
        {"ORBSYM repeated 0 times", with_header("&FCI NORB=2,NELEC=2,ORBSYM=0*1,2*1\n&END\n"),
         "'0*1'", 1},
        {"ORBSYM of nothing", with_header("&FCI NORB=2,NELEC=2,ORBSYM=2*\n&END\n"), "'2*'", 1},
        {"letters in ORBSYM", with_header("&FCI NORB=2,NELEC=2,ORBSYM=1,b1u\n&END\n"), "'B1U'", 1},
        {"fractions in ORBSYM", with_header("&FCI NORB=2,NELEC=2,ORBSYM=1,1.5\n&END\n"), "'1.5'",
         1},
        {"huge values in ORBSYM", with_header("&FCI NORB=2,NELEC=2,ORBSYM=1,99999\n&END\n"),
         "'99999'", 1},
        {"ORBSYM without end",
         with_header("&FCI NORB=2,NELEC=2,\nORBSYM=4000*1,\n4000*1,\n4000*1\n&END\n"),
         "more than 4096 values", 3},
        {"text behind the header", with_header("&FCI NORB=2,NELEC=2 / 1\n"), "behind the end", 1},
    };
}

/// Behind it.
inline std::vector<malformed> malformed_bodies() {
    const std::string endless(3 << 20, '7');
    return {
        {"letters in a number", with_line("0.5x 2 1 1 1"), "expected a number", 4},
        {"a word", with_line("hello"), "expected a number", 4},
        {"decimal comma", with_line("0,5 2 1 1 1"), "expected a number", 4},
        {"NaN", with_line("nan 2 1 1 1"), "finite", 4},
        {"Fortran's NaN", with_line("NaN 2 1 1 1"), "finite", 4},
        {"infinity", with_line("inf 2 1 1 1"), "finite", 4},
        {"minus infinity", with_line("-Infinity 2 1 1 1"), "finite", 4},
        {"overflow", with_line("1e999 2 1 1 1"), "finite", 4},
        {"Fortran's overflow", with_line("*********** 2 1 1 1"), "expected a number", 4},
        {"complex", with_line("(0.5,0.1) 2 1 1 1"), "complex", 4},
        {"index above NORB", with_line("0.5 3 1 1 1"), "index 3", 4},
        {"negative index", with_line("0.5 -1 1 1 1"), "index -1", 4},
        {"fractional index", with_line("0.5 1.5 1 1 1"), "expected an index", 4},
        {"letters in an index", with_line("0.5 1 one 1 1"), "'one': expected an index", 4},
        {"huge index", with_line("0.5 99999999999999999999 1 1 1"), "expected an index", 4},
        {"a number only", with_line("0.5"), "ends too early", 4},
        {"three indices", with_line("0.5 2 1 1"), "ends too early", 4},
        {"five indices", with_line("0.5 2 1 1 1 1"), "behind the four indices", 4},
        {"a pattern of indices that means nothing", with_line("0.5 2 1 1 0"), "expected 'i j k l'",
         4},
        {"another such pattern", with_line("0.5 0 2 0 0"), "expected 'i j k l'", 4},
        {"a third one", with_line("0.5 0 0 1 1"), "expected 'i j k l'", 4},
        {"an integral twice", minimal_header + minimal_body + "0.5 1 1 1 1\n", "contradicts", 9},
        {"its pairs the other way round", minimal_header + minimal_body + "0.61 1 1 2 2\n",
         "contradicts", 9},
        {"a one-electron integral twice", minimal_header + minimal_body + "0.5 2 2 0 0\n",
         "contradicts", 9},
        {"an orbital energy twice", minimal_header + minimal_body + "0.1 2 0 0 0\n0.2 2 0 0 0\n",
         "contradicts", 10},
        {"two constants", minimal_header + minimal_body + "0.8 0 0 0 0\n", "contradicts", 9},
        {"cut within a line", minimal_header + "0.7 1 1 1 1\n0.6 2", "ends too early", 5},
        {"cut behind a line", minimal_header + "0.7 1 1 1 1\n0.6 2 2 1 1\n", "cut short", 5},
        {"no constant", minimal_header + "0.7 1 1 1 1\n-1.2 1 1 0 0\n", "constant", 5},
        {"no one-electron integrals", minimal_header + "0.7 1 1 1 1\n0.7 0 0 0 0\n", "one-electron",
         5},
        {"header only", minimal_header, "cut short", 3},
        {"binary", std::string("\x7f\x45\x4c\x46\x00\xff\n", 7) + minimal_body,
         "expected the header", 1},
        {"binary behind the header",
         minimal_header + std::string("\x01\x00\xff\x7f\n", 5) + minimal_body, "expected a number",
         4},
        {"a line of megabytes", minimal_header + endless + "\n" + minimal_body,
         "a line of a megabyte", 4},
        {"a number of many digits", with_line("0." + std::string(70, '3') + " 2 1 1"),
         "expected a number", 4},
        {"zeros without end", std::string(3 << 20, '\0'), "expected the header", 1},
    };
}

} // namespace tenfold::testing
