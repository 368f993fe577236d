// TAPP's objects in the hands of several threads.
#include <array>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <tapp.h>
#include <tapp/tenfold.h>

namespace tenfold::testing {
namespace {

constexpr int threads = 4;

/// Calls work(thread) in all threads at once.
template <class Work> void in_threads(const Work &work) {
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread)
        running.emplace_back(work, thread);
    for (std::thread &one : running)
        one.join();
}

/// d = sum of a(k) b(k).
TAPP_tensor_product inner_product() {
    const std::int64_t extent = 3, label = 1;
    TAPP_tensor_info vector = 0, scalar = 0;
    TAPP_create_tensor_info(&vector, TAPP_F64, 1, &extent, nullptr);
    TAPP_create_tensor_info(&scalar, TAPP_F64, 0, nullptr, nullptr);
    TAPP_tensor_product made = 0;
    EXPECT_EQ(TENFOLD_TAPP_OK,
              TAPP_create_tensor_product(&made, 0, TAPP_IDENTITY, vector, &label, TAPP_IDENTITY,
                                         vector, &label, TAPP_IDENTITY, scalar, nullptr,
                                         TAPP_IDENTITY, scalar, nullptr, TAPP_DEFAULT_PREC));
    TAPP_destroy_tensor_info(vector);
    TAPP_destroy_tensor_info(scalar);
    return made;
}

double executed(TAPP_tensor_product plan, TAPP_executor exec, double factor) {
    const std::array<double, 3> a{1, 2, 3};
    const double zero = 0;
    double d = -1;
    EXPECT_EQ(TENFOLD_TAPP_OK, TAPP_execute_product(plan, exec, nullptr, &factor, a.data(),
                                                    a.data(), &zero, nullptr, &d));
    return d;
}

/// One product, executors that each ask for another plan, which all threads need first at once.
TEST(TappThreads, OneProduct) {
    const TAPP_tensor_product plan = inner_product();
    constexpr int executors = 8;
    std::array<TAPP_executor, executors> all{};
    for (int i = 0; i < executors; ++i) {
        TAPP_create_executor(&all[static_cast<std::size_t>(i)]);
        TAPP_attr_set(all[static_cast<std::size_t>(i)], TENFOLD_TAPP_THREADS,
                      reinterpret_cast<void *>(std::intptr_t{i} + 1));
    }
    in_threads([&](int thread) {
        for (int round = 0; round < 3; ++round)
            for (const TAPP_executor exec : all)
                EXPECT_EQ(executed(plan, exec, thread), 14.0 * thread);
    });
    for (const TAPP_executor exec : all)
        TAPP_destroy_executor(exec);
    TAPP_destroy_tensor_product(plan);
}

/// Objects of their own, which come and go beside those of others.
TEST(TappThreads, ManyObjects) {
    in_threads([](int thread) {
        for (int round = 0; round < 200; ++round) {
            const TAPP_tensor_product plan = inner_product();
            TAPP_executor exec = 0;
            EXPECT_EQ(TENFOLD_TAPP_OK, TAPP_create_executor(&exec));
            EXPECT_EQ(executed(plan, exec, thread + 1), 14.0 * (thread + 1));
            EXPECT_EQ(TENFOLD_TAPP_OK, TAPP_destroy_executor(exec));
            EXPECT_EQ(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(plan));
            EXPECT_EQ(TENFOLD_TAPP_PRODUCT, TAPP_destroy_tensor_product(plan));
        }
    });
}

/// Explanations are of the thread's own last failure.
TEST(TappThreads, Explanations) {
    in_threads([](int thread) {
        TAPP_tensor_info info = 0;
        for (int round = 0; round < 100; ++round) {
            ASSERT_EQ(TENFOLD_TAPP_NEGATIVE_ORDER,
                      TAPP_create_tensor_info(&info, TAPP_F64, -1 - thread, nullptr, nullptr));
            std::array<char, 100> text{};
            TAPP_explain_error(TENFOLD_TAPP_NEGATIVE_ORDER, text.size(), text.data());
            ASSERT_EQ(text.data(), "the number of modes is -" + std::to_string(1 + thread));
        }
    });
}

} // namespace
} // namespace tenfold::testing
