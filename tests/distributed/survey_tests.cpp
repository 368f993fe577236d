// Compares surveys of all ranks, and words that they receive, with what each rank's boxes say.
#include <map>

#include <gtest/gtest.h>
#include <tenfold/dist_plan.hpp>

#include "distributed/made_up_machine.hpp"
#include "distributed/plan/buffers.hpp"
#include "distributed/plan/plan_state.hpp"
#include "distributed/plan/rank_survey.hpp"
#include "distributed/plan/redistributions.hpp"
#include "distributed/plan/slice.hpp"
#include "distributed/words_of_boxes.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

using namespace dist_impl;

/// The extents of a rank's panels and pieces.
std::vector<extents_t> extents_of(const plan_state &plan, int rank) {
    std::vector<extents_t> all;
    for (const tensor_id operand : all_but_c) {
        if (operand == B && plan.problem->unary)
            continue;
        for (const slice &box :
             {plan.where.panel_of(operand, rank), plan.where.whole_piece_of(operand, rank)}) {
            all.push_back(box.extents);
            all.back().push_back(box.none ? 1 : 0);
        }
    }
    return all;
}

void expect_as_boxes_say(const plan_state &plan) {
    std::map<std::size_t, std::vector<extents_t>> extents_of_kind;
    int next = 0;
    rank_survey(plan, plan.where).for_each([&](const visited_rank &one) {
        ASSERT_EQ(one.rank, next++);
        for (const tensor_id operand : all_but_c) {
            if (operand == B && plan.problem->unary)
                continue;
            const slice block =
                region_of(plan.given[operand], plan.problem->operands[operand], one.rank);
            EXPECT_EQ(one.blocks[operand], plan.given[operand].block_of(one.rank).size());
            EXPECT_EQ(one.given[operand], block.size());
            EXPECT_EQ(one.shared[operand],
                      intersection_size(block, plan.where.whole_piece_of(operand, one.rank)));
        }
        EXPECT_LE(one.kind, extents_of_kind.size());
        const auto [known, is_new] =
            extents_of_kind.try_emplace(one.kind, extents_of(plan, one.rank));
        EXPECT_EQ(known->second, extents_of(plan, one.rank));
    });
    EXPECT_EQ(next, plan.ranks);
    const memory_of memory(plan, plan.where);
    memory.for_each(plan.where, [&](const visited_rank &one, index_t bytes) {
        EXPECT_EQ(bytes, memory.of_rank(plan.where, one.rank)) << one.rank;
    });
}

/// Of all ranks, which are few.
void expect_words_of_boxes(const plan_state &plan) {
    redistribution_words words;
    for (int rank = 0; rank < plan.ranks; ++rank) {
        const index_t received = words_of_boxes(plan, plan.where, rank);
        words.most = std::max(words.most, received);
        words.sum += received;
    }
    given_operands kept;
    const redistributions counted(plan, kept);
    for (int again = 0; again < 2; ++again) // from tables that it has
        EXPECT_TRUE(counted.of(plan.where.choice()) == words);
}

/// Draws a distribution over some of the ranks, in any order.
distribution draw_spread(random_source &random, const extents_t &extents, int ranks) {
    const auto copies = random.chance(0.5) ? 1 : static_cast<int>(random.integer(1, ranks));
    std::vector<int> grid;
    int left = ranks / copies;
    for (std::size_t mode = 0; mode < extents.size(); ++mode) {
        grid.push_back(static_cast<int>(random.integer(1, left)));
        left /= grid.back();
    }
    int cells = copies;
    for (const int parts : grid)
        cells *= parts;
    const auto shift = static_cast<int>(random.integer(0, ranks - 1));
    std::vector<int> rank_of_cell;
    for (int cell = 0; cell < cells; ++cell)
        rank_of_cell.push_back((cell + shift) % ranks);
    return {extents, std::move(grid), ranks, std::move(rank_of_cell), copies};
}

TEST(RankSurvey, TellsWhatBoxesSay) {
    for (const int test_case : cases(200)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        std::map<char, index_t> extent;
        for (const char label : {'i', 'j', 'k', 'l', 'm', 'n', 'x'})
            extent[label] = random.integer(random.chance(0.05) ? 0 : 1, 9);
        const std::vector<std::string> expressions{"lmn=jklm*nkjl", "mn=mxk*kn", "=mk*mk",
                                                   "m=mmk",         "nm=mn",     "mm=mk*k"};
        const std::string &expression = expressions[static_cast<std::size_t>(random.integer(0, 5))];
        const contraction_spec spec = parse(expression);
        const int ranks = static_cast<int>(random.integer(1, 24));
        std::vector<distribution> operands;
        const auto add = [&](const std::vector<label_t> &labels) {
            extents_t extents;
            for (const label_t label : labels)
                extents.push_back(extent[spec.label_names[static_cast<std::size_t>(label)][0]]);
            operands.push_back(random.chance(0.5) ? draw_spread(random, extents, ranks)
                                                  : distribution::block(extents, ranks));
        };
        for (const std::vector<label_t> &labels : spec.inputs)
            add(labels);
        add(spec.output);
        dist_options options;
        options.diagonal_output = true;
        options.reproducible = random.chance(0.2);
        if (random.chance(0.3))
            options.step = step_size{random.integer(1, 4), random.integer(1, 9),
                                     random.integer(1, 9), random.integer(1, 20)};
        const dist_plan plan = make_dist_plan(spec, data_type::f64, operands, on_wide(options));
        expect_as_boxes_say(internals::of(plan));
        expect_words_of_boxes(internals::of(plan));
    }
}

} // namespace
} // namespace tenfold::testing
