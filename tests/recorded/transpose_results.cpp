// Transpositions of all types and conversions, with all kinds of schedules.
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

#include "recorded/reals.hpp"
#include "recorded/recording.hpp"
#include "recorded/results.hpp"
#include "transpose/arrays.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold::testing {
namespace {

constexpr std::uint64_t transpose_seed = 3001;

extents_t random_extents(random_source &random, index_t most_elements) {
    extents_t extents(static_cast<std::size_t>(random.integer(1, 5)));
    index_t elements = 1;
    for (index_t &extent : extents) {
        extent = random.pick<index_t>({1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 48, 65, 130});
        if (elements * extent > most_elements)
            extent = random.integer(1, 3);
        elements *= extent;
    }
    random.shuffle(extents);
    return extents;
}

/// Half of the cases use the heuristics' choice; all share work among threads.
transpose_impl::schedule_options random_choices(random_source &random) {
    transpose_impl::schedule_options choices;
    choices.bytes_per_thread = 0;
    if (random.chance(0.5))
        return choices;
    choices.stream_threshold = random.chance(0.5) ? 0 : -1;
    choices.panel_rows = random.pick<index_t>({0, 1, 16, 40, 300});
    choices.panel_reads = random.pick<index_t>({0, 1, 64, 1000, 100'000});
    choices.strip = random.pick<index_t>({0, 1, 16, 32, 48, 1000});
    choices.block = random.pick<index_t>({-1, 0, 1, 3, 16, 500});
    choices.ahead = random.pick<index_t>({-1, 0, 1, 5, 100});
    return choices;
}

template <class From, class To> std::string line_of(const recorded_row &row) {
    constexpr data_type from = data_type_of<From>, to = data_type_of<To>;
    const std::string types = std::string(name(from)) + ">" + std::string(name(to));
    group_hash all(row.name + " " + types);
    for (int number = 0; number < row.cases; ++number) {
        random_source random(transpose_seed, number);
        const extents_t extents = random_extents(random, number % 10 == 9 ? 50'000 : 3000);
        std::vector<int> permutation(extents.size());
        std::iota(permutation.begin(), permutation.end(), 0);
        random.shuffle(permutation);
        extents_t extents_b;
        for (const int mode : permutation)
            extents_b.push_back(extents[static_cast<std::size_t>(mode)]);
        real_numbers<From> a(random_layout(random, extents, random.chance(0.05)), random);
        real_numbers<To> b(random_layout(random, extents_b, false), random, random.integer(0, 16));
        const bool conjugate = random.chance(0.3);
        const scalar alpha = random_factor(random, is_complex(to));
        const scalar beta = random.chance(0.5) ? 0.0 : random_factor(random, is_complex(to));
        transpose_options options;
        options.ctx = &row.ctx;
        const transpose_impl::plan_state plan({.permutation = permutation,
                                               .type_a = from,
                                               .a = a.shape(),
                                               .type_b = to,
                                               .b = b.shape(),
                                               .conjugate = conjugate},
                                              options, random_choices(random));
        EXPECT_TRUE(plan.execute(alpha, a.data(), beta, b.data()).ok());
        bits_hash one;
        one.add_elements(b.data(), sizeof(To), b.shape());
        all.add(number, one, [&] {
            std::ostringstream text;
            text << "A " << a.shape().describe() << ", B " << b.shape().describe() << ", alpha "
                 << alpha << ", beta " << beta << ", conj " << conjugate;
            return text.str();
        });
    }
    return types + " " + all.text();
}

} // namespace

lines transpose_results(const recorded_row &row) {
    return {line_of<float, float>(row), line_of<double, double>(row), line_of<c32, c32>(row),
            line_of<c64, c64>(row),     line_of<float, double>(row),  line_of<double, float>(row),
            line_of<c32, c64>(row),     line_of<c64, c32>(row),       line_of<bf16, float>(row),
            line_of<f16, float>(row),   line_of<bf16, bf16>(row),     line_of<f16, f16>(row)};
}

} // namespace tenfold::testing
