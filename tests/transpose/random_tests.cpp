// Random transpositions against nested loops, bit for bit: all types, instruction sets, methods.
#include <numeric>

#include <gtest/gtest.h>

#include "arrays.hpp"
#include "transpose/plan_state.hpp"
#include "transpose/reference.hpp"

namespace tenfold {
namespace {

using testing::array;
using testing::random_source;
using transpose_impl::schedule_options;

struct types {
    data_type a, b;
};

const std::vector<types> &type_pairs() {
    using enum data_type;
    static const std::vector<types> pairs = {
        {f32, f32}, {f32, f32}, {f64, f64},  {c32, c32}, {c64, c64},   {f32, f64}, {f64, f32},
        {c32, c64}, {c64, c32}, {bf16, f32}, {f16, f32}, {bf16, bf16}, {f16, f16}};
    return pairs;
}

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
    choices.ahead = random.pick(std::vector<index_t>{-1, 0, 1, 5, 100});
    return choices;
}

/// One case, on every instruction set.
void compare_with_reference(random_source &random, int most_elements) {
    const types type = random.pick(type_pairs());
    const extents_t extents_a = random_extents(random, most_elements);
    std::vector<int> permutation(extents_a.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    if (!random.chance(0.1))
        random.shuffle(permutation);
    extents_t extents_b;
    for (const int mode : permutation)
        extents_b.push_back(extents_a[static_cast<std::size_t>(mode)]);

    const layout a = random_layout(random, extents_a, random.chance(0.05));
    const layout b = random_layout(random, extents_b, false);
    const bool conjugate = random.chance(0.3);
    const scalar alpha = random_factor(random, type.b);
    const scalar beta = random.chance(0.5) ? 0.0 : random_factor(random, type.b);
    const schedule_options choices = random_choices(random);
    // Forking costs more than the work here when the machine is busy.
    const int threads = random.chance(0.92) ? 1 : static_cast<int>(random.integer(2, 3));
    const index_t shift = random.chance(0.5) ? 0 : random.integer(0, 16);

    array data_a(type.a, a, 0, 0);
    data_a.fill_with_integers(random);
    array expected(type.b, b, shift, 192);
    const random_source values = random;
    const auto prepare = [&](array &target) {
        random_source same = values;
        if (beta == scalar(0.0))
            target.poison();
        else
            target.fill_with_integers(same);
    };
    prepare(expected);
    transpose_impl::reference_transpose(permutation, type.a, a, type.b, b, conjugate, alpha,
                                        data_a.data(), beta, expected.data());

    for (const auto &ctx : testing::contexts()) {
        transpose_options options;
        options.threads = threads;
        options.ctx = ctx.get();
        const transpose_plan::state plan(permutation, type.a, a, type.b, b, conjugate, options,
                                         choices);
        array actual(type.b, b, shift, 192);
        prepare(actual);
        const void *read = alpha == scalar(0.0) ? nullptr : data_a.data();
        ASSERT_TRUE(plan.execute(alpha, read, beta, actual.data()).ok());
        ASSERT_EQ(actual.bytes() == expected.bytes(), true)
            << "A: " << a.describe() << "\nB: " << b.describe() << "\nalpha " << alpha << " beta "
            << beta << " conjugate " << conjugate << " isa " << name(ctx->isa()) << " shift "
            << shift << "\n"
            << transpose_plan(permutation, type.a, a, type.b, b, conjugate, options).explain();
    }
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
