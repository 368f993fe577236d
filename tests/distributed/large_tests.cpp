// Tests plans for super-indices, tensors and pieces of more than 2^31 elements; nothing is
// allocated.
#include <gtest/gtest.h>
#include <tenfold/dist_plan.hpp>

#include "distributed/plan/plan_state.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

__extension__ using wide = __int128;

struct large_case {
    const char *expression;
    std::vector<extents_t> extents;
    index_t m, n, k;
};

const std::vector<large_case> &large_cases() {
    constexpr index_t billions = (index_t{1} << 33) + 7;
    static const std::vector<large_case> all{
        {"mn=mk*kn", {{5, billions}, {billions, 3}, {5, 3}}, 5, 3, billions},
        {"mn=mk*kn", {{billions, 5}, {5, 3}, {billions, 3}}, billions, 3, 5},
        {"mn=mk*kn", {{3, 5}, {5, billions}, {3, billions}}, 3, billions, 5},
        {"abcd=abef*efcd",
         {{300, 260, 300, 250}, {300, 250, 280, 270}, {300, 260, 280, 270}},
         78000,
         75600,
         75000},
        {"acbd=abef*fecd",
         {{70001, 70003, 3, 2}, {2, 3, 2, 4}, {70001, 2, 70003, 4}},
         index_t{70001} * 70003,
         8,
         6}};
    return all;
}

/// Checks that the blocks of all ranks cover the tensor, and that random positions lie in their
/// owner's block.
void expect_partition(const distribution &spread, random_source &random) {
    wide total = 1;
    for (const index_t extent : spread.extents())
        total *= extent;
    wide sum = 0;
    for (int rank = 0; rank < spread.ranks(); ++rank)
        sum += spread.block_of(rank).size();
    EXPECT_TRUE(sum == total);
    for (int repeat = 0; repeat < 20; ++repeat) {
        extents_t position;
        for (const index_t extent : spread.extents())
            position.push_back(random.integer(0, extent - 1));
        const slice block = spread.block_of(spread.owner(position));
        for (std::size_t mode = 0; mode < position.size(); ++mode) {
            EXPECT_GE(position[mode], block.offsets[mode]);
            EXPECT_LT(position[mode], block.offsets[mode] + block.extents[mode]);
        }
    }
}

TEST(LargePlans, CountBeyond31Bits) {
    random_source random(0);
    for (const large_case &one : large_cases())
        for (const int rank_count : {1, 6, 64, 1024})
            for (const bool reproducible : {false, true}) {
                dist_options options;
                options.reproducible = reproducible;
                if (rank_count == 64)
                    options.step = step_size{.m = 1 << 20, .k = 100000};
                const dist_plan plan = make_dist_plan(parse(one.expression), data_type::f64,
                                                      one.extents, rank_count, options);
                SCOPED_TRACE(plan.describe());
                const dist_plan_summary &s = plan.summary();
                EXPECT_EQ(s.m, one.m);
                EXPECT_EQ(s.n, one.n);
                EXPECT_EQ(s.k, one.k);
                wide largest = 0; // elements of the tensors on one rank, at least
                for (int operand = 0; operand < 3; ++operand) {
                    expect_partition(plan.layout_of(operand), random);
                    wide size = 1;
                    for (const index_t extent : one.extents[static_cast<std::size_t>(operand)])
                        size *= extent;
                    largest += size / rank_count;
                }
                EXPECT_TRUE(wide{s.peak.value} >= largest * 8) << s.peak.value;
                EXPECT_GE(s.bytes_received.value, 0);
                EXPECT_GE(s.redistribution.value, 0);

                // Computes what the busiest rank receives from the blocks, in more than 64 bits.
                const dist_impl::plan_state &state = internals::of(plan);
                wide most = 0;
                for (int rank = 0; rank < s.grid.size(); ++rank) {
                    wide words = 0;
                    for (const auto operand : {einsum_impl::A, einsum_impl::B})
                        words += wide{state.where.panel_of(operand, rank).size() -
                                      state.where.piece_of(operand, rank).size()} *
                                 state.where.loads(operand);
                    words +=
                        wide{state.where.piece_of(einsum_impl::D, rank).size()} * (s.grid.k - 1);
                    most = std::max(most, words);
                }
                EXPECT_TRUE(most * 8 == s.bytes_received.value);
            }
}

/// Sizes that fit 64 bits are planned, others are refused.
TEST(LargePlans, NearTheLargestAreCountedOrRefused) {
    constexpr index_t huge = index_t{1} << 40;
    const std::vector<std::pair<const char *, std::vector<extents_t>>> all{
        {"mn=mkli*kln", {{0, huge, huge, huge}, {huge, huge, 0}, {0, 0}}}, // beside 0, anything
        {"mn=mkl*kln",
         {{0, index_t{1} << 32, index_t{1} << 31},
          {index_t{1} << 32, index_t{1} << 31, 0},
          {0, 0}}},
        {"mnl=mkl*knl", // D would have 2^64 elements
         {{index_t{1} << 32, 5, 0},
          {5, index_t{1} << 32, 0},
          {index_t{1} << 32, index_t{1} << 32, 0}}},
        {"=x*x", {{(index_t{1} << 60) - 1}, {(index_t{1} << 60) - 1}, {}}},
        {"=x*y", {{huge}, {index_t{1} << 20}, {}}},
        {"x=x*x", {{index_t{1} << 59}, {index_t{1} << 59}, {index_t{1} << 59}}},
        {"mn=mk*kn",
         {{index_t{1} << 30, index_t{1} << 29},
          {index_t{1} << 29, index_t{1} << 30},
          {index_t{1} << 30, index_t{1} << 30}}},
        {"mn=mk*kn", {{huge, 1 << 19}, {1 << 19, 3}, {huge, 3}}}};
    for (const auto &[expression, extents] : all)
        for (const int rank_count : {1, 2, 6, 64, 1024})
            for (const bool reproducible : {false, true}) {
                SCOPED_TRACE(std::string(expression) + " on " + std::to_string(rank_count));
                dist_options options;
                options.reproducible = reproducible;
                try {
                    const dist_plan plan = make_dist_plan(parse(expression), data_type::f64,
                                                          extents, rank_count, options);
                    const dist_plan_summary &s = plan.summary();
                    for (const byte_count count : {s.bytes_received, s.redistribution, s.bound,
                                                   s.peak, s.workspace, s.panels})
                        EXPECT_GE(count.value, 0) << plan.describe();
                    EXPECT_GE(s.k, 0);
                } catch (const error &refused) {
                    EXPECT_TRUE(refused.code() == errc::overflow ||
                                refused.code() == errc::extent_mismatch)
                        << refused.what();
                }
            }
}

/// Tensors that fit 64 bits each, but not together, exceed every limit.
TEST(LargePlans, TensorsThatFitOnlyEachAloneKeepNoLimit) {
    const index_t m = index_t{1} << 30, n = index_t{1} << 29;
    const std::vector<extents_t> extents{{m, n}, {n, n}, {m, n}};
    dist_options options;
    const auto planned = [&] {
        return make_dist_plan(parse("mn=mk*kn"), data_type::f64, extents, 1, options);
    };
    EXPECT_EQ(planned().summary().peak.value, INT64_MAX);
    options.memory_per_rank = gib(1);
    try {
        (void)planned();
        ADD_FAILURE() << "planned within 1 GiB";
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::workspace_too_small) << refused.what();
    }
}

} // namespace
} // namespace tenfold::testing
