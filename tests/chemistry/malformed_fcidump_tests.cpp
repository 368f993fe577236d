// Tests that the reader of FCIDUMP files refuses every kind of wrong one, and blames the line.
#include <gtest/gtest.h>

#include <tenfold/chem_fcidump.hpp>

#include "malformed_fcidumps.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold::testing {
namespace {

void expect_refused(const std::vector<malformed> &cases) {
    const temporary_folder folder;
    const std::string path = folder.file("FCIDUMP");
    for (const malformed &one : cases) {
        SCOPED_TRACE(one.what);
        write_into(path, one.text);
        try {
            chem::read_fcidump(path);
            EXPECT_EQ(one.who, told_by::program) << "nothing thrown";
        } catch (const chem::fcidump_error &problem) {
            const std::string text = problem.what();
            EXPECT_EQ(one.who, told_by::reader) << text;
            EXPECT_NE(text.find(one.message), std::string::npos) << text;
            EXPECT_GE(problem.line(), 1) << text;
            if (one.line > 0) {
                EXPECT_EQ(problem.line(), one.line) << text;
            }
        }
    }
}

TEST(MalformedFcidump, HeadersAreRefusedWithTheirLine) { expect_refused(malformed_headers()); }

TEST(MalformedFcidump, BodiesAreRefusedWithTheirLine) { expect_refused(malformed_bodies()); }

} // namespace
} // namespace tenfold::testing
