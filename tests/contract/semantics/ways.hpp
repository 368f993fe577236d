// Runs a row's test for every type, every algorithm and several numbers of threads.
#pragma once

#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <tenfold/contract.hpp>

#include "test_tensor.hpp"

namespace tenfold::testing {

template <class T> struct tag { using type = T; };

template <class... T> struct calls_with {
    template <class Body> static void all(const Body &body) { (one<T>(body), ...); }

private:
    template <class One, class Body> static void one(const Body &body) {
        SCOPED_TRACE(std::string(name(data_type_of<One>)));
        body(tag<One>());
    }
};

/// body(tag<T>()) for all arithmetic types.
template <class Body> void every_type(const Body &body) {
    list_of_arithmetic_types<calls_with>::all(body);
}

/// Calls body(options) for every algorithm, with one thread and with two. body() makes its own
/// tensors. Algorithms that refuse its contraction as impossible are skipped, but not the automatic
/// choice or the reference. Returns the algorithms that ran.
std::set<algorithm> every_way(const std::function<void(const contract_options &)> &body);

inline contract_options scaled(contract_options options, scalar alpha, scalar beta) {
    options.alpha = alpha;
    options.beta = beta;
    return options;
}

/// Runs call(), which must throw exactly this error and leave `d` unchanged.
template <class T, class Call>
void expect_refused(errc code, const std::string &message, test_tensor<T> &d, const Call &call) {
    static_cast<void>(d.out()); // remembers the bytes
    try {
        call();
        ADD_FAILURE() << "accepted, instead of: " << message;
    } catch (const error &e) {
        EXPECT_EQ(name(e.code()), name(code));
        EXPECT_EQ(e.what(), message);
    }
    EXPECT_TRUE(d.unchanged()) << "an error must leave the output alone";
}

} // namespace tenfold::testing
