// What random cases of HPTT's interface do not show: plans that change, tuning, wrong arguments.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hptt.h>
#include <hptt/hptt.h> // the same

#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

/// A 3 x 2 matrix (column-major) and its transposed.
struct matrix {
    int perm[2] = {1, 0};
    int size[2] = {3, 2};
    std::vector<double> a = {1, 2, 3, 4, 5, 6};
    std::vector<double> b = std::vector<double>(6, 0);

    template <class Selection> auto plan(Selection selection) {
        return hptt::create_plan(perm, 2, 1.0, a.data(), size, nullptr, 0.0, b.data(), nullptr,
                                 selection, 1);
    }
};

const std::vector<double> transposed{1, 4, 2, 5, 3, 6};

TEST(Hptt, EverySelectionMethodPlans) {
    matrix m;
    for (const auto method : {hptt::ESTIMATE, hptt::MEASURE}) {
        std::fill(m.b.begin(), m.b.end(), -1.0);
        const auto plan = m.plan(method);
        EXPECT_EQ(m.b, std::vector<double>(6, -1.0)) << "planning wrote to B";
        plan->execute();
        EXPECT_EQ(m.b, transposed);
    }
    m.plan(1)->execute(); // candidates instead of a method
    EXPECT_EQ(m.b, transposed);
}

TEST(Hptt, PlansKeepWhatTheyAreTold) {
    matrix m;
    std::vector<double> other_a = {10, 20, 30, 40, 50, 60}, other_b(6, 1);
    const auto plan = m.plan(hptt::ESTIMATE);
    EXPECT_EQ(plan->getInputPtr(), m.a.data());
    EXPECT_EQ(plan->getOutputPtr(), m.b.data());
    EXPECT_EQ(plan->getNumThreads(), 1);
    EXPECT_EQ(plan->getAlpha(), 1);
    EXPECT_EQ(plan->getBeta(), 0);
    EXPECT_FALSE(plan->getConjA());

    hptt::Transpose<double> copy(*plan);
    copy.setInputPtr(other_a.data());
    copy.setOutputPtr(other_b.data());
    copy.setAlpha(0.5);
    copy.setBeta(2);
    copy.setNumThreads(2);
    copy.setMaxAutotuningCandidates(1);
    copy.createPlan();
    copy.execute();
    EXPECT_EQ(other_b, (std::vector<double>{7, 22, 12, 27, 17, 32}));
    plan->execute(); // a copy changes nothing here
    EXPECT_EQ(m.b, transposed);
    *plan = copy;
    plan->execute_expert<false, true, true>(); // as if beta were 0
    EXPECT_EQ(other_b, (std::vector<double>{5, 20, 10, 25, 15, 30}));
}

TEST(Hptt, OnlyNamedThreadsTakeShares) {
    const int n = 37;
    const int perm[] = {1, 0}, size[] = {n, n}, ids[] = {2, 0};
    std::vector<double> a(n * n), b(n * n, -1.0);
    std::iota(a.begin(), a.end(), 0.0);
    const auto plan = hptt::create_plan(perm, 2, 1.0, a.data(), size, nullptr, 0.0, b.data(),
                                        nullptr, hptt::ESTIMATE, 2, ids);
    EXPECT_EQ(plan->getMasterThreadId(), 0);
#pragma omp parallel num_threads(4)
    plan->execute_expert<true, false, true>();
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column)
            ASSERT_EQ(b[static_cast<std::size_t>(row * n + column)], column * n + row);

    plan->resetThreadIds();
    EXPECT_EQ(plan->getMasterThreadId(), -1);
    plan->addThreadId(1);
    EXPECT_EQ(plan->getMasterThreadId(), 1);
    std::fill(b.begin(), b.end(), -1.0);
#pragma omp parallel num_threads(2)
    plan->execute_expert<true, false, true>();
    EXPECT_EQ(b[1], n); // thread 1 did all of it
}

TEST(Hptt, PrintsOnRequestOnly) {
    matrix m;
    ::testing::internal::CaptureStdout();
    const auto plan = m.plan(hptt::ESTIMATE);
    plan->execute();
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    ::testing::internal::CaptureStdout();
    plan->print();
    plan->printThreadIds();
    const std::string printed = ::testing::internal::GetCapturedStdout();
    EXPECT_NE(printed.find("thread"), std::string::npos) << printed;
    EXPECT_NE(printed.find("0, \n"), std::string::npos) << printed;
}

/// The error that a transposition of a 3 x 2 matrix gives.
struct wrong {
    int dim = 2;
    std::vector<int> perm = {1, 0};
    std::vector<int> size = {3, 2};
    std::vector<int> outer_a = {3, 2}, outer_b = {2, 3};
    int threads = 1;

    std::string message(errc code) const {
        std::vector<float> a(100), b(100, 5.0F);
        const auto by_function = message_of(
            [&] {
                sTensorTranspose(perm.data(), dim, 1, a.data(), size.data(), outer_a.data(), 0,
                                 b.data(), outer_b.data(), threads);
            },
            code);
        const auto by_plan = message_of(
            [&] {
                hptt::create_plan(perm.data(), dim, 1.0F, a.data(), size.data(), outer_a.data(),
                                  0.0F, b.data(), outer_b.data(), hptt::ESTIMATE, threads);
            },
            code);
        EXPECT_EQ(b, std::vector<float>(100, 5.0F)) << "B was written";
        EXPECT_NE(by_function, "");
        return by_plan;
    }
};

TEST(Hptt, WrongArgumentsAreNamed) {
    constexpr errc invalid = errc::invalid_argument, mismatch = errc::extent_mismatch;
    EXPECT_EQ((wrong{.dim = 0}).message(invalid), "dim is 0; tensors have at least one mode");
    EXPECT_EQ((wrong{.perm = {1, 2}}).message(invalid), "perm[1] is 2; A's modes are 0 to 1");
    EXPECT_EQ((wrong{.perm = {-1, 0}}).message(invalid), "perm[0] is -1; A's modes are 0 to 1");
    EXPECT_EQ((wrong{.outer_a = {3, 1}}).message(mismatch),
              "outerSizeA[1] is 1, but mode 1 of A has extent 2");
    EXPECT_EQ((wrong{.outer_b = {1, 3}}).message(mismatch),
              "outerSizeB[0] is 1, but mode 0 of B has extent 2");
    EXPECT_EQ((wrong{.perm = {1, 1}, .outer_b = {2, 2}}).message(invalid),
              "perm[1] is 1, and so is perm[0]; each mode of A moves to one of B");
    EXPECT_NE((wrong{.size = {-3, 2}}).message(invalid).find("extent -3"), std::string::npos);
    EXPECT_NE((wrong{.threads = -1}).message(invalid).find("-1"), std::string::npos);
}

TEST(Hptt, WrongVectorsAndPointersAreNamed) {
    const std::vector<int> one_number{0}, perm{1, 0}, size{3, 2};
    std::vector<double> a(6), b(6);
    EXPECT_EQ(message_of(
                  [&] {
                      hptt::create_plan(one_number, 2, 1.0, a.data(), size, {}, 0.0, b.data(), {},
                                        hptt::ESTIMATE, 1);
                  },
                  errc::order_mismatch),
              "perm has 1 numbers for 2 modes");
    const auto plan =
        hptt::create_plan(perm, 2, 1.0, a.data(), size, {}, 0.0, b.data(), {}, hptt::ESTIMATE, 1);
    plan->setInputPtr(nullptr);
    message_of([&] { plan->execute(); }, errc::null_pointer);
    EXPECT_EQ(message_of(
                  [&] {
                      dTensorTranspose(nullptr, 2, 1.0, a.data(), size.data(), nullptr, 0.0,
                                       b.data(), nullptr, 1);
                  },
                  errc::invalid_argument),
              "perm is null");
}

/// Layouts of few modes lie in an array, the rest in a vector; expressions have at most 52 labels.
TEST(Hptt, AnyNumberOfModes) {
    for (const int order : {8, 9, 52, 53, 70}) {
        std::vector<int> size(static_cast<std::size_t>(order), 1), perm(size.size());
        size.front() = 3;
        size.back() = 2;
        std::iota(perm.rbegin(), perm.rend(), 0);
        const std::vector<double> a = {1, 2, 3, 4, 5, 6};
        std::vector<double> b(6, 1);
        dTensorTranspose(perm.data(), order, 2.0, a.data(), size.data(), nullptr, 1.0, b.data(),
                         nullptr, 1);
        EXPECT_EQ(b, (std::vector<double>{3, 9, 5, 11, 7, 13})) << order << " modes";
    }
}

TEST(Hptt, ScalesInPlace) {
    const int perm[] = {0, 1}, size[] = {3, 2};
    std::vector<double> a = {1, 2, 3, 4, 5, 6};
    dTensorTranspose(perm, 2, 2.0, a.data(), size, nullptr, 1.0, a.data(), nullptr, 1);
    EXPECT_EQ(a, (std::vector<double>{3, 6, 9, 12, 15, 18}));
}

TEST(Hptt, EmptyTensorsHaveNothingToMove) {
    const int perm[] = {1, 0}, size[] = {3, 0};
    dTensorTranspose(perm, 2, 1.0, nullptr, size, nullptr, 0.0, nullptr, nullptr, 1);
}

} // namespace
} // namespace tenfold::testing
