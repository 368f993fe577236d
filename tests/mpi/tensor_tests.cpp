#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

template <class T> class DistTensor : public ::testing::Test {};
using element_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(DistTensor, element_types);

TYPED_TEST(DistTensor, StartsAsZeros) {
    dist_tensor<TypeParam> a(ranks(), {4, 7, 3});
    EXPECT_EQ(a.norm(), 0.0);
    EXPECT_EQ(a.distribution(), distribution::block({4, 7, 3}, ranks().size()));
    EXPECT_EQ(a.local().size(), a.local_slice().size());
}

TYPED_TEST(DistTensor, MayBeginUninitialized) {
    const extents_t extents{5, 7, 3};
    const tensor<TypeParam> expected = make_values<TypeParam>(extents, 4);
    dist_tensor<TypeParam> a(ranks(), extents, uninitialized);
    EXPECT_EQ(a.distribution(), distribution::block(extents, ranks().size()));
    fill_values(a, 4);
    EXPECT_TRUE(holds(a, expected));

    const auto everywhere = distribution::replicated(extents, ranks().size(), ranks().size());
    dist_tensor<TypeParam> copies(ranks(), extents, everywhere, uninitialized);
    EXPECT_EQ(copies.distribution(), everywhere);
    copies.scatter(expected.view(), 0);
    EXPECT_TRUE(holds(copies, expected));
}

TYPED_TEST(DistTensor, FillsGathersAndRedistributes) {
    for (const int test_case : cases_per_rank(240)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        const auto from = random_distribution(random, extents, ranks().size());
        const auto to = random_distribution(random, extents, ranks().size());
        SCOPED_TRACE(from.describe() + " -> " + to.describe());
        const tensor<TypeParam> expected = make_values<TypeParam>(extents, test_case);

        dist_tensor<TypeParam> a(ranks(), extents, from);
        fill_values(a, test_case);
        EXPECT_TRUE(equal(a.gather_all(), expected));

        const dist_tensor<TypeParam> b = a.redistribute(to);
        EXPECT_EQ(b.distribution(), to);
        EXPECT_TRUE(equal(b.gather_all(), expected));
        EXPECT_TRUE(holds(a, expected));
        EXPECT_TRUE(holds(b, expected));

        const int root = static_cast<int>(random.integer(0, ranks().size() - 1));
        const tensor<TypeParam> gathered = b.gather(root);
        if (ranks().rank() == root) {
            EXPECT_TRUE(equal(gathered, expected));
        } else {
            EXPECT_EQ(gathered.shape().extents(), extents_t{0});
        }
    }
}

TYPED_TEST(DistTensor, TravelsInShortMessages) {
    const byte_count before = set_message_limit(bytes(48));
    const extents_t extents{7, 6, 5};
    dist_tensor<TypeParam> a(ranks(), extents);
    fill_values(a, 3);
    EXPECT_TRUE(equal(a.gather_all(), make_values<TypeParam>(extents, 3)));
    EXPECT_EQ(set_message_limit(before), bytes(48));
}

slice random_slice(random_source &random, const extents_t &extents) {
    slice result;
    for (const index_t extent : extents) {
        const index_t offset = random.integer(0, extent);
        result.offsets.push_back(offset);
        result.extents.push_back(random.integer(0, extent - offset));
    }
    result.none = random.chance(0.1);
    return result;
}

TYPED_TEST(DistTensor, EachRankReadsASliceOfItsOwn) {
    for (const int test_case : cases_per_rank(240)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        dist_tensor<TypeParam> a(ranks(), extents,
                                 random_distribution(random, extents, ranks().size()));
        fill_values(a, test_case);
        slice mine;
        for (int rank = 0; rank <= ranks().rank(); ++rank) // every rank draws the same sequence
            mine = random_slice(random, extents);
        const tensor<TypeParam> got = a.read(mine);
        if (mine.none) {
            EXPECT_EQ(got.size(), 0);
            continue;
        }
        tensor<TypeParam> expected(mine.extents);
        fill_block(mine.offsets, expected.view(), test_case);
        EXPECT_TRUE(equal(got, expected));
    }
}

TYPED_TEST(DistTensor, EachRankWritesASliceOfItsOwn) {
    for (const int test_case : cases_per_rank(240)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        dist_tensor<TypeParam> a(ranks(), extents,
                                 random_distribution(random, extents, ranks().size()));
        fill_values(a, 1);
        // The blocks of another distribution are disjoint; every third rank writes nothing.
        const auto writers = random_partition(random, extents, ranks().size());
        const auto writes = [](int rank) { return rank % 3 != 2; };
        slice mine = writers.block_of(ranks().rank());
        if (!writes(ranks().rank()))
            mine.none = true;

        // The source is a row-major array with a gap after every row.
        extents_t strides = layout::row_major(mine.extents).strides();
        for (index_t &stride : strides)
            stride *= 2;
        std::vector<TypeParam> memory(static_cast<std::size_t>(2 * layout(mine.extents).size()));
        const tensor_view<TypeParam> values(memory.data(), mine.extents, strides);
        for_each_position(
            extents_t(mine.extents.size(), 0), mine.extents, [&](const extents_t &position) {
                extents_t global = position;
                for (std::size_t k = 0; k < global.size(); ++k)
                    global[k] += mine.offsets[k];
                values.data()[values.shape().offset_of(position)] = value_at<TypeParam>(global, 2);
            });
        a.write(mine, values);

        tensor<TypeParam> expected = make_values<TypeParam>(extents, 1);
        TypeParam *next = expected.data();
        for_each_position(extents_t(extents.size(), 0), extents, [&](const extents_t &position) {
            if (writes(writers.owner(position)))
                *next = value_at<TypeParam>(position, 2);
            ++next;
        });
        EXPECT_TRUE(equal(a.gather_all(), expected));
        EXPECT_TRUE(holds(a, expected));
    }
}

TYPED_TEST(DistTensor, MovedFromOwnsNothing) {
    for (const extents_t &extents : {extents_t{6, 5}, extents_t{}}) {
        dist_tensor<TypeParam> first(ranks(), extents);
        fill_values(first, 1);
        const slice mine = first.local_slice();
        dist_tensor<TypeParam> second = std::move(first);
        EXPECT_EQ(first.data(), nullptr); // NOLINT(bugprone-use-after-move)
        EXPECT_TRUE(first.local_slice().empty());
        EXPECT_EQ(second.local_slice(), mine);
        first = std::move(second);
        EXPECT_TRUE(second.local_slice().empty()); // NOLINT(bugprone-use-after-move)
        EXPECT_EQ(first.local_slice(), mine);
        EXPECT_TRUE(equal(first.gather_all(), make_values<TypeParam>(extents, 1)));
    }
}

TYPED_TEST(DistTensor, ScattersFromARoot) {
    const extents_t extents{6, 5};
    const int root = ranks().size() - 1;
    const tensor<TypeParam> values = make_values<TypeParam>(extents, 9);
    dist_tensor<TypeParam> a(ranks(), extents);
    a.scatter(values.view(), root);
    EXPECT_TRUE(equal(a.gather_all(), values));
}

TYPED_TEST(DistTensor, NormAndDot) {
    const extents_t extents{6, 5, 4};
    random_source random(0);
    dist_tensor<TypeParam> a(ranks(), extents,
                             random_distribution(random, extents, ranks().size()));
    dist_tensor<TypeParam> b(ranks(), extents,
                             random_distribution(random, extents, ranks().size()));
    fill_values(a, 1);
    fill_values(b, 2);
    std::complex<double> product = 0;
    double squares = 0;
    for_each_position({0, 0, 0}, extents, [&](const extents_t &position) {
        const std::complex<double> x(value_at<TypeParam>(position, 1));
        const std::complex<double> y(value_at<TypeParam>(position, 2));
        product += std::conj(x) * y;
        squares += std::norm(x);
    });
    EXPECT_EQ(std::complex<double>(dot(a, b)), product);
    EXPECT_EQ(a.norm(), std::sqrt(squares));
}

TYPED_TEST(DistTensor, ReadsIntoArraysOfAnyStrides) {
    dist_tensor<TypeParam> a(ranks(), {6, 5});
    fill_values(a, 3);
    const tensor<TypeParam> expected = make_values<TypeParam>({6, 5}, 3);
    std::vector<TypeParam> memory(60, TypeParam(99));
    // Row-major with gaps, rows from the last to the first.
    const tensor_view<TypeParam> to(memory.data() + 50, {6, 5}, {-10, 2});
    a.read_into({{0, 0}, {6, 5}}, to);
    for (index_t i = 0; i < 6; ++i)
        for (index_t j = 0; j < 5; ++j) {
            EXPECT_EQ(to(i, j), expected(i, j));
            EXPECT_EQ(memory[static_cast<std::size_t>(10 * i + 2 * j + 1)], TypeParam(99));
        }
    const int root = ranks().size() - 1;
    tensor<TypeParam> whole(ranks().rank() == root ? extents_t{6, 5} : extents_t{});
    a.gather_into(whole.view(), root);
    if (ranks().rank() == root) {
        EXPECT_TRUE(equal(whole, expected));
    }
}

TEST(DistTensorErrors, ArraysThatCannotBeReadInto) {
    dist_tensor<double> a(ranks(), {4, 4});
    tensor<double> memory({4, 4});
    const auto code_of = [&](const tensor_view<double> &to) {
        return failure_of([&] { a.read_into({{0, 0}, {4, 4}}, to); }).code;
    };
    EXPECT_EQ(code_of(tensor_view<double>(memory.data(), {4, 3})), errc::extent_mismatch);
    EXPECT_EQ(code_of(tensor_view<double>(memory.data(), {4, 4}, {1, 0})), errc::overlap);
    EXPECT_EQ(code_of(tensor_view<double>(nullptr, {4, 4})), errc::null_pointer);
    EXPECT_EQ(failure_of([&] { a.gather_into(memory.view(), ranks().size()); }).code,
              errc::invalid_argument);
}

TEST(DistTensorErrors, NameWhatIsWrongOnAllRanks) {
    const auto expect = [](const failure &found, errc code, const std::string &part) {
        EXPECT_EQ(found.code, code) << found.message;
        EXPECT_NE(found.message.find(part), std::string::npos) << found.message;
        EXPECT_TRUE(same_on_all_ranks(found.message));
    };
    expect(failure_of([] {
               dist_tensor<double>(ranks(), {3, -1});
           }),
           errc::invalid_argument, "mode 1 has extent -1");
    expect(failure_of([] {
               dist_tensor<double>(ranks(), {1 << 30, 1 << 30, 1 << 30});
           }),
           errc::overflow, "does not fit 64 bits");
    expect(failure_of(
               [] { dist_tensor<double>(ranks(), {4}, distribution::block({5}, ranks().size())); }),
           errc::extent_mismatch, "its distribution (5)");
    expect(failure_of([] {
               dist_tensor<double>(ranks(), {4}, distribution::block({4}, ranks().size() + 1));
           }),
           errc::invalid_argument, "ranks in a world of");
#if !defined(__SANITIZE_ADDRESS__) // which reports the failed allocation on stderr
    expect(failure_of([] {         // more memory than any machine has, and no overflow
               dist_tensor<double>(ranks(), {index_t{1} << 52},
                                   distribution::on_rank({index_t{1} << 52}, ranks().size(), 0));
           }),
           errc::out_of_memory, "");
#endif

    dist_tensor<double> a(ranks(), {4, 3});
    const int last = ranks().size() - 1;
    expect(failure_of([&] { // on one rank only
               a.read(ranks().rank() == last ? slice{{2, 0}, {3, 3}} : slice{{0, 0}, {1, 1}});
           }),
           errc::extent_mismatch, "does not lie within extent 4");
    expect(failure_of([&] { a.gather(ranks().size()); }), errc::invalid_argument, "root");
    if (ranks().size() > 1) {
        const tensor<double> everything({4, 3});
        expect(failure_of([&] {
                   a.write(slice{{0, 0}, {4, 3}}, everything.view());
               }),
               errc::overlap, "ranks 0 and 1 write the same elements");
    }
}

TEST(DistTensorErrors, ACallbackThatThrowsOnOneRankThrowsOnAll) {
    dist_tensor<double> a(ranks(), {ranks().size(), 2},
                          distribution({ranks().size(), 2}, {ranks().size(), 1}, ranks().size()));
    const int last = ranks().size() - 1;
    const failure found = failure_of([&] {
        a.fill([&](const extents_t &offsets, tensor_view<double>) {
            if (offsets[0] == last)
                throw std::runtime_error("no more data");
        });
    });
    EXPECT_EQ(found.code, errc::invalid_argument);
    EXPECT_NE(found.message.find("no more data"), std::string::npos) << found.message;
    EXPECT_TRUE(same_on_all_ranks(found.message));
    a.fill(1.0); // and the ranks are still together
    EXPECT_EQ(a.norm(), std::sqrt(2.0 * ranks().size()));
}

} // namespace
} // namespace tenfold::testing
