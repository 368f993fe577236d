// Tests tensors that come from and go to distributions of the caller's.
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <tenfold/dist_interchange.hpp>

#include "mpi/operation_cases.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

template <class T> class DistInterchange : public ::testing::Test {};
using exchanged_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(DistInterchange, exchanged_types);

/// Boxes with memory of their own: row-major, with gaps.
template <class T> class own_boxes {
public:
    void add(const slice &where, int salt) {
        extents_t strides = layout::row_major(where.extents).strides();
        for (index_t &stride : strides)
            stride *= 2;
        memory_.push_back(
            std::make_unique<T[]>(static_cast<std::size_t>(2 * layout(where.extents).size() + 1)));
        const tensor_view<T> view(memory_.back().get(), where.extents, strides);
        for_each_place(where, view, [&](const extents_t &position, T &element) {
            element = salt < 0 ? T(-99) : value_at<T>(position, salt);
        });
        all.push_back({where, view});
    }
    std::vector<dist_box<const T>> to_read() const { return {all.begin(), all.end()}; }

    /// Calls use(position, element) for the elements of a view that lies at `where`.
    template <class Use>
    static void for_each_place(const slice &where, const tensor_view<T> &view, const Use &use) {
        for_each_position(extents_t(where.extents.size(), 0), where.extents,
                          [&](const extents_t &inner) {
                              extents_t position = inner;
                              for (std::size_t k = 0; k < position.size(); ++k)
                                  position[k] += where.offsets[k];
                              use(position, view.data()[view.shape().offset_of(inner)]);
                          });
    }

    struct box {
        slice where;
        tensor_view<T> elements;
        operator dist_box<const T>() const { return {where, elements}; }
        operator dist_box<T>() const { return {where, elements}; }
    };
    std::vector<box> all;

private:
    std::vector<std::unique_ptr<T[]>> memory_;
};

/// Cuts a box in two somewhere, again and again.
void cut_at_random(random_source &random, const slice &box, int times, std::vector<slice> &parts) {
    if (times == 0 || box.extents.empty()) {
        parts.push_back(box);
        return;
    }
    const auto mode =
        static_cast<std::size_t>(random.integer(0, static_cast<index_t>(box.extents.size()) - 1));
    const index_t cut = random.integer(0, box.extents[mode]);
    slice low = box;
    slice high = box;
    low.extents[mode] = cut;
    high.offsets[mode] += cut;
    high.extents[mode] -= cut;
    cut_at_random(random, low, times - 1, parts);
    cut_at_random(random, high, times - 1, parts);
}

TYPED_TEST(DistInterchange, BoxesOfAnyRank) {
    using T = TypeParam;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        dist_tensor<T> x(ranks(), extents, random_distribution(random, extents, ranks().size()));
        fill_values(x, 1);
        std::vector<slice> parts;
        cut_at_random(random, {extents_t(extents.size(), 0), extents}, 3, parts);

        // Some parts are nobody's.
        tensor<T> expected = make_values<T>(extents, 1);
        own_boxes<T> mine;
        for (const slice &part : parts) {
            const auto owner = random.integer(0, ranks().size());
            if (owner == ranks().rank())
                mine.add(part, 2);
            if (owner < ranks().size())
                for_each_position(part.offsets, part.extents, [&](const extents_t &position) {
                    expected.data()[expected.shape().offset_of(position)] =
                        value_at<T>(position, 2);
                });
        }
        import_boxes(mine.to_read(), x);
        EXPECT_TRUE(holds(x, expected));

        own_boxes<T> wanted; // with elements in common
        for (int rank = 0; rank < ranks().size(); ++rank)
            for (int i = 0; i < 3; ++i) {
                slice part;
                for (const index_t extent : extents) {
                    part.offsets.push_back(random.integer(0, extent));
                    part.extents.push_back(random.integer(0, extent - part.offsets.back()));
                }
                if (rank == ranks().rank())
                    wanted.add(part, -1);
            }
        export_boxes(x, std::vector<dist_box<T>>(wanted.all.begin(), wanted.all.end()));
        for (const auto &one : wanted.all)
            own_boxes<T>::for_each_place(
                one.where, one.elements, [&](const extents_t &position, T element) {
                    EXPECT_EQ(element, expected.data()[expected.shape().offset_of(position)]);
                });
    }
}

TEST(DistInterchange, BoxesWithElementsInCommon) {
    const extents_t extents{6, 6};
    dist_tensor<double> x(ranks(), extents);
    fill_values(x, 1);
    const int last = ranks().size() - 1;
    own_boxes<double> mine;
    if (ranks().rank() == 0)
        mine.add({{0, 0}, {4, 4}}, 2);
    if (ranks().rank() == last)
        mine.add({{3, 3}, {3, 3}}, 2);
    const failure refused = failure_of([&] { import_boxes(mine.to_read(), x); });
    EXPECT_EQ(refused.code, errc::overlap);
    EXPECT_NE(refused.message.find("boxes of ranks 0 and " + std::to_string(last)),
              std::string::npos)
        << refused.message;
    EXPECT_TRUE(holds(x, make_values<double>(extents, 1)));
}

TEST(DistInterchange, BoxesThatDoNotFit) {
    dist_tensor<double> x(ranks(), {6, 6});
    fill_values(x, 1);
    const bool is_last = ranks().rank() == ranks().size() - 1;
    double memory[36] = {};
    const auto expect = [&](errc code, const char *words, dist_box<double> box) {
        std::vector<dist_box<double>> boxes;
        std::vector<dist_box<const double>> read;
        if (is_last) {
            boxes.push_back(box);
            read.push_back({box.where, box.elements});
        }
        const failure exported = failure_of([&] { export_boxes(x, boxes); });
        EXPECT_EQ(exported.code, code);
        EXPECT_NE(exported.message.find(words), std::string::npos) << exported.message;
        if (code == errc::overlap) // one element may be read for several places
            return;
        const failure imported = failure_of([&] { import_boxes(read, x); });
        EXPECT_EQ(imported.code, code);
        EXPECT_EQ(imported.message, exported.message);
    };
    expect(errc::extent_mismatch, "slice of box 1: mode 1", {{{0, 5}, {2, 2}}, {memory, {2, 2}}});
    expect(errc::order_mismatch, "a slice of order 1", {{{0}, {2}}, {memory, {2}}});
    expect(errc::extent_mismatch, "its view has extents (2, 3)",
           {{{0, 0}, {2, 2}}, {memory, {2, 3}}});
    expect(errc::null_pointer, "the view of box 1 is null",
           {{{0, 0}, {2, 2}}, {static_cast<double *>(nullptr), {2, 2}}});
    expect(errc::overlap, "overlaps itself", {{{0, 0}, {2, 2}}, {memory, {2, 2}, {1, 0}}});
    EXPECT_TRUE(holds(x, make_values<double>({6, 6}, 1)));
}

/// A matrix in ScaLAPACK's distribution: element (i, j) is in block (i / mb, j / nb), which is the
/// process's with the coordinates ((i / mb + rsrc) % rows, (j / nb + csrc) % columns).
template <class T> struct dealt_matrix {
    block_cyclic where;
    std::vector<T> local;

    /// Every element by itself: its process, and its place there.
    template <class Use> void for_each_mine(const Use &use) {
        index_t column_here = 0;
        for (index_t j = 0; j < where.columns; ++j) {
            const index_t column = j / where.column_block + where.first_column;
            if (column % where.grid.columns != where.grid.column)
                continue;
            index_t row_here = 0;
            for (index_t i = 0; i < where.rows; ++i) {
                const index_t row = i / where.row_block + where.first_row;
                if (row % where.grid.rows != where.grid.row)
                    continue;
                use(extents_t{i, j},
                    local[static_cast<std::size_t>(row_here + column_here * where.leading)]);
                ++row_here;
            }
            ++column_here;
        }
    }
};

/// This rank in a grid of rows x columns; ranks are dealt to it by columns, from the last on.
process_grid grid_of(int rows, int columns) {
    const int place = ranks().size() - 1 - ranks().rank();
    if (place >= rows * columns)
        return {rows, columns, -1, -1};
    return {rows, columns, place % rows, place / rows};
}

TYPED_TEST(DistInterchange, BlockCyclicMatrices) {
    using T = TypeParam;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents{random.integer(0, 20), random.integer(0, 20)};
        const int rows = static_cast<int>(random.integer(1, ranks().size()));
        const int columns = static_cast<int>(random.integer(1, ranks().size() / rows));
        const process_grid grid = grid_of(rows, columns);
        const int descriptor[9] = {1,
                                   -7,
                                   static_cast<int>(extents[0]),
                                   static_cast<int>(extents[1]),
                                   static_cast<int>(random.integer(1, 5)),
                                   static_cast<int>(random.integer(1, 5)),
                                   static_cast<int>(random.integer(0, rows - 1)),
                                   static_cast<int>(random.integer(0, columns - 1)),
                                   static_cast<int>(random.integer(20, 23))};
        dealt_matrix<T> matrix{block_cyclic::from_descriptor(descriptor, grid), {}};
        matrix.local.assign(23 * 20, T(-99));
        index_t count = 0;
        matrix.for_each_mine([&](const extents_t &position, T &element) {
            element = value_at<T>(position, test_case);
            ++count;
        });
        EXPECT_EQ(matrix.where.local_rows() * matrix.where.local_columns(), count);
        const std::vector<T> before = matrix.local;

        dist_tensor<T> x(ranks(), extents, random_distribution(random, extents, ranks().size()));
        import_block_cyclic(matrix.where, matrix.local.data(), x);
        EXPECT_TRUE(holds(x, make_values<T>(extents, test_case)));
        matrix.for_each_mine([](const extents_t &, T &element) { element = T(77); });
        export_block_cyclic(x, matrix.where, matrix.local.data());
        EXPECT_EQ(matrix.local, before); // and nothing between the columns
    }
}

/// As if there were one block: positions of the next ones are no numbers.
TEST(DistInterchange, BlocksLongerThanAnyMatrix) {
    constexpr index_t longest = std::numeric_limits<index_t>::max();
    const int size = ranks().size();
    const block_cyclic where{6, 4, longest, longest, size - 1, 0, 6, {size, 1, ranks().rank(), 0}};
    const bool has_it = ranks().rank() == size - 1;
    EXPECT_EQ(where.local_rows(), has_it ? 6 : 0);
    std::vector<double> local(24);
    if (has_it)
        fill_block<double>({0, 0}, {local.data(), {6, 4}}, 1);
    dist_tensor<double> x(ranks(), {6, 4});
    import_block_cyclic(where, local.data(), x);
    EXPECT_TRUE(holds(x, make_values<double>({6, 4}, 1)));
}

TEST(DistInterchange, BlockCyclicMatricesThatDoNotFit) {
    dist_tensor<double> x(ranks(), {6, 4});
    fill_values(x, 1);
    const int size = ranks().size();
    const bool is_last = ranks().rank() == size - 1;
    std::vector<double> local(24);
    const block_cyclic right{6, 4, 2, 2, 0, 0, 6, {size, 1, ranks().rank(), 0}};
    const auto expect = [&](errc code, const char *words, const block_cyclic &wrong) {
        const failure refused =
            failure_of([&] { import_block_cyclic(is_last ? wrong : right, local.data(), x); });
        EXPECT_EQ(refused.code, code) << words;
        EXPECT_NE(refused.message.find(words), std::string::npos) << refused.message;
        EXPECT_TRUE(same_on_all_ranks(refused.message));
        EXPECT_TRUE(holds(x, make_values<double>({6, 4}, 1)));
    };
    block_cyclic wrong = right;
    wrong.leading = 0;
    expect(errc::invalid_argument, "a leading dimension of 0", wrong);
    wrong = right;
    wrong.grid.row = size;
    expect(errc::invalid_argument, "a place in process rows", wrong);
    wrong = right;
    wrong.grid.row = -1;
    expect(errc::invalid_argument, "outside the grid both are -1", wrong);
    if (size <= 3) { // the last place has elements
        wrong.grid.column = -1;
        expect(errc::invalid_argument, "no rank has", wrong);
    }
    if (size > 1) {
        wrong = right;
        wrong.grid.row = 0; // as rank 0
        expect(errc::overlap, "boxes of ranks 0 and", wrong);
        wrong = right;
        wrong.row_block = 3;
        expect(errc::disagreement, "extents of blocks", wrong);
    }
    dist_tensor<double> vector(ranks(), {24});
    EXPECT_EQ(failure_of([&] { import_block_cyclic(right, local.data(), vector); }).code,
              errc::order_mismatch);
    EXPECT_EQ(failure_of([&] { export_block_cyclic(x, right, nullptr); }).code, errc::null_pointer);
    const int of_band_matrix[9] = {501};
    EXPECT_EQ(failure_of([&] { block_cyclic::from_descriptor(of_band_matrix, {}); }).code,
              errc::invalid_argument);
}

} // namespace
} // namespace tenfold::testing
