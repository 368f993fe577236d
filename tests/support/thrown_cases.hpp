// Random tests that end by an exception: which case it was.
#pragma once

#include <string>

namespace tenfold::testing {

/// Prints rerun_line() of the last case below the failure if a test ends by an exception:
/// GoogleTest reports it outside the test, where SCOPED_TRACE is gone. `who`: what the line begins
/// with. Call it after InitGoogleTest().
void tell_cases_that_throw(const std::string &who = "");

} // namespace tenfold::testing
