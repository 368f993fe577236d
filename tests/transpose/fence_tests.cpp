// Tests tensors that begin or end at protected pages: masked loads and stores of every instruction
// set must stay within the tensor.
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "compare.hpp"
#include "support/fenced.hpp"
#include "transpose/plan/plan_state.hpp"
#include "transpose/reference.hpp"

namespace tenfold {
namespace {

using testing::fenced_memory;
using testing::random_source;
using testing::side;

/// Sets small whole numbers, as bytes of any type, which arithmetic does not round.
void fill(char *to, index_t size, data_type type) {
    if (is_integer(type)) {
        for (index_t k = 0; k < size; ++k)
            to[k] = static_cast<char>(k % 251 + 1);
        return;
    }
    const bool single = type == data_type::f32 || type == data_type::c32;
    const index_t step = single ? 4 : 8;
    for (index_t k = 0; k < size / step; ++k) {
        const double value = static_cast<double>(k % 1000 + 1);
        const auto narrow = static_cast<float>(value);
        std::memcpy(to + k * step, single ? static_cast<const void *>(&narrow) : &value,
                    static_cast<std::size_t>(step));
    }
}

void stay_within(random_source &random) {
    using enum data_type;
    const auto type = random.pick(std::vector<testing::type_pair>{{f32, f32},
                                                                  {f64, f64},
                                                                  {c32, c32},
                                                                  {c64, c64},
                                                                  {f32, f64},
                                                                  {f64, f32},
                                                                  {c32, c64},
                                                                  {i8, i8},
                                                                  {u8, u8},
                                                                  {i32, i32}});
    const std::vector<index_t> sizes = {1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 19, 31, 33, 40};
    const extents_t from = {random.pick(sizes), random.pick(sizes), random.integer(1, 3)};
    std::vector<int> permutation = {0, 1, 2};
    random.shuffle(permutation);
    const layout a(from);
    const layout b(testing::permuted(from, permutation));
    const index_t size_a = a.size() * size_of(type.a);
    const index_t size_b = b.size() * size_of(type.b);
    const scalar alpha = random.chance(0.5) ? 1.0 : 2.0;
    const scalar beta = random.chance(0.5) ? 0.0 : 1.0;
    transpose_impl::schedule_options choices;
    choices.stream_threshold = random.chance(0.5) ? 0 : -1;

    std::vector<char> values_a(static_cast<std::size_t>(size_a));
    std::vector<char> values_b(static_cast<std::size_t>(size_b));
    fill(values_a.data(), size_a, type.a);
    fill(values_b.data(), size_b, type.b);
    std::vector<char> expected = values_b;
    const transpose_impl::transposed_tensors what{
        .permutation = permutation, .type_a = type.a, .a = a, .type_b = type.b, .b = b};
    transpose_impl::reference_transpose(what, alpha, values_a.data(), beta, expected.data());

    for (const auto &ctx : testing::contexts())
        for (const side fence : {side::begin, side::end}) {
            fenced_memory memory_a(size_a, fence);
            fenced_memory memory_b(size_b, fence);
            std::memcpy(memory_a.data(), values_a.data(), values_a.size());
            std::memcpy(memory_b.data(), values_b.data(), values_b.size());
            const transpose_impl::plan_state plan(what, {.threads = 1, .ctx = ctx.get()}, choices);
            ASSERT_TRUE(plan.execute(alpha, memory_a.data(), beta, memory_b.data()).ok());
            ASSERT_EQ(std::memcmp(memory_b.data(), expected.data(), expected.size()), 0)
                << name(ctx->isa()) << "\nA: " << a.describe() << "\nB: " << b.describe();
        }
}

TEST(Fences, NothingOutsideIsTouched) {
    for (const int number : testing::cases(500)) {
        SCOPED_TRACE(testing::rerun_line(number));
        random_source random(number);
        stay_within(random);
        if (HasFatalFailure())
            return;
    }
}

} // namespace
} // namespace tenfold
