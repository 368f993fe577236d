// Tests elements of distributed tensors by lists of positions, and what ranks of a program tell
// each other.
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <tenfold/dist_operations.hpp>

#include "mpi/operation_cases.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

template <class T> class DistElements : public ::testing::Test {};
using listed_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(DistElements, listed_types);

/// A list of elements of one rank: positions one after the other.
template <class T> struct element_list {
    extents_t positions;
    std::vector<T> values;

    std::span<const index_t> position(std::size_t i, std::size_t order) const {
        return std::span(positions).subspan(i * order, order);
    }
};

/// Returns the lists of all ranks: up to 30 elements each, some of them twice. Values differ.
template <class T>
std::vector<element_list<T>> random_lists(random_source &random, const extents_t &extents) {
    std::vector<element_list<T>> lists(static_cast<std::size_t>(ranks().size()));
    int next = 0;
    for (element_list<T> &list : lists) {
        const index_t count =
            layout(extents).empty() || random.chance(0.2) ? 0 : random.integer(0, 30);
        for (index_t i = 0; i < count; ++i) {
            for (const index_t extent : extents)
                list.positions.push_back(random.integer(0, extent - 1));
            list.values.push_back(T(static_cast<float>(++next)));
        }
    }
    return lists;
}

/// Calls use(offset in the whole tensor, value) in the order of ranks and lists.
template <class T, class Use> void for_each_element(const std::vector<element_list<T>> &lists,
                                                    const extents_t &extents, const Use &use) {
    const layout shape(extents);
    for (const element_list<T> &list : lists)
        for (std::size_t i = 0; i < list.values.size(); ++i)
            use(shape.offset_of(list.position(i, extents.size())), list.values[i]);
}

TYPED_TEST(DistElements, AreReadWrittenAndAdded) {
    using T = TypeParam;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        dist_tensor<T> x(ranks(), extents, random_distribution(random, extents, ranks().size()));
        fill_values(x, test_case);
        tensor<T> expected = make_values<T>(extents, test_case);
        const auto written = random_lists<T>(random, extents);
        const auto added = random_lists<T>(random, extents);
        const auto me = static_cast<std::size_t>(ranks().rank());

        write_elements(x, written[me].positions, written[me].values);
        for_each_element(written, extents,
                         [&](index_t at, T value) { expected.data()[at] = value; });
        EXPECT_TRUE(holds(x, expected));

        add_elements(x, added[me].positions, added[me].values);
        for_each_element(added, extents,
                         [&](index_t at, T value) { expected.data()[at] += value; });
        EXPECT_TRUE(holds(x, expected));

        std::vector<T> read(written[me].values.size(), T(-1));
        read_elements(x, written[me].positions, read);
        for (std::size_t i = 0; i < read.size(); ++i)
            EXPECT_EQ(read[i], expected.data()[expected.shape().offset_of(
                                   written[me].position(i, extents.size()))]);
    }
}

/// Sums are rounded in the order of ranks and lists.
TEST(DistElements, AreAddedInTheOrderOfRanks) {
    dist_tensor<float> x(ranks(), {3},
                         distribution::replicated({3}, ranks().size(), ranks().size()));
    const std::vector<float> values{1e8F, 1, -1e8F, 3};
    add_elements(x, extents_t{2, 2, 2, 2}, values);
    float expected = 0;
    for (int rank = 0; rank < ranks().size(); ++rank)
        for (const float value : values)
            expected += value;
    tensor<float> whole({3});
    whole(2) = expected;
    EXPECT_TRUE(holds(x, whole));
}

TEST(DistElements, TravelInShortMessages) {
    const byte_count before = set_message_limit(bytes(32));
    dist_tensor<double> x(ranks(), {7, 5});
    fill_values(x, 1);
    extents_t positions;
    for_each_position({0, 0}, {7, 5}, [&](const extents_t &position) {
        positions.insert(positions.end(), position.begin(), position.end());
    });
    tensor<double> all({7, 5});
    read_elements(x, positions, {all.data(), 35});
    EXPECT_TRUE(equal(all, make_values<double>({7, 5}, 1)));
    set_message_limit(before);
}

TEST(DistElements, RefuseAlikeOnAllRanks) {
    const int size = ranks().size();
    const bool is_last = ranks().rank() == size - 1;
    dist_tensor<double> x(ranks(), {4, 3}, distribution::replicated({4, 3}, size, size));
    fill_values(x, 1);
    std::vector<double> one{5};
    const auto expect = [&](errc code, const char *words, const auto &call) {
        const failure refused = failure_of(call);
        EXPECT_EQ(refused.code, code) << words;
        EXPECT_NE(refused.message.find(words), std::string::npos) << refused.message;
        EXPECT_TRUE(same_on_all_ranks(refused.message));
    };
    const extents_t outside{1, 3};
    const extents_t inside{1, 2};
    const char *words = "element 0 of the list, mode 1: index 3 is outside extent 3";
    expect(errc::invalid_argument, words,
           [&] { write_elements(x, is_last ? outside : inside, one); });
    expect(errc::invalid_argument, words,
           [&] { add_elements(x, is_last ? outside : inside, one); });
    expect(errc::invalid_argument, words,
           [&] { read_elements(x, is_last ? outside : inside, one); });
    expect(errc::extent_mismatch, "1 values and 4 indices; a tensor of order 2 needs 2", [&] {
        write_elements(x, is_last ? extents_t{0, 0, 1, 1} : inside, one);
    });
    EXPECT_TRUE(holds(x, make_values<double>({4, 3}, 1)));
    EXPECT_EQ(one.front(), 5);
    if (size == 1)
        return;
    expect(errc::disagreement, "ranks disagree on the operation", [&] {
        if (is_last)
            add_elements(x, inside, one);
        else
            write_elements(x, inside, one);
    });
    if (is_last)
        static_cast<void>(x.local());
    expect(errc::invalid_argument, "call refresh()", [&] { add_elements(x, inside, one); });
    expect(errc::invalid_argument, "call refresh()", [&] { read_elements(x, inside, one); });
}

struct plain_record {
    int number;
    double value;
};

TEST(DistProgram, BroadcastsFromAnyRank) {
    const int size = ranks().size();
    for (int root = 0; root < size; ++root) {
        const bool is_root = ranks().rank() == root;
        plain_record record{is_root ? 3 : 0, is_root ? 2.5 : 0.0};
        broadcast(ranks(), record, root);
        EXPECT_EQ(record.number, 3);
        EXPECT_EQ(record.value, 2.5);

        std::string text = is_root ? "a text that is not short, by any means" : "other";
        broadcast(ranks(), text, root);
        EXPECT_EQ(text, "a text that is not short, by any means");

        std::vector<index_t> numbers; // more than a piece
        if (is_root) {
            numbers.resize(100000);
            std::iota(numbers.begin(), numbers.end(), root);
        }
        broadcast(ranks(), numbers, root);
        ASSERT_EQ(numbers.size(), 100000U);
        EXPECT_EQ(numbers.front(), root);
        EXPECT_EQ(numbers.back(), root + 99999);

        std::vector<float> some(3, is_root ? 4.0F : 0.0F);
        broadcast(ranks(), std::span(some), root);
        EXPECT_EQ(some, std::vector<float>(3, 4.0F));
        std::vector<int> none;
        broadcast(ranks(), none, root);
        EXPECT_TRUE(none.empty());
    }
}

TEST(DistProgram, GathersFromAllRanks) {
    const auto all = all_gather(ranks(), plain_record{ranks().rank(), 0.5});
    ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks().size()));
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        EXPECT_EQ(all[rank].number, static_cast<int>(rank));
        EXPECT_EQ(all[rank].value, 0.5);
    }
}

TEST(DistProgram, FailsOnAllRanks) {
    const int size = ranks().size();
    const bool is_last = ranks().rank() == size - 1;
    int runs = 0;
    agree(ranks(), [&] { ++runs; });
    EXPECT_EQ(runs, 1);
    const failure thrown = failure_of([&] {
        agree(ranks(), [&] {
            if (is_last)
                throw std::runtime_error("the file is not there");
        });
    });
    EXPECT_EQ(thrown.code, errc::invalid_argument);
    EXPECT_NE(thrown.message.find("the file is not there"), std::string::npos) << thrown.message;
    EXPECT_TRUE(same_on_all_ranks(thrown.message));
    const failure typed = failure_of([&] {
        agree(ranks(), [&] {
            if (is_last)
                throw error(errc::io, "no disk");
        });
    });
    EXPECT_EQ(typed.code, errc::io);

    int value = 1;
    EXPECT_EQ(failure_of([&] { broadcast(ranks(), value, size); }).code, errc::invalid_argument);
    if (size == 1)
        return;
    EXPECT_EQ(failure_of([&] { broadcast(ranks(), value, is_last ? 0 : 1); }).code,
              errc::disagreement);
    std::vector<int> numbers(is_last ? 3 : 2);
    EXPECT_EQ(failure_of([&] { broadcast(ranks(), std::span(numbers), 0); }).code,
              errc::disagreement);
    EXPECT_EQ(failure_of([&] {
                  if (is_last)
                      broadcast(ranks(), value, 0);
                  else
                      all_gather(ranks(), value);
              }).code,
              errc::disagreement);
    broadcast(ranks(), value, 0); // the world remains usable
}

} // namespace
} // namespace tenfold::testing
