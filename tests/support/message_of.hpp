// What an error says.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include <tenfold/error.hpp>

namespace tenfold::testing {

/// The message of the error that f() throws, whose code is to be `code`.
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
