// Compares random transpositions with nested loops, bit for bit: all types, instruction sets,
// methods.
#include <numeric>

#include <gtest/gtest.h>

#include "compare.hpp"

namespace tenfold {
namespace {

using testing::random_source;
using transpose_impl::schedule_options;

const std::vector<index_t> extents_to_pick = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 48, 65, 130};

extents_t random_extents(random_source &random, int most_elements) {
    extents_t extents(static_cast<std::size_t>(random.integer(0, 6)));
    index_t elements = 1;
    for (index_t &extent : extents) {
        extent = random.pick(extents_to_pick);
        if (elements * extent > most_elements)
            extent = random.integer(1, 3);
        elements *= extent;
    }
    random.shuffle(extents);
    if (!extents.empty() && random.chance(0.02))
        extents.front() = 0;
    return extents;
}

scalar random_factor(random_source &random, data_type type) {
    const std::vector<scalar> real = {0.0, 1.0, 1.0, 2.0, -1.0};
    const std::vector<scalar> complex = {{0, 1}, {1, -2}};
    return is_complex(type) && random.chance(0.3) ? random.pick(complex) : random.pick(real);
}

schedule_options random_choices(random_source &random) {
    schedule_options choices;
    choices.bytes_per_thread = 0;
    choices.stream_threshold = random.chance(0.5) ? 0 : -1;
    choices.panel_rows = random.pick(std::vector<index_t>{0, 0, 1, 16, 40, 300});
    choices.panel_reads = random.pick(std::vector<index_t>{0, 0, 1, 64, 1000, 100'000});
    choices.strip = random.pick(std::vector<index_t>{0, 0, 1, 16, 32, 48, 64, 1000});
    choices.block = random.pick(std::vector<index_t>{-1, 0, 1, 3, 16, 500});
    choices.ahead = random.pick(std::vector<index_t>{-1, 0, 1, 5, 100});
    choices.prefetch_level = random.pick(std::vector<index_t>{0, 1, 2});
    return choices;
}

void compare_with_reference(random_source &random, int most_elements) {
    testing::transposition one;
    // Most pairs of types are conversions, so that half of the cases are drawn from the others.
    using enum data_type;
    if (random.chance(0.5))
        one.type.a = one.type.b =
            random.pick(std::vector{f32, f32, f64, c32, c64, bf16, i8, i8, u8, i32});
    else
        one.type = random.pick(testing::type_pairs());
    const extents_t extents_a = random_extents(random, most_elements);
    one.permutation.resize(extents_a.size());
    std::iota(one.permutation.begin(), one.permutation.end(), 0);
    if (!random.chance(0.1))
        random.shuffle(one.permutation);
    const index_t of_line = size_of(one.type.a) == 1 && random.chance(0.5) ? 64 : 16;
    one.a = random_layout(random, extents_a, random.chance(0.05), of_line);
    one.b = random_layout(random, testing::permuted(extents_a, one.permutation), false, of_line);
    one.conjugate = random.chance(0.3);
    one.alpha = random_factor(random, one.type.b);
    one.beta = random.chance(0.5) ? 0.0 : random_factor(random, one.type.b);
    one.choices = random_choices(random);
    // Few cases use several threads: on a busy machine, forking takes longer than the work.
    one.threads = random.chance(0.92) ? 1 : static_cast<int>(random.integer(2, 3));
    one.shift = random.chance(0.5) ? 0 : random.integer(0, 16);
    testing::expect_as_by_reference(one, random);
}

TEST(Random, SmallAgainstReference) {
    for (const int number : testing::cases(4000)) {
        SCOPED_TRACE(testing::rerun_line(number));
        random_source random(number);
        compare_with_reference(random, 3000);
        if (HasFatalFailure())
            return;
    }
}

TEST(Random, LargerAgainstReference) {
    for (const int number : testing::cases(150)) {
        SCOPED_TRACE(testing::rerun_line(number));
        random_source random(number + 1'000'000);
        compare_with_reference(random, 200'000);
        if (HasFatalFailure())
            return;
    }
}

} // namespace
} // namespace tenfold
