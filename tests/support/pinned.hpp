// Compares answers with a file: tables of plans and prices that must not change by accident.
//
//     # a comment
//     wide x1 f64 abcd=aebf*dfce a=24,b=24      the question, which the test reads
//         ttgt 1.23e-04 s: move A to abef, ..   the answer, line by line
//
// Numbers with a decimal point may differ by 1 %; everything else must be identical. After a change
// that is meant to change plans, run the test with TENFOLD_TEST_REPIN=1: it writes the current
// answers into the file, and `git diff` shows the effect.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tenfold::testing {

using lines = std::vector<std::string>;

/// Asks all questions of the file. A failure prints the row as it should be. If `answer` returns no
/// lines, this build cannot answer, and the row is skipped.
void expect_pinned(const std::string &file,
                   const std::function<lines(const std::string &question)> &answer);

/// Whether two lines are equal in the sense above.
bool agree(const std::string &one, const std::string &other);

} // namespace tenfold::testing
