// If an allocation fails on one rank in an operation on tensors, all ranks throw or all succeed.
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/dist_async.hpp>
#include <tenfold/dist_gather.hpp>
#include <tenfold/dist_interchange.hpp>
#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_pairs.hpp>
#include <tenfold/dist_program.hpp>
#include <tenfold/dist_split.hpp>
#include <tenfold/dist_tasks.hpp>

#include "mpi/allocation_failure.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

class AllocationFailureInOperations : public ::testing::Test {
protected:
    AllocationFailureInOperations() {
        fill_values(a, 1);
        fill_values(b, 1);
    }

    const extents_t shape{6, 5};
    const tensor<double> values = make_values<double>(shape, 1);
    dist_tensor<double> a{ranks(), shape, {shape, {ranks().size(), 1}, ranks().size()}};
    dist_tensor<double> b{ranks(), shape, {shape, {1, ranks().size()}, ranks().size()}};
    dist_tensor<double> d{ranks(), shape,
                          distribution::replicated(shape, ranks().size(), ranks().size())};
    const std::function<void()> d_has_values = [&] { EXPECT_TRUE(holds(d, values)); };
};

TEST_F(AllocationFailureInOperations, ThatCombine) {
    fail_each({"copy", [&] { return trial{[&] { copy(a, d); }, d_has_values}; }});
    const std::vector<dist_term<double>> terms{{2.0, a}, {-1.0, b}};
    fail_each({"combine", [&] { return trial{[&] { combine<double>(terms, d); }, d_has_values}; }});
    const slice all{{0, 0}, shape};
    fail_each({"transpose", [&] {
                   return trial{[&] { transpose("ab=ab", b, all, d, all); }, d_has_values};
               }});
    fail_each({"map_elements", [&] {
                   return trial{[&] {
                                    map_elements(
                                        d, [](position_view, double x) { return x; }, b);
                                },
                                d_has_values};
               }});
}

TEST_F(AllocationFailureInOperations, InTheBackground) {
    fail_each({"copy_async", [&] {
                   return trial{[&] { copy_async(a, d).wait(); }, d_has_values};
               }});
    fail_each({"redistribute_async", [&] {
                   auto to = std::make_shared<distribution>(b.distribution());
                   auto result = std::make_shared<std::optional<dist_tensor<double>>>();
                   return trial{
                       [&, to, result] { *result = redistribute_async(a, std::move(*to)).wait(); },
                       [&, result] { EXPECT_TRUE(holds(**result, values)); }};
               }});
    const dist_tensor<double> square(ranks(), {5, 5});
    const auto contracts = [&] { contract_async("mn=mk*kn", a, square, d).wait(); };
    contracts(); // now the plan is known
    fail_each({"contract", [&] { return trial{contracts}; }});
}

TEST_F(AllocationFailureInOperations, ThatReduce) {
    const double total = sum(a);
    fail_each({"sum", [&] { return trial{[&] { EXPECT_EQ(sum(a), total); }}; }});
    fail_each({"largest", [&] {
                   auto found = std::make_shared<std::vector<dist_element<double>>>();
                   return trial{[&, found] { *found = largest(a, 3); },
                                [found] { EXPECT_EQ(found->size(), 3U); }};
               }});
    fail_each({"fill_normal", [&] {
                   return trial{[&] { fill_normal(d, 1); }, [&] { EXPECT_GT(d.norm(), 0); }};
               }});
}

TEST_F(AllocationFailureInOperations, ThatTakeLists) {
    const extents_t positions{0, 0, 5, 4, 2, 3};
    std::vector<double> read(3);
    fail_each({"read_elements", [&] { return trial{[&] { read_elements(a, positions, read); }}; }});
    const std::vector<double> written{values(0, 0), values(5, 4), values(2, 3)};
    copy(a, d);
    fail_each({"write_elements", [&] {
                   return trial{[&] { write_elements(d, positions, written); }, d_has_values};
               }});
    fail_each({"broadcast", [&] { // the root needs no memory
                   auto texts = std::make_shared<std::array<std::string, 2>>();
                   if (ranks().rank() < 2)
                       (*texts)[static_cast<std::size_t>(ranks().rank())] =
                           "a text that is not short, by any means";
                   return trial{[texts] {
                                    for (int root = 0; root < 2; ++root)
                                        broadcast(ranks(), (*texts)[static_cast<std::size_t>(root)],
                                                  root);
                                },
                                [texts] { EXPECT_EQ((*texts)[0], (*texts)[1]); }};
               }});
    fail_each({"all_gather", [&] { return trial{[] { all_gather(ranks(), 1.0); }}; }});
    fail_each({"gather_lists", [&] {
                   auto lists = std::make_shared<std::array<std::vector<double>, 2>>();
                   return trial{[&, lists] {
                       all_gather_lists(ranks(), written, (*lists)[0]);
                       gather_lists(ranks(), written, (*lists)[1], 0);
                   }};
               }});
    const std::vector<index_t> counts(static_cast<std::size_t>(ranks().size()), 0);
    fail_each({"scatter_lists", [&] {
                   auto list = std::make_shared<std::vector<double>>();
                   return trial{
                       [&, list] { scatter_lists<double>(ranks(), {}, counts, *list, 0); }};
               }});
    const slice all{{0, 0}, shape};
    tensor<double> whole(shape);
    fail_each({"gather_slice", [&] {
                   return trial{[&, view = whole.view()]() mutable {
                                    gather_slice(a, all, std::move(view)); // else it is copied
                                },
                                [&] { EXPECT_TRUE(equal(whole, values)); }};
               }});
}

TEST_F(AllocationFailureInOperations, ThatHandOutTasks) {
    const std::vector<double> costs{1, 2, 3, 4, 5, 6, 7, 8, 9};
    fail_each({"for_each_piece", [&] {
                   return trial{
                       [&] { for_each_task(ranks(), 9, [](index_t) {}, {.costs = costs}); }};
               }});
}

TEST_F(AllocationFailureInOperations, ThatPackPairs) {
    constexpr auto symmetric = chem::pair_kind::symmetric;
    dist_tensor<double> x(ranks(), {4, 4, 3}), pairs(ranks(), {10, 3}), wanted(ranks(), {10, 3});
    fill_values(x, 1);
    chem::pack_pairs(x, 0, symmetric, wanted);
    const tensor<double> whole = wanted.gather_all();
    fail_each({"pack_pairs", [&] {
                   return trial{[&] { chem::pack_pairs(x, 0, symmetric, pairs); },
                                [&] { EXPECT_TRUE(holds(pairs, whole)); }};
               }});
    fail_each({"unpack_pairs",
               [&] { return trial{[&] { chem::unpack_pairs(pairs, 0, symmetric, x); }}; }});

    dist_tensor<double> t(ranks(), {3, 3, 2, 2}), plus(ranks(), {6, 3}), minus(ranks(), {6, 3});
    fill_values(t, 1);
    fail_each({"pack_pair_matrices",
               [&] { return trial{[&] { chem::pack_pair_matrices(t, plus, minus); }}; }});
    fail_each({"unpack_pair_matrices",
               [&] { return trial{[&] { chem::unpack_pair_matrices(plus, minus, t); }}; }});
}

TEST_F(AllocationFailureInOperations, BetweenWorlds) {
    const auto part = split(ranks(), ranks().rank() < 2 ? 0 : -1);
    std::optional<dist_tensor<double>> s;
    if (part)
        s.emplace(*part, shape);
    fail_each({"copy_to_part", [&] {
                   return trial{[&] { copy_to_part(a, s ? &*s : nullptr); },
                                [&] { EXPECT_TRUE(!s || holds(*s, values)); }};
               }});
    fail_each({"copy_from_part", [&] {
                   return trial{[&] { copy_from_part(s ? &std::as_const(*s) : nullptr, d); },
                                d_has_values};
               }});
}

TEST_F(AllocationFailureInOperations, ThatTakeBoxes) {
    std::vector<dist_box<const double>> boxes;
    const index_t half = ranks().rank() == 0 ? 0 : 3;
    if (ranks().rank() < 2)
        boxes.push_back({{{half, 0}, {3, 5}}, values.view().block({half, 0}, {3, 5})});
    fail_each({"import_boxes", [&] {
                   return trial{[&] { import_boxes(boxes, d); }, d_has_values};
               }});
    tensor<double> memory({6, 5});
    const std::vector<dist_box<double>> wanted{
        {{{1, 1}, {3, 4}}, memory.view().block({1, 1}, {3, 4})}};
    fail_each({"export_boxes", [&] { return trial{[&] { export_boxes(a, wanted); }}; }});
}

/// Lines of all kinds.
TEST_F(AllocationFailureInOperations, ThatAreAProgram) {
    const program_plan plan =
        make_program_plan(parse_program("index i, j, k: row\n"
                                        "index ij: pairs(row)\n"
                                        "input A[i,j], e[i], s\n"
                                        "output T[i,j], n\n"
                                        "T[i,j] = s\n"
                                        "repeat until n < 0 at most 2 {\n"
                                        "    R[i,j] = P(i,j)*A[i,k]*T[k,j] / (s + e[i])\n"
                                        "    pack S[ij] = R[i,j]\n"
                                        "    unpack R[i,j] += S[ij]\n"
                                        "    n = R[i,j]*R[i,j] + s\n"
                                        "    diis T with R keep 3\n"
                                        "}\n"),
                          {{"row", 4}}, ranks().size(), {.contraction = {.threads = 1}});
    dist_tensor<double> matrix(ranks(), {4, 4},
                               distribution::on_rank({4, 4}, ranks().size(), ranks().size() - 1));
    fill_values(matrix, 1);
    const std::map<std::string, program_input> inputs{
        {"A", &matrix},
        {"e",
         [](const extents_t &, tensor_view<double> block) {
             std::fill_n(block.data(), block.shape().size(), 2.0);
         }},
        {"s", 1.0}};
    const program_result wanted = run_program(plan, ranks(), inputs); // now its plans are known
    const tensor<double> t = wanted.tensors.at("T").gather_all();
    fail_each({"", [&] {
                   auto found = std::make_shared<std::optional<program_result>>();
                   return trial{[&, found] { *found = run_program(plan, ranks(), inputs); },
                                [&, found] {
                                    EXPECT_EQ((**found).scalars.at("n"), wanted.scalars.at("n"));
                                    EXPECT_TRUE(equal((**found).tensors.at("T").gather_all(), t));
                                }};
               }});
}

} // namespace
} // namespace tenfold::testing
