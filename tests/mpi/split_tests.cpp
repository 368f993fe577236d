// Tests worlds of some ranks, and tensors that move between them and the world of all.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_process.hpp>
#include <tenfold/dist_split.hpp>

#include "mpi/operation_cases.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

template <class T> dist_tensor<T> *pointer(std::optional<dist_tensor<T>> &tensor) {
    return tensor ? &*tensor : nullptr;
}

void expect_error(errc code, const std::string &words, const std::function<void()> &call) {
    const failure refused = failure_of(call);
    EXPECT_EQ(refused.code, code) << words << ": " << refused.message;
    EXPECT_NE(refused.message.find(words), std::string::npos) << refused.message;
}

TEST(DistSplit, ByGroups) {
    const int rank = ranks().rank();
    const int size = ranks().size();
    const auto half = split(ranks(), rank % 2);
    ASSERT_TRUE(half);
    EXPECT_EQ(half->size(), (size + 1 - rank % 2) / 2);
    EXPECT_EQ(half->rank(), rank / 2);
    EXPECT_EQ(half->threads(), ranks().threads());
    dist_tensor<double> x(*half, {7});
    x.fill(static_cast<double>(rank % 2 + 1));
    EXPECT_EQ(sum(x), 7.0 * (rank % 2 + 1));

    const auto last = split(ranks(), rank == size - 1 ? 3 : -1);
    EXPECT_EQ(last.has_value(), rank == size - 1);
    if (last) {
        EXPECT_EQ(last->size(), 1);
    }
}

TEST(DistSplit, ByNode) {
    const world here = split_by_node(ranks());
    const int size = here.size();
    EXPECT_GE(size, 1);
    EXPECT_LE(size, ranks().size());
    EXPECT_EQ(here.threads(), ranks().threads());
    const auto places = all_gather(here, ranks().rank());
    EXPECT_EQ(places[static_cast<std::size_t>(here.rank())], ranks().rank());
    EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
}

TEST(DistProcess, TellsItsPlace) {
    const process_place here = place_in_mpi();
    EXPECT_EQ(here.rank, ranks().rank());
    EXPECT_EQ(here.ranks, ranks().size());
    EXPECT_FALSE(mpi_library().empty());
    EXPECT_EQ(mpi_library().find_first_of(",\n\t"), std::string::npos) << mpi_library();
}

/// Random parts of the ranks, and distributions with copies on both sides.
TEST(DistSplit, TensorsMoveBothWays) {
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const int size = ranks().size();
        std::vector<int> groups;
        for (int i = 0; i < size; ++i)
            groups.push_back(random.chance(0.6) ? 5 : -1);
        groups[static_cast<std::size_t>(random.integer(0, size - 1))] = 5;
        const auto part = split(ranks(), groups[static_cast<std::size_t>(ranks().rank())]);
        const auto count = static_cast<int>(std::count(groups.begin(), groups.end(), 5));
        ASSERT_EQ(part ? part->size() : count, count);

        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        dist_tensor<float> x(ranks(), extents, random_distribution(random, extents, size));
        const distribution spread = random_distribution(random, extents, count);
        std::optional<dist_tensor<float>> s;
        if (part) {
            s.emplace(*part, extents, spread);
            s->fill(-1.0F);
        }
        fill_values(x, 1);
        copy_to_part(x, pointer(s));
        if (s) {
            EXPECT_TRUE(holds(*s, make_values<float>(extents, 1)));
            EXPECT_TRUE(equal(s->gather_all(), make_values<float>(extents, 1)));
            fill_values(*s, 2);
        }
        copy_from_part(pointer(s), x);
        EXPECT_TRUE(holds(x, make_values<float>(extents, 2)));
        EXPECT_TRUE(equal(x.gather_all(), make_values<float>(extents, 2)));
    }
}

/// Each part gets all of the tensor; not all of them can give it.
TEST(DistSplit, TensorsOfSeveralWorlds) {
    const extents_t extents{6, 5};
    const auto part = split(ranks(), ranks().rank() % 2);
    dist_tensor<std::int32_t> x(ranks(), extents), s(*part, extents);
    fill_values(x, 1);
    copy_to_part(x, &s);
    EXPECT_TRUE(equal(s.gather_all(), make_values<std::int32_t>(extents, 1)));
    if (ranks().size() > 1)
        expect_error(errc::overlap, "", [&] { copy_from_part(&s, x); });
    else
        copy_from_part(&s, x);
    EXPECT_TRUE(equal(x.gather_all(), make_values<std::int32_t>(extents, 1)));
}

TEST(DistSplit, RefuseAlikeOnAllRanks) {
    const int rank = ranks().rank();
    const int size = ranks().size();
    dist_tensor<double> x(ranks(), {4, 3});
    fill_values(x, 1);
    dist_tensor<double> *const none = nullptr;
    const dist_tensor<double> *const no_input = nullptr;
    expect_error(errc::invalid_argument, "no rank has", [&] { copy_from_part(no_input, x); });
    copy_to_part(x, none); // nobody has anything to do
    const auto all = split(ranks(), 0);
    dist_tensor<double> other(*all, {4, 2}), order(*all, {12}), s(*all, {4, 3}), t(*all, {4, 3});
    expect_error(errc::extent_mismatch, "S mode 1 has extent 2, X mode 1 has extent 3",
                 [&] { copy_to_part(x, &other); });
    expect_error(errc::order_mismatch, "S has order 1, X has order 2",
                 [&] { copy_from_part(&order, x); });
    if (size == 1)
        return;
    expect_error(errc::invalid_argument,
                 "rank " + std::to_string(size - 1) + " is in S's world, too, and passed no tensor",
                 [&] { copy_to_part(x, rank == size - 1 ? none : &s); });
    expect_error(errc::invalid_argument, "is in S's world, too, and passed another tensor",
                 [&] { copy_from_part(rank == 0 ? &s : &t, x); });
    dist_tensor<double> copies(*all, {4, 3}, distribution::replicated({4, 3}, size, size));
    if (rank == 0)
        static_cast<void>(copies.local());
    expect_error(errc::invalid_argument, "call refresh()", [&] { copy_from_part(&copies, x); });
    EXPECT_TRUE(equal(x.gather_all(), make_values<double>({4, 3}, 1)));
    // Ranks 1.. have a tensor, of which x's world lacks some ranks.
    const auto first_two = split(ranks(), rank < 2 ? 0 : -1);
    const auto behind = split(ranks(), rank > 0 ? 0 : -1);
    std::optional<dist_tensor<double>> of_first, of_behind;
    if (first_two)
        of_first.emplace(*first_two, extents_t{4, 3});
    if (behind)
        of_behind.emplace(*behind, extents_t{4, 3});
    if (first_two && size > 2)
        expect_error(errc::invalid_argument, "rank 1 of S's world is not in X's world",
                     [&] { copy_to_part(*of_first, pointer(of_behind)); });
}

} // namespace
} // namespace tenfold::testing
