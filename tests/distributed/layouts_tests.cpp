// Tests plan_layouts().
#include <gtest/gtest.h>
#include <tenfold/dist_layouts.hpp>
#include <tenfold/dist_sequence.hpp>
#include <tenfold/error.hpp>

#include "distributed/made_up_machine.hpp"
#include "distributed/plan/plan_state.hpp"
#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

using all_extents = std::map<std::string, extents_t>;

using shared_expressions = std::vector<shared_expression>;

planned_layouts plan_on_wide(const shared_expressions &expressions, const all_extents &extents,
                             int ranks) {
    return plan_layouts(expressions, extents, data_type::f64, ranks, on_wide());
}

/// Returns the plans of an expression's steps, with tensors that are distributed as planned.
dist_sequence sequence_for(const std::string &expression, const planned_layouts &layouts,
                           const dist_options &options = on_wide()) {
    const contraction_spec spec = parse(expression);
    std::vector<distribution> operands;
    for (const std::string &tensor : spec.operand_names)
        operands.push_back(layouts.of.at(tensor));
    return make_dist_sequence(spec, data_type::f64, operands, options);
}

const shared_expressions doubles{
    "R[a,b,i,j] = V[a,b,e,f] * T[e,f,i,j]", "R[a,b,i,j] += W[k,l,i,j] * T[a,b,k,l]",
    "R[a,b,i,j] += T[a,c,i,k] * X[c,b,k,j]", "X[c,b,k,j] = Y[k,c,l,d] * T[d,b,l,j]",
    "R[a,b,i,j] += F[a,c] * T[c,b,i,j]"};

all_extents extents_of_doubles() {
    const index_t v = 36, o = 8;
    return {{"V", {v, v, v, v}}, {"W", {o, o, o, o}}, {"T", {v, v, o, o}}, {"R", {v, v, o, o}},
            {"X", {v, v, o, o}}, {"Y", {o, v, o, v}}, {"F", {v, v}}};
}

TEST(SharedLayouts, TakeWhatTheirPlansTake) {
    for (const int ranks : {1, 2, 4, 6, 16}) {
        const planned_layouts layouts = plan_on_wide(doubles, extents_of_doubles(), ranks);
        EXPECT_EQ(layouts.of.size(), 7U);
        double seconds = 0;
        index_t received = 0;
        for (const shared_expression &one : doubles) {
            const dist_sequence planned = sequence_for(one.text, layouts);
            for (const dist_step &step : planned.steps()) {
                seconds += internals::of(step.plan).seconds;
                received += step.plan.summary().total_received.value;
            }
        }
        EXPECT_DOUBLE_EQ(layouts.seconds, seconds);
        EXPECT_EQ(layouts.received.value, received);
        EXPECT_LE(layouts.seconds, layouts.default_seconds);
        if (ranks == 16) {
            EXPECT_LT(layouts.received, layouts.default_received);
        }
    }
}

TEST(SharedLayouts, FitTheNodesThatOptionsTell) {
    const dist_options on_nodes = on_wide({.ranks_per_node = 4});
    const auto seconds_on_nodes = [&](const planned_layouts &layouts) {
        double seconds = 0;
        for (const shared_expression &one : doubles)
            for (const dist_step &step : sequence_for(one.text, layouts, on_nodes).steps())
                seconds += internals::of(step.plan).seconds;
        return seconds;
    };
    const all_extents extents = extents_of_doubles();
    const planned_layouts found = plan_layouts(doubles, extents, data_type::f64, 16, on_nodes);
    EXPECT_DOUBLE_EQ(found.seconds, seconds_on_nodes(found));
    EXPECT_LE(found.seconds, found.default_seconds);
}

TEST(SharedLayouts, OfOneContractionNeedNoRedistribution) {
    const std::string ladder = doubles.front().text;
    for (const int ranks : {2, 4, 8, 12}) {
        const planned_layouts layouts = plan_on_wide({ladder}, extents_of_doubles(), ranks);
        const dist_sequence planned = sequence_for(ladder, layouts);
        EXPECT_EQ(planned.summary().redistribution, bytes(0)) << planned.describe();
    }
}

/// A tensor that is read often is worth keeping where it is read.
TEST(SharedLayouts, FollowWhatIsEvaluatedMoreOften) {
    const all_extents extents{
        {"A", {512, 64}}, {"B", {64, 512}}, {"C", {512, 512}}, {"E", {64, 64}}};
    const std::string outer = "C[m,n] = A[m,k] * B[k,n]";
    const std::string gram = "E[k,l] = A[m,k] * A[m,l]";
    const int ranks = 8;
    const auto received = [&](const std::string &expression, const planned_layouts &layouts) {
        const dist_sequence_summary &s = sequence_for(expression, layouts).summary();
        return s.bytes_received.value + s.redistribution.value;
    };
    const planned_layouts for_outer = plan_on_wide({{outer, 20}, gram}, extents, ranks);
    const planned_layouts for_gram = plan_on_wide({outer, {gram, 20}}, extents, ranks);
    EXPECT_LE(received(outer, for_outer), received(outer, for_gram));
    EXPECT_LE(received(gram, for_gram), received(gram, for_outer));

    shared_expressions one_by_one(20, outer); // in place of a number
    one_by_one.emplace_back(gram);
    const planned_layouts the_same = plan_on_wide(one_by_one, extents, ranks);
    EXPECT_EQ(the_same.of, for_outer.of);
    EXPECT_EQ(the_same.seconds, for_outer.seconds);
    EXPECT_EQ(the_same.received, for_outer.received);
    // Sums of very many runs do not overflow.
    const planned_layouts endless =
        plan_on_wide({{outer, INT64_MAX}, {outer, INT64_MAX}}, extents, ranks);
    EXPECT_GE(endless.received.value, 0);
}

TEST(SharedLayouts, AreTheSameEveryTime) {
    const planned_layouts one = plan_on_wide(doubles, extents_of_doubles(), 12);
    const planned_layouts other = plan_on_wide(doubles, extents_of_doubles(), 12);
    EXPECT_EQ(one.of, other.of);
    EXPECT_EQ(one.seconds, other.seconds);
}

TEST(SharedLayouts, OfSingleInputsAndDiagonals) {
    const all_extents extents{{"D", {40, 50}}, {"S", {40, 40}}, {"d", {40}}, {"s", {}}};
    const shared_expressions expressions{"S[a,e] = D[a,d] * D[e,d]", "d[a] = S[a,a]", "s[] = d[a]"};
    const planned_layouts layouts = plan_on_wide(expressions, extents, 6);
    EXPECT_LE(layouts.seconds, layouts.default_seconds);
    for (const auto &[tensor, layout] : layouts.of)
        EXPECT_EQ(layout.extents(), extents.at(tensor)) << tensor;
}

/// Singles of coupled cluster, which read the small t and F over and over.
const shared_expressions singles{
    "X[a,b,c,i] = V[a,b,c,d] * t[d,i]", "Y[k,l,c,i] = W[k,l,c,d] * t[d,i]",
    "Z[k,a,c,i] = U[k,a,c,d] * t[d,i]", "S[a,b,i,j] = T[c,b,i,j] * F[a,c]",
    "S[a,b,i,j] += X[a,b,c,i] * t[c,j]"};

all_extents extents_of_singles() {
    const index_t v = 40, o = 10;
    return {{"V", {v, v, v, v}}, {"W", {o, o, v, v}}, {"U", {o, v, v, v}}, {"t", {v, o}},
            {"F", {v, v}},       {"X", {v, v, v, o}}, {"Y", {o, o, v, o}}, {"Z", {o, v, v, o}},
            {"S", {v, v, o, o}}, {"T", {v, v, o, o}}};
}

planned_layouts with_copies(const shared_expressions &expressions, const all_extents &extents,
                            int ranks, const copies_allowed &copies) {
    return plan_layouts(expressions, extents, data_type::f64, ranks, on_wide(), copies);
}

TEST(SharedLayouts, KeepCopiesOfWhatIsReadOften) {
    for (const int ranks : {4, 6, 16}) {
        SCOPED_TRACE(ranks);
        const planned_layouts once = plan_on_wide(singles, extents_of_singles(), ranks);
        const planned_layouts more =
            with_copies(singles, extents_of_singles(), ranks, {.any = true});
        for (const auto &[tensor, layout] : once.of)
            EXPECT_EQ(layout.copies(), 1) << tensor;
        EXPECT_GT(more.of.at("t").copies(), 1);
        EXPECT_GT(more.of.at("F").copies(), 1);
        EXPECT_EQ(more.of.at("Y").copies(), 1); // only written
        EXPECT_LT(more.seconds, once.seconds);
        EXPECT_LT(more.received, once.received);
        double seconds = 0;
        for (const shared_expression &one : singles)
            for (const dist_step &step : sequence_for(one.text, more).steps())
                seconds += internals::of(step.plan).seconds;
        EXPECT_DOUBLE_EQ(more.seconds, seconds);
        index_t words = 0;
        for (const auto &[tensor, layout] : more.of)
            words += layout.largest_block();
        EXPECT_EQ(more.memory.value, 8 * words);
    }
}

TEST(SharedLayouts, KeepCopiesWithinMemory) {
    const int ranks = 6;
    const all_extents extents = extents_of_singles();
    const planned_layouts any = with_copies(singles, extents, ranks, {.any = true});
    ASSERT_GT(any.memory, any.default_memory);
    const byte_count between = bytes((any.memory.value + any.default_memory.value) / 2);
    const planned_layouts some = with_copies(singles, extents, ranks, {true, between});
    EXPECT_LE(some.memory, between);
    EXPECT_LE(some.seconds, some.default_seconds);
    const planned_layouts none = with_copies(singles, extents, ranks, {true, bytes(1)});
    EXPECT_LE(none.memory, none.default_memory);
    EXPECT_EQ(with_copies(singles, extents, 1, {.any = true}).of.at("t").copies(), 1);
    // The limit is one of copies: without them it has no effect.
    const shared_expressions product{"C[m,n] = A[m,k] * B[k,n]"};
    const all_extents squares{{"A", {60, 60}}, {"B", {60, 60}}, {"C", {60, 60}}};
    EXPECT_EQ(with_copies(product, squares, ranks, {false, bytes(1)}).of,
              with_copies(product, squares, ranks, {}).of);
}

TEST(SharedLayouts, SayWhatIsMissing) {
    const auto message = [](const shared_expressions &expressions, const all_extents &extents,
                            const dist_options &options = {}) {
        return message_of([&] { plan_layouts(expressions, extents, data_type::f64, 4, options); },
                          errc::invalid_argument);
    };
    const std::string product = "C[m,n]=A[m,k]*B[k,n]";
    EXPECT_EQ(message({}, {}), "layouts for no expressions");
    EXPECT_EQ(message({"mn=mk*kn"}, {}),
              "'mn=mk*kn' does not name its tensors, as 'C[a,b]=A[a,k]*B[k,b]'");
    EXPECT_EQ(message({product}, {{"A", {4, 4}}, {"C", {4, 4}}}),
              "'" + product + "': the extents of tensor 'B' were not given");
    const all_extents squares{{"A", {4, 4}}, {"B", {4, 4}}, {"C", {4, 4}}};
    EXPECT_EQ(message({{product, 0}}, squares),
              "'" + product + "' is evaluated 0 times; 1 is the least");
    EXPECT_EQ(message({product}, squares, {.memory_per_rank = gib(1)}),
              "layouts are planned without a forced grid, steps or limit of memory");
    EXPECT_EQ(message({product}, squares, {.grid = processor_grid{}}),
              "layouts are planned without a forced grid, steps or limit of memory");
}

TEST(SharedLayouts, OneNameIsOneTensor) {
    const extents_t extents{6, 6};
    const auto message = [&](const distribution &other) {
        return message_of(
            [&] {
                const std::vector operands{distribution::block(extents, 4), other,
                                           distribution::block(extents, 4)};
                make_dist_plan(parse("R[a,b]=T[a,c]*T[c,b]"), data_type::f64, operands, on_wide());
            },
            errc::invalid_argument);
    };
    EXPECT_NE(message(distribution::on_rank(extents, 4, 0)).find("calls both A and B 'T'"),
              std::string::npos);
    EXPECT_NE(message({extents, {4, 1}, 4}).find("spread as"), std::string::npos);
    // A tensor twice and two tensors have the same plans, but not the same layouts.
    const planned_layouts both =
        plan_on_wide({"R[a,b]=T[a,c]*T[c,b]", "S[a,b]=T[a,c]*G[c,b]"},
                     {{"R", {60, 60}}, {"S", {60, 60}}, {"T", {60, 60}}, {"G", {60, 60}}}, 4);
    EXPECT_LE(both.seconds, both.default_seconds);
}

} // namespace
} // namespace tenfold::testing
