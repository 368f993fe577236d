// Plans of programs: what lines take on any number of ranks, where tensors lie, when they exist.
#include <climits>

#include <gtest/gtest.h>

#include <tenfold/program.hpp>

#include "program/plan/plan_state.hpp"
#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

program method(const char *name) {
    return read_program(std::string(TENFOLD_METHODS) + "/" + name + ".tenfold");
}

/// The text of a step, without numbers: "R[a]=V[a,b]*T[b]".
std::vector<std::string> products_of(const program_plan &plan) {
    std::vector<std::string> found;
    for (const program_impl::step &one : internals::of(plan).all.steps)
        if (const auto *const product = std::get_if<program_impl::contraction_step>(&one.what))
            found.push_back(product->expression + (product->adds ? " added" : ""));
    return found;
}

const char *const declared = "index i, j, k, l: occ\nindex a, b, c, d: vir\n"
                             "input V[a,b,i,j], f[a,b], e[i], g[a], s\n";
const range_sizes small{{"occ", 3}, {"vir", 4}};

TEST(ProgramPlan, LinesBecomeContractions) {
    const auto steps_of = [](const std::string &lines) {
        return products_of(make_program_plan(parse_program(declared + lines), small, 1));
    };
    using list = std::vector<std::string>;
    EXPECT_EQ(steps_of("R[a,i] = 2*f[a,b]*V[b,c,i,j]*s - V[a,b,i,i]\n"),
              (list{"R[a,i]=f[a,b]*V[b,c,i,j]", "R[a,i]=V[a,b,i,i] added"}));
    // A term of one tensor is symmetrised as it is, a product once it is there.
    EXPECT_EQ(steps_of("R[a,b,i,j] = P(i,j)*V[a,b,i,j]\n"),
              (list{"R[a,b,i,j]=V[a,b,i,j]", "R[a,b,i,j]=V[a,b,j,i] added"}));
    EXPECT_EQ(steps_of("R[a,b,i,j] = S(a,b; i,j)*f[a,c]*V[c,b,i,j]\n"),
              (list{"_R_1[a,b,i,j]=f[a,c]*V[c,b,i,j]", "R[a,b,i,j]=_R_1[a,b,i,j]",
                    "R[a,b,i,j]=_R_1[b,a,j,i] added"}));
    // A divided term that is added needs a tensor of its own; the first one does not.
    EXPECT_EQ(steps_of("R[a,i] = V[a,b,i,j] / (e[i] - g[a])\nR[a,i] += V[b,a,i,j] / (e[i])\n"),
              (list{"R[a,i]=V[a,b,i,j]", "_R_1[a,i]=V[b,a,i,j]", "R[a,i]=_R_1[a,i] added"}));
    // In the cheapest order: matrices first.
    EXPECT_EQ(steps_of("R[a,b,i,j] = V[c,b,i,j]*f[a,d]*f[d,c]\n").size(), 2U);
    EXPECT_EQ(steps_of("n = 2*s + V[a,b,i,j]*V[a,b,i,j]\n"),
              (list{"n[]=V[a,b,i,j]*V[a,b,i,j] added"}));
}

TEST(ProgramPlan, TensorsExistFromTheirFirstToTheirLastUse) {
    const program_plan plan = make_program_plan(
        parse_program(std::string(declared) + "output R[a,b,i,j], n\n"
                                              "X[a,b,i,j] = V[a,b,i,j]\n"        // step 0
                                              "Y[a,i] = X[a,b,i,j]\n"            // 1
                                              "Z[a,i] = Y[a,i]\n"                // 2
                                              "repeat until n < 1 at most 3 {\n" // 3
                                              "    A[a,i] = Z[a,i]\n"            // 4
                                              "    B[a,i] = A[a,i]\n"            // 5
                                              "    n = B[a,i]*B[a,i]\n"          // 6
                                              "}\n"                              // 7
                                              "R[a,b,i,j] = B[a,i]*B[b,j]\n"),   // 8
        small, 2);
    const auto &lives = internals::of(plan).lifetimes;
    const auto life = [&](const char *name) {
        return std::pair(lives.at(name).first, lives.at(name).last);
    };
    using steps = std::pair<std::size_t, std::size_t>;
    EXPECT_EQ(life("V"), steps(0, 0));
    EXPECT_EQ(life("X"), steps(0, 1));
    EXPECT_EQ(life("Y"), steps(1, 2));
    EXPECT_EQ(life("Z"), steps(2, 7)); // every repetition reads it
    EXPECT_EQ(life("A"), steps(4, 5)); // of the block alone
    EXPECT_EQ(life("B"), steps(3, 8)); // written in a repetition, read behind them
    EXPECT_EQ(life("R"), steps(8, 9));
    EXPECT_EQ(lives.count("f"), 0U);
    EXPECT_EQ(lives.count("n"), 0U);
}

TEST(ProgramPlan, PairsArePackedOneAfterTheOther) {
    const program_plan plan = make_program_plan(
        parse_program(std::string(declared) + "index ij: pairs(occ)\nindex AB: strict_pairs(vir)\n"
                                              "output P[AB,ij], R[a,b,i,j]\n"
                                              "pack P[AB,ij] = V[a,b,i,j]\n"
                                              "unpack R[a,b,i,j] = P[AB,ij]\n"),
        small, 1);
    struct expected {
        bool unpacks;
        const char *whole, *packed;
        int mode;
        chem::pair_kind kind;
    };
    constexpr auto symmetric = chem::pair_kind::symmetric;
    constexpr auto antisymmetric = chem::pair_kind::antisymmetric;
    const expected steps[] = {{false, "V", "_P_1", 0, antisymmetric},
                              {false, "_P_1", "P", 1, symmetric},
                              {true, "_R_2", "P", 1, symmetric},
                              {true, "R", "_R_2", 0, antisymmetric}};
    std::size_t next = 0;
    for (const program_impl::step &one : internals::of(plan).all.steps)
        if (const auto *const step = std::get_if<program_impl::packing_step>(&one.what)) {
            ASSERT_LT(next, std::size(steps));
            const expected &wanted = steps[next++];
            EXPECT_EQ(step->unpacks, wanted.unpacks);
            EXPECT_EQ(step->whole, wanted.whole);
            EXPECT_EQ(step->packed, std::vector<std::string>{wanted.packed});
            EXPECT_EQ(step->mode, wanted.mode);
            EXPECT_EQ(step->kind, wanted.kind);
        }
    EXPECT_EQ(next, std::size(steps));
    EXPECT_EQ(plan.layouts().at("P").extents(), (extents_t{6, 6}));
    EXPECT_EQ(plan.layouts().at("_P_1").extents(), (extents_t{6, 3, 3}));
}

TEST(ProgramPlan, PairsArePricedOnManyRanks) {
    const program both = parse_program("index i, j: occ\nindex a, b: vir\n"
                                       "index ij: pairs(occ)\nindex ab, cd: pairs(vir)\n"
                                       "input T[a,b,i,j], G[ab,cd]\noutput R[a,b,i,j]\n"
                                       "pack P[ab,ij], M[ab,ij] = T[a,b,i,j]\n"
                                       "Q[ab,ij] = G[ab,cd]*P[cd,ij]\n"
                                       "N[ab,ij] = G[ab,cd]*M[cd,ij]\n"
                                       "unpack R[a,b,i,j] = Q[ab,ij], N[ab,ij]\n");
    const range_sizes sizes{{"occ", 8}, {"vir", 24}};
    const index_t all = index_t{8} * 8 * 24 * 24 * 8;
    const program_plan alone = make_program_plan(both, sizes, 1);
    const program_plan many = make_program_plan(both, sizes, 6);
    EXPECT_EQ(many.layouts().at("P"), many.layouts().at("M"));
    EXPECT_EQ(many.layouts().at("Q"), many.layouts().at("N"));
    for (const std::size_t line : {std::size_t{0}, std::size_t{3}}) {
        SCOPED_TRACE(many.lines()[line].text);
        EXPECT_EQ(alone.lines()[line].received.value, 0);
        EXPECT_GT(alone.lines()[line].seconds, 0);
        EXPECT_GT(many.lines()[line].received.value, 0);
        EXPECT_LT(many.lines()[line].received.value, all);
        EXPECT_GT(many.lines()[line].peak.value, all / 6);
    }
    // One rank needs the tensors, and nothing beside them.
    EXPECT_EQ(alone.lines()[0].peak.value, all + 8 * (300 * 300 + 2 * 300 * 36));
}

TEST(ProgramPlan, LinesAreCounted) {
    const program twice =
        parse_program(std::string(declared) + "n = 0\n"
                                              "repeat until n > 9 at most 5 {\n"
                                              "    repeat until n > 9 at most 4 {\n"
                                              "        n += V[a,b,i,j]*V[a,b,i,j]\n"
                                              "    }\n"
                                              "    m = n\n"
                                              "}\n");
    const auto times = [](const program_plan &plan) {
        std::vector<std::int64_t> found;
        for (const planned_line &line : plan.lines())
            found.push_back(line.times);
        return found;
    };
    EXPECT_EQ(times(make_program_plan(twice, small, 1)),
              (std::vector<std::int64_t>{1, 5, 20, 20, 5}));
    EXPECT_EQ(times(make_program_plan(twice, small, 1, {.repetitions = 2})),
              (std::vector<std::int64_t>{1, 2, 4, 4, 2}));
    EXPECT_EQ(make_program_plan(twice, small, 1).lines()[3].text, "n += V[a,b,i,j]*V[a,b,i,j]");
    EXPECT_EQ(make_program_plan(twice, small, 1).lines()[3].line, 7);
}

TEST(ProgramPlan, SumsOfVeryManyRunsAreBounded) {
    const std::string most = std::to_string(INT_MAX);
    const program endless = parse_program(
        declared +
        ("output n, T[a,b,i,j]\nn = 0\nT[a,b,i,j] = 0\nrepeat until n > 1 at most " + most +
         " { repeat until n > 1 at most " + most + " { repeat until n > 1 at most " + most +
         " {\nn = T[a,b,i,j]*T[a,b,i,j]\nR[a,b,i,j] = V[a,b,j,i]\n"
         "diis T with R keep " +
         most + " } } }\n"));
    const program_plan plan = make_program_plan(endless, {{"occ", 1000}, {"vir", 1000}}, 2);
    EXPECT_EQ(plan.lines().back().times, INT64_MAX);
    EXPECT_EQ(plan.summary().peak.value, INT64_MAX);
    EXPECT_GT(plan.summary().seconds, 1e20);
    EXPECT_GT(plan.summary().received.value, 0);
}

TEST(ProgramPlan, OneRankReceivesNothing) {
    const program_plan plan =
        make_program_plan(method("ccd"), {{"occupied", 4}, {"virtual", 9}}, 1);
    EXPECT_EQ(plan.summary().received.value, 0);
    EXPECT_GT(plan.summary().seconds, 0);
    index_t most = 0;
    for (const planned_line &line : plan.lines())
        most = std::max(most, line.peak.value);
    EXPECT_EQ(plan.summary().peak.value, most);
    // V, X, R, T, L, and eight of T and of R.
    EXPECT_GT(most, (9 * 9 * 9 * 9 + 20 * 9 * 9 * 4 * 4) * 8);
}

TEST(ProgramPlan, ManyRanksSharePlannedMemory) {
    const range_sizes sizes{{"occupied", 12}, {"virtual", 40}};
    const program mp3 = method("mp3");
    const program_plan alone = make_program_plan(mp3, sizes, 1);
    const program_plan many = make_program_plan(mp3, sizes, 8);
    EXPECT_GT(many.summary().received.value, 0);
    EXPECT_LT(many.summary().peak.value, alone.summary().peak.value / 3);
    EXPECT_LT(many.summary().seconds, alone.summary().seconds);
    EXPECT_EQ(many.layouts().at("eo"), distribution::replicated({12}, 8, 8));
    EXPECT_EQ(many.layouts().at("vvvv").ranks(), 8);
    const std::string told = many.describe();
    EXPECT_NE(told.find("lines on 8 ranks"), std::string::npos) << told;
    EXPECT_NE(told.find("vvvv: extents (40, 40, 40, 40)"), std::string::npos) << told;
    EXPECT_NE(told.find("MP2 = L[a,i,b,j]*T[a,b,i,j]"), std::string::npos) << told;
}

TEST(ProgramPlan, NodesOfSeveralRanksCount) {
    const range_sizes sizes{{"occupied", 12}, {"virtual", 40}};
    const auto seconds = [&](int ranks_per_node) {
        return make_program_plan(method("mp3"), sizes, 8,
                                 {.contraction = {.ranks_per_node = ranks_per_node}})
            .summary()
            .seconds;
    };
    EXPECT_NE(seconds(2), seconds(0));
    EXPECT_EQ(seconds(8), seconds(0)); // one node
}

TEST(ProgramPlan, SmallTensorsThatAreReadOftenAreInCopies) {
    const program reads = parse_program("index i: occ\nindex a, b, c, d: vir\n"
                                        "input V[a,b,c,i], t[a,b]\noutput R[a,b,c,i]\n"
                                        "R[a,b,c,i] = V[a,b,d,i]*t[d,c]\n"
                                        "R[a,b,c,i] += V[a,d,c,i]*t[d,b]\n"
                                        "R[a,b,c,i] += V[d,b,c,i]*t[d,a]\n");
    const range_sizes sizes{{"occ", 16}, {"vir", 40}};
    EXPECT_GT(make_program_plan(reads, sizes, 16).layouts().at("t").copies(), 1);
    EXPECT_EQ(make_program_plan(reads, sizes, 16, {.copies = {}}).layouts().at("t").copies(), 1);
    EXPECT_LT(make_program_plan(reads, sizes, 16).layouts().at("V").copies(), 16);
}

TEST(ProgramPlan, TensorsLieWhereTheCallerSays) {
    const program divides =
        parse_program(std::string(declared) + "output R[a,b,i,j], n\n"
                                              "R[a,b,i,j] = f[a,c]*V[c,b,i,j] / (e[i])\n"
                                              "n = R[a,b,i,j]*R[a,b,i,j]\n");
    const extents_t whole{4, 4, 3, 3};
    const distribution last = distribution::on_rank({4, 4}, 3, 2);
    const distribution cut(whole, {1, 3, 1, 1}, 3);
    const std::map<std::string, distribution> all{{"f", last}, {"V", cut}, {"R", cut}};
    const auto plan = [&](const std::map<std::string, distribution> &layouts) {
        return make_program_plan(divides, small, 3, {.layouts = layouts});
    };
    for (const auto &[name, spread] : all) {
        EXPECT_EQ(plan({{name, spread}}).layouts().at(name), spread);
        EXPECT_EQ(plan(all).layouts().at(name), spread);
    }
    EXPECT_EQ(plan(all).layouts().at("e"), distribution::replicated({3}, 3, 3));
    EXPECT_GT(plan(all).summary().received.value, 0); // f, from the last rank

    const auto told = [&](const char *name, const distribution &spread, errc code) {
        return message_of([&] { static_cast<void>(plan({{name, spread}})); }, code);
    };
    EXPECT_EQ(told("Q", last, errc::invalid_argument), "layouts: 'Q' is no tensor of the program");
    EXPECT_EQ(told("n", last, errc::invalid_argument), "layouts: 'n' is no tensor of the program");
    EXPECT_NE(told("V", last, errc::extent_mismatch).find("expected extents (4, 4, 3, 3)"),
              std::string::npos);
    EXPECT_EQ(told("f", distribution::block({4, 4}, 2), errc::invalid_argument),
              "layouts: 'f' lies on 2 ranks; the plan is for 3");
    EXPECT_NE(told("e", distribution::block({3}, 3), errc::invalid_argument)
                  .find("is a divisor, of which every rank needs all"),
              std::string::npos);

    const program packs = parse_program("index a, b, i, j: occ\nindex ab, ij: pairs(occ)\n"
                                        "input T[a,b,i,j]\noutput P[ab,ij], M[ab,ij]\n"
                                        "pack P[ab,ij], M[ab,ij] = T[a,b,i,j]\n");
    const distribution pairs = distribution::on_rank({6, 6}, 3, 2);
    const auto packed = [&](const std::map<std::string, distribution> &layouts) {
        return make_program_plan(packs, {{"occ", 3}}, 3, {.layouts = layouts}).layouts();
    };
    EXPECT_EQ(packed({{"P", pairs}}).at("M"), pairs);
    EXPECT_EQ(packed({{"P", pairs}, {"M", pairs}}).at("M"), pairs);
    EXPECT_EQ(message_of(
                  [&] {
                      packed({{"M", pairs}});
                  },
                  errc::invalid_argument),
              "layouts: 'M' is packed beside 'P': expected the same for both");
}

TEST(ProgramPlan, WrongArgumentsAreTold) {
    const program mp2 = method("mp2");
    const auto told = [&](const range_sizes &sizes, int ranks, const program_options &options) {
        return message_of([&] { static_cast<void>(make_program_plan(mp2, sizes, ranks, options)); },
                          errc::invalid_argument);
    };
    const range_sizes right{{"occupied", 2}, {"virtual", 3}};
    EXPECT_EQ(told({{"occupied", 2}}, 1, {}), "range 'virtual' has no size");
    EXPECT_EQ(told({{"occupied", 2}, {"virtual", 0}}, 1, {}),
              "range 'virtual' has the size 0; 1 is the least");
    EXPECT_EQ(told({{"occupied", 2}, {"virtual", 3}, {"core", 1}}, 1, {}),
              "the program has no range 'core', which has a size");
    EXPECT_EQ(told(right, 0, {}), "0 ranks; 1 is the least");
    EXPECT_EQ(told(right, 1, {.repetitions = 0}), "0 repetitions of blocks; 1 is the least");
    EXPECT_NE(told(right, 1, {.contraction = {.beta = 1.0}}).find("without a grid"),
              std::string::npos);
}

} // namespace
} // namespace tenfold::testing
