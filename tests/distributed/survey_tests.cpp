// Compares surveys of all ranks, and words that they receive, with what each rank's boxes say.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <tenfold/dist_plan.hpp>
#include <tenfold/error.hpp>

#include "distributed/made_up_machine.hpp"
#include "distributed/plan/buffers.hpp"
#include "distributed/plan/nodes.hpp"
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
    memory.for_each(plan.where, [&](const visited_rank &one, const rank_memory &bytes) {
        EXPECT_EQ(bytes.peak(), memory.of_rank(plan.where, one.rank)) << one.rank;
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
        if (random.chance(0.5))
            options.ranks_per_node = static_cast<int>(random.integer(1, ranks));
        const dist_plan plan = make_dist_plan(spec, data_type::f64, operands, on_wide(options));
        expect_as_boxes_say(internals::of(plan));
        expect_words_of_boxes(internals::of(plan));
    }
}

/// Each piece counts once for a node some of whose ranks need it.
index_t words_to_node(const plan_state &plan, int node) {
    const layouts &where = plan.where;
    const layout_choice &choice = where.choice();
    const auto ranks = static_cast<int>(where.grid().size());
    const auto is_there = [&](int rank) { return rank / choice.ranks_per_node == node; };
    index_t words = 0;
    for (const tensor_id operand : all_but_c)
        for (int from = 0; from < ranks; ++from) {
            if (is_there(from) || (operand == B && plan.problem->unary))
                continue;
            index_t receivers = 0, elements = 0;
            for (const int member : where.team_of(operand, from)) {
                receivers += is_there(member) ? 1 : 0;
                if (operand == D && is_there(member))
                    elements += where.piece_of(D, member).size();
            }
            if (operand != D)
                elements = where.piece_of(operand, from).size() * where.loads(operand) *
                           (where.passes_on(operand) ? std::min<index_t>(receivers, 1) : receivers);
            words += elements * plan.words.product[operand];
        }
    return words;
}

TEST(Nodes, AreCountedAsTheirRanksReceive) {
    int by_nodes = 0;
    for (const int test_case : cases(300)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const std::vector<std::string> expressions{"mn=mk*kn", "zmn=zmk*zkn", "m=mk", "=k*k"};
        // Squares of ranks receive less than lines of them if pieces are alike, and no choice has
        // the operands in place, which are on one rank.
        const bool by_squares = test_case % 10 == 0;
        const contraction_spec spec =
            parse(expressions[static_cast<std::size_t>(random.integer(0, by_squares ? 0 : 3))]);
        std::vector<extents_t> extents;
        std::map<label_t, index_t> extent;
        const auto add = [&](const std::vector<label_t> &labels) {
            extents.emplace_back();
            for (const label_t label : labels) {
                const index_t drawn =
                    by_squares ? 192 * random.integer(1, 3) : random.integer(1, 40);
                extents.back().push_back(extent.try_emplace(label, drawn).first->second);
            }
        };
        for (const std::vector<label_t> &labels : spec.inputs)
            add(labels);
        add(spec.output);
        dist_options options;
        options.ranks_per_node = static_cast<int>(random.integer(1, 8));
        int ranks = options.ranks_per_node * static_cast<int>(random.integer(2, 6)) +
                    (random.chance(0.2) ? 1 : 0);
        if (by_squares) {
            const auto m = static_cast<int>(2 * random.integer(2, 4));
            const auto n = static_cast<int>(2 * random.integer(2, 4));
            options.grid = processor_grid{1, m, n, 1};
            options.ranks_per_node = 4;
            ranks = m * n;
        }
        if (random.chance(0.5))
            options.step = step_size{.n = random.integer(1, 9), .k = random.integer(1, 9)};
        const auto on_one_rank = [&] {
            std::vector<distribution> operands;
            for (const extents_t &of_one : extents)
                operands.emplace_back(
                    of_one, std::vector<int>(of_one.size(), 1), ranks,
                    std::vector<int>{static_cast<int>(random.integer(0, ranks - 1))}, 1);
            return operands;
        };
        const dist_plan plan =
            by_squares ? make_dist_plan(spec, data_type::f64, on_one_rank(), on_wide(options))
                       : make_dist_plan(spec, data_type::f64, extents, ranks, on_wide(options));
        const plan_state &state = internals::of(plan);
        const auto taking_part = static_cast<int>(state.where.grid().size());
        for (int rank = 0; rank < taking_part; ++rank)
            EXPECT_EQ(state.where.rank_at(state.where.position_of(rank)), rank);
        index_t most = 0;
        for (int node = 0; node * options.ranks_per_node < taking_part; ++node)
            most = std::max(most, words_to_node(state, node));
        EXPECT_EQ(plan.summary().between_nodes, bytes(most * state.words.bytes));
        by_nodes += state.where.choice().runs_by_nodes() ? 1 : 0;
    }
    if (cases(300).size() > 200) {
        EXPECT_GT(by_nodes, 0);
    }
}

/// 512 ranks as a cube, 8 on a node, panels of 64 x 64: the best part of the grid that is a node,
/// 2 x 4 x 1, receives 88 pieces of 512 elements, whole lines of it would receive 112.
TEST(Nodes, AreThePartsOfAGridThatReceiveLeast) {
    const std::vector<extents_t> cube(3, {512, 512});
    dist_options options = on_wide({.grid = processor_grid{1, 8, 8, 8}, .ranks_per_node = 8});
    const dist_plan first = make_dist_plan(parse("mn=mk*kn"), data_type::f64, cube, 512, options);
    std::vector<distribution> layouts;
    for (const int operand : {0, 1, 2})
        layouts.push_back(first.layout_of(operand));
    const plan_state &state = internals::of(first);
    EXPECT_EQ(parts_for_nodes(state, state.where.choice()).front(), (grid_position{1, 2, 4, 1}));
    const dist_plan plan = make_dist_plan(parse("mn=mk*kn"), data_type::f64, layouts, options);
    EXPECT_LE(plan.summary().between_nodes, first.summary().between_nodes);
    EXPECT_GE(plan.summary().between_nodes, bytes(88 * 512 * 8));
    EXPECT_LT(plan.summary().between_nodes, bytes(112 * 512 * 8));
    options.ranks_per_node = -1;
    EXPECT_THROW(make_dist_plan(parse("mn=mk*kn"), data_type::f64, layouts, options), error);
}

} // namespace
} // namespace tenfold::testing
