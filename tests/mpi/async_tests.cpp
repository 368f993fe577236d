// Tests operations whose messages travel while ranks do other things.
#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenfold/dist_async.hpp>
#include <tenfold/dist_operations.hpp>

#include "mpi/operation_cases.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

template <class T> class DistAsync : public ::testing::Test {};
using moved_types = ::testing::Types<double, c32, std::int8_t>;
TYPED_TEST_SUITE(DistAsync, moved_types);

template <class T> dist_tensor<T> drawn(random_source &random, const extents_t &extents) {
    return {ranks(), extents, random_distribution(random, extents, ranks().size())};
}

/// Several are under way at once; each rank waits for them in an order of its own, between other
/// calls.
TYPED_TEST(DistAsync, CopiesArriveInAnyOrderOfWaits) {
    using T = TypeParam;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        dist_tensor<T> other = drawn<T>(random, {7, 5});
        fill_values(other, 99);
        constexpr std::size_t count = 4;
        std::vector<dist_tensor<T>> x, y;
        std::vector<dist_future<void>> futures;
        for (std::size_t i = 0; i < count; ++i) {
            x.push_back(drawn<T>(random, extents));
            y.push_back(drawn<T>(random, extents));
            fill_values(x[i], static_cast<int>(i));
        }
        for (std::size_t i = 0; i < count; ++i)
            futures.push_back(copy_async(x[i], y[i]));
        EXPECT_TRUE(equal(other.gather_all(), make_values<T>({7, 5}, 99)));
        std::vector<std::size_t> order{0, 1, 2, 3};
        random_source own(test_case + 1000 * ranks().rank());
        own.shuffle(order);
        for (const std::size_t i : order) {
            if (own.chance(0.5))
                static_cast<void>(futures[i].test());
            futures[i].wait();
            EXPECT_FALSE(futures[i].valid());
            EXPECT_TRUE(holds(y[i], make_values<T>(extents, static_cast<int>(i))));
        }
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_TRUE(equal(y[i].gather_all(), make_values<T>(extents, static_cast<int>(i))));
    }
}

TYPED_TEST(DistAsync, RedistributionsReturnTheTensor) {
    using T = TypeParam;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        dist_tensor<T> x = drawn<T>(random, extents);
        fill_values(x, test_case);
        const distribution spread = random_distribution(random, extents, ranks().size());
        auto under_way = redistribute_async(x, spread);
        EXPECT_TRUE(equal(x.gather_all(), make_values<T>(extents, test_case))) << "X may be read";
        const dist_tensor<T> moved = under_way.wait();
        EXPECT_EQ(moved.distribution(), spread);
        EXPECT_TRUE(holds(moved, make_values<T>(extents, test_case)));
    }
}

/// Three contractions, of which all inputs may have to be redistributed.
struct contractions {
    explicit contractions(random_source &random)
        : a(drawn<double>(random, {12, 9, 7})), b(drawn<double>(random, {7, 9, 11})),
          d(drawn<double>(random, {11, 12})), e(drawn<double>(random, {12, 12})),
          r(drawn<double>(random, {12, 12})) {
        fill_values(a, 1);
        fill_values(b, 2);
        fill_values(d, 3);
        fill_values(r, 4);
    }
    dist_tensor<double> a, b, d, e, r;
};

TEST(DistAsyncContract, ResultsAreThoseOfContract) {
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source first(test_case), second(test_case);
        contractions plain(first), begun(second);
        const dist_options reproducible{.reproducible = first.chance(0.3)};
        contract("da=abc*cbd", plain.a, plain.b, plain.d, reproducible);
        contract("ad=abc*dbc", plain.a, plain.a, plain.e);
        const dist_report expected = contract("ab-=ba", plain.e, plain.r);

        auto of_d = contract_async("da=abc*cbd", begun.a, begun.b, begun.d, reproducible);
        auto of_e = contract_async("ad=abc*dbc", begun.a, begun.a, begun.e);
        while (!of_d.test())
            std::this_thread::yield();
        const double norm = begun.a.norm(); // others may be waited for between
        EXPECT_EQ(norm, plain.a.norm());
        const dist_report done = of_d.wait();
        of_e.wait();
        auto of_r = contract_async("ab-=ba", begun.e, begun.r);
        const dist_report last = of_r.wait();
        EXPECT_TRUE(equal(begun.d.gather_all(), plain.d.gather_all()));
        EXPECT_TRUE(equal(begun.e.gather_all(), plain.e.gather_all()));
        EXPECT_TRUE(equal(begun.r.gather_all(), plain.r.gather_all()));
        EXPECT_EQ(last.redistribution_max.value, expected.redistribution_max.value);
        EXPECT_EQ(done.bytes_received_max.value, done.plan.summary().bytes_received.value);
        EXPECT_EQ(done.redistribution_max.value, done.plan.summary().redistribution.value);
    }
}

/// Messages are handled within its products, which a single rank's step does not cut.
TEST(DistAsyncContract, TravelsWithinProducts) {
    const int size = ranks().size();
    const extents_t large{1 << 16};
    dist_tensor<double> x(ranks(), large, distribution::on_rank(large, size, 0));
    dist_tensor<double> y(ranks(), large, distribution::on_rank(large, size, size - 1));
    dist_tensor<double> a(ranks(), {120, 120}), d(ranks(), {120, 120});
    dist_tensor<double> expected(ranks(), {120, 120});
    fill_values(x, 1);
    fill_values(a, 2);
    contract("ij=ik*kj", a, a, expected);
    auto under_way = copy_async(x, y);
    for (int i = 0; i < 3; ++i)
        contract("ij=ik*kj", a, a, d);
    under_way.wait();
    EXPECT_TRUE(holds(y, make_values<double>(large, 1)));
    EXPECT_TRUE(equal(d.gather_all(), expected.gather_all()));
}

TEST(DistAsyncContract, IsNotDoneWithoutWait) {
    random_source random(1);
    contractions begun(random);
    { const auto dropped = contract_async("da+=abc*cbd", begun.a, begun.b, begun.d); }
    EXPECT_TRUE(equal(begun.d.gather_all(), make_values<double>({11, 12}, 3)));
}

TEST(DistAsyncContract, AControlStopsIt) {
    random_source random(1);
    contractions begun(random);
    std::stop_source source;
    const execution_control control{.progress = {}, .stop = source.get_token()};
    auto under_way = contract_async("da=abc*cbd", begun.a, begun.b, begun.d, {.control = &control});
    if (ranks().rank() == 0)
        source.request_stop();
    EXPECT_EQ(failure_of([&] { under_way.wait(); }).code, errc::stopped);
    EXPECT_FALSE(under_way.valid());
    begun.d.fill(0.0);
}

TEST(DistAsyncErrors, OutputsAreRefusedUntilTheyAreWaitedFor) {
    dist_tensor<double> x(ranks(), {8, 8}), y(ranks(), {8, 8}), z(ranks(), {8, 8});
    fill_values(x, 1);
    auto under_way = copy_async(x, y);
    const auto refused = [&](const failure &found) {
        EXPECT_EQ(found.code, errc::invalid_argument);
        EXPECT_NE(found.message.find("is the output of copy_async, collective call "),
                  std::string::npos)
            << found.message;
        EXPECT_NE(found.message.find("which is under way; wait for it first"), std::string::npos);
        EXPECT_TRUE(same_on_all_ranks(found.message));
    };
    refused(failure_of([&] { y.norm(); }));
    refused(failure_of([&] { copy(z, y); }));
    refused(failure_of([&] { copy_async(y, z).wait(); }));
    refused(failure_of([&] { contract("ij=ik*kj", x, x, y); }));
    if (ranks().rank() != 0) // it is enough that one rank has not waited
        under_way.wait();
    refused(failure_of([&] { y.norm(); }));
    if (ranks().rank() == 0)
        under_way.wait();
    EXPECT_TRUE(equal(y.gather_all(), make_values<double>({8, 8}, 1)));
}

TEST(DistAsyncErrors, ArgumentsAreChecked) {
    dist_tensor<double> x(ranks(), {8, 8}), y(ranks(), {8, 7});
    EXPECT_EQ(failure_of([&] { copy_async(x, y).wait(); }).code, errc::extent_mismatch);
    EXPECT_EQ(failure_of([&] { contract_async("ij=ji", x, x).wait(); }).code, errc::overlap);
    EXPECT_EQ(failure_of([&] {
                  redistribute_async(x, distribution::block({8, 7}, ranks().size())).wait();
              }).code,
              errc::extent_mismatch);
    EXPECT_EQ(failure_of([] { dist_future<void>().wait(); }).code, errc::invalid_argument);
    EXPECT_EQ(failure_of([] { static_cast<void>(dist_future<void>().test()); }).code,
              errc::invalid_argument);
    const failure found = failure_of([&] {
        auto mine = ranks().rank() == ranks().size() - 1 ? copy_async(y, y) : copy_async(x, x);
        mine.wait();
    });
    EXPECT_EQ(found.code, ranks().size() > 1 ? errc::disagreement : errc::ok);

    std::vector<dist_future<void>> many;
    const failure too_many = failure_of([&] {
        for (int i = 0; i < 1000; ++i)
            many.push_back(copy_async(x, x));
    });
    // The second one finds its output under way.
    EXPECT_EQ(too_many.code, errc::invalid_argument) << too_many.message;
    EXPECT_EQ(many.size(), 1U);
}

TEST(DistAsyncErrors, NoMoreThan256AreUnderWay) {
    dist_tensor<double> x(ranks(), {3, 3});
    const distribution spread = distribution::block({3, 3}, ranks().size());
    std::vector<dist_future<dist_tensor<double>>> many;
    const failure found = failure_of([&] {
        for (int i = 0; i < 300; ++i)
            many.push_back(redistribute_async(x, spread));
    });
    EXPECT_EQ(found.code, errc::invalid_argument);
    EXPECT_NE(found.message.find("256 operations are under way"), std::string::npos)
        << found.message;
    EXPECT_EQ(many.size(), 256U);
    many.clear(); // waits
    redistribute_async(x, spread).wait();
}

/// A rank that throws waits for its own messages only; the others go on meanwhile.
TEST(DistAsyncErrors, ARankThatThrowsKeepsNobodyWaiting) {
    const int size = ranks().size();
    const extents_t extents{300, 200};
    dist_tensor<double> x(ranks(), extents, distribution(extents, {size, 1}, size));
    dist_tensor<double> y(ranks(), extents, distribution(extents, {1, size}, size));
    fill_values(x, 1);
    const auto work = [&] {
        auto under_way = copy_async(x, y);
        if (ranks().rank() == size - 1)
            throw std::runtime_error("only here");
        under_way.wait();
    };
    if (ranks().rank() == size - 1) {
        EXPECT_THROW(work(), std::runtime_error);
    } else {
        work();
    }
    EXPECT_TRUE(equal(y.gather_all(), make_values<double>(extents, 1)));
}

/// Ranks that wait for a copy and ranks that wait in another call let each other go on.
TEST(DistAsyncErrors, WaitsOfDifferentKindsDoNotBlock) {
    const int size = ranks().size();
    const extents_t extents{300, 200};
    dist_tensor<double> x(ranks(), extents, distribution(extents, {size, 1}, size));
    dist_tensor<double> y(ranks(), extents, distribution(extents, {1, size}, size));
    fill_values(x, 1);
    auto under_way = copy_async(x, y);
    if (ranks().rank() == 0)
        under_way.wait();
    const double norm = x.norm();
    if (ranks().rank() != 0)
        under_way.wait();
    EXPECT_EQ(y.norm(), norm);
}

} // namespace
} // namespace tenfold::testing
