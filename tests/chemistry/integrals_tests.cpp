// Tests dense blocks of integrals against single ones.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include <tenfold/chem_integrals.hpp>
#include <tenfold/error.hpp>

#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

/// Integrals whose values tell their place.
chem::integrals numbered(index_t orbitals) {
    chem::integrals all;
    all.orbitals = orbitals;
    all.one_electron.resize(static_cast<std::size_t>(chem::pair_count(orbitals)));
    all.two_electron.resize(static_cast<std::size_t>(chem::pair_count(chem::pair_count(orbitals))));
    std::iota(all.one_electron.begin(), all.one_electron.end(), 1000.0);
    std::iota(all.two_electron.begin(), all.two_electron.end(), 1.0);
    return all;
}

TEST(Integrals, EightEqualOnesAreOne) {
    const chem::integrals all = numbered(4);
    EXPECT_EQ(all(0, 0, 0, 0), 1.0);
    EXPECT_EQ(all(3, 3, 3, 3), static_cast<double>(all.two_electron.size()));
    EXPECT_EQ(all(3, 1, 2, 0), 1.0 + 7 * 8 / 2 + 3); // pairs 7 and 3
    EXPECT_EQ(all(0, 2, 1, 3), all(3, 1, 2, 0));
    EXPECT_EQ(all.h(2, 1), 1004.0);
}

TEST(Integrals, BlocksInAnotherOrder) {
    const chem::integrals all = numbered(5);
    const std::vector<index_t> order{3, 0, 4, 1}; // without orbital 2
    const chem::ordered_integrals g(all, order);
    EXPECT_EQ(g.orbitals(), 4);
    EXPECT_EQ(g.order(), order);
    const auto at = [&](index_t p) { return order[static_cast<std::size_t>(p)]; };
    const tensor<double> block = g.block({1, 0, 2, 0}, {3, 2, 2, 4});
    for (index_t s = 0; s < 4; ++s)
        for (index_t r = 0; r < 2; ++r)
            for (index_t q = 0; q < 2; ++q)
                for (index_t p = 0; p < 3; ++p) {
                    EXPECT_EQ(block(p, q, r, s), all(at(1 + p), at(q), at(2 + r), at(s)));
                    EXPECT_EQ(g(1 + p, q, 2 + r, s), block(p, q, r, s));
                }
    const tensor<double> h = g.block({0, 2}, {4, 2});
    for (index_t q = 0; q < 2; ++q)
        for (index_t p = 0; p < 4; ++p) {
            EXPECT_EQ(h(p, q), all.h(at(p), at(2 + q)));
            EXPECT_EQ(g.h(p, 2 + q), h(p, q));
        }
}

TEST(Integrals, BlocksOfAnyStrides) {
    const chem::integrals all = numbered(3);
    const chem::ordered_integrals g(all, {0, 1, 2});
    std::vector<double> memory(200, -1.0);
    const tensor_view<double> view(memory.data() + 100, {2, 3, 1, 2}, {-7, 2, 50, 31});
    g.write({1, 0, 2, 1}, view);
    index_t written = 0;
    for (index_t s = 0; s < 2; ++s)
        for (index_t q = 0; q < 3; ++q)
            for (index_t p = 0; p < 2; ++p, ++written)
                EXPECT_EQ(view(p, q, 0, s), all(1 + p, q, 2, 1 + s));
    EXPECT_EQ(std::count(memory.begin(), memory.end(), -1.0),
              static_cast<std::ptrdiff_t>(memory.size()) - written);
    std::vector<double> untouched(4, -1.0);
    g.write({0, 3, 0, 0}, tensor_view<double>(untouched.data(), {2, 0, 2, 1})); // empty
    EXPECT_EQ(untouched, std::vector<double>(4, -1.0));
}

TEST(Integrals, OrbitalsThatThereAreNot) {
    const chem::integrals all = numbered(3);
    const chem::ordered_integrals g(all, {2, 1});
    const std::string extent = message_of(
        [&] {
            g.block({0, 1, 0, 0}, {2, 2, 1, 1});
        },
        errc::extent_mismatch);
    EXPECT_NE(extent.find("block mode 1 has extent 2 from orbital 1"), std::string::npos) << extent;
    EXPECT_NE(extent.find("there are 2 orbitals"), std::string::npos) << extent;
    message_of([&] { g.block({0, -1}, {1, 1}); }, errc::extent_mismatch);
    message_of([&] { g.block({0, 0, 0}, {1, 1, 1}); }, errc::order_mismatch);
    message_of([&] { g.block({0, 0}, {1, 1, 1, 1}); }, errc::order_mismatch);
    message_of([&] { g.write({0, 0}, tensor_view<double>(nullptr, {1, 1})); }, errc::null_pointer);
    for (const index_t wrong : {index_t{3}, index_t{-1}}) {
        const std::string text = message_of(
            [&] {
                chem::ordered_integrals(all, {0, wrong});
            },
            errc::invalid_argument);
        EXPECT_NE(text.find("orbital 1 is " + std::to_string(wrong) + " of 3"), std::string::npos)
            << text;
    }
}

} // namespace
} // namespace tenfold::testing
