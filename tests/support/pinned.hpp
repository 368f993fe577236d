// Answers that a file pins down: tables of plans and prices that must not change by accident.
//
//     # a comment
//     wide x1 f64 abcd=aebf*dfce a=24,b=24      the question, which the test reads
//         ttgt 1.23e-04 s: move A to abef, ..   what it answered, line by line
//
// Numbers with a point in them may differ by 1 %, everything else must agree to the letter. After a
// change that is meant to change plans, run the test with TENFOLD_TEST_REPIN=1: it writes the
// answers of today into the file, and `git diff` shows what the change did.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tenfold::testing {

using lines = std::vector<std::string>;

/// Asks everything that the file asks; failures print the row as it would have to be. No lines:
/// this build cannot answer, and the row stays as it is.
void expect_pinned(const std::string &file,
                   const std::function<lines(const std::string &question)> &answer);

/// Whether they agree, as above.
bool agree(const std::string &one, const std::string &other);

} // namespace tenfold::testing
