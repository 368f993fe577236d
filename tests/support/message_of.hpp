// Returns the message of an expected error.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include <tenfold/error.hpp>

namespace tenfold::testing {

/// Returns the message of the error that f() throws, which must have the code `code`.
template <class F> std::string message_of(F &&f, errc code) {
    try {
        f();
    } catch (const error &e) {
        EXPECT_EQ(e.code(), code);
        return e.what();
    }
    ADD_FAILURE() << "nothing thrown";
    return {};
}

} // namespace tenfold::testing
