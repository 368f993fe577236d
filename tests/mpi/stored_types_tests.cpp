// Distributed tensors of the types that are not multiplied as they are.
#include <cmath>
#include <cstdint>

#include <tenfold/dist_files.hpp>
#include <tenfold/dist_operations.hpp>

#include "mpi/files.hpp"
#include "mpi/stored_types.hpp"

namespace tenfold::testing {
namespace {

template <class T> class DistStored : public ::testing::Test {};
using stored_types = ::testing::Types<bf16, f16, std::int8_t, std::uint8_t, std::int32_t>;
TYPED_TEST_SUITE(DistStored, stored_types);

TYPED_TEST(DistStored, IsFilledMovedReadAndWritten) {
    for (const int test_case : cases_per_rank(60)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        const auto from = random_distribution(random, extents, ranks().size());
        const auto to = random_distribution(random, extents, ranks().size());
        const auto expected = stored_values<TypeParam, double>(extents, test_case);
        dist_tensor<TypeParam> a(ranks(), extents, from);
        EXPECT_EQ(a.norm(), 0.0);
        fill_stored(a, test_case);
        EXPECT_TRUE(has_stored(a, expected));
        const dist_tensor<TypeParam> b = a.redistribute(to);
        EXPECT_TRUE(has_stored(b, expected));
        // Rank 0 reads all, and writes it into another tensor.
        slice all{extents_t(extents.size(), 0), extents, ranks().rank() != 0};
        const tensor<TypeParam> whole = b.read(all);
        dist_tensor<TypeParam> c(ranks(), extents, from);
        c.write(all, whole);
        EXPECT_TRUE(has_stored(c, expected));
    }
}

TYPED_TEST(DistStored, HasNormsAndSums) {
    const extents_t extents{9, 7, 5};
    dist_tensor<TypeParam> a(ranks(), extents);
    fill_stored(a, 4);
    const auto values = stored_values<TypeParam, double>(extents, 4);
    double sum = 0, magnitudes = 0, squares = 0;
    for (index_t i = 0; i < values.size(); ++i) {
        sum += values.data()[i];
        magnitudes += std::abs(values.data()[i]);
        squares += values.data()[i] * values.data()[i];
    }
    EXPECT_EQ(a.norm(), std::sqrt(squares));
    EXPECT_EQ(norm1(a), magnitudes);
    const auto as_element = [](double value) {
        if constexpr (element_traits<TypeParam>::is_integer)
            return static_cast<TypeParam>(static_cast<std::int64_t>(value));
        else
            return static_cast<TypeParam>(static_cast<float>(value));
    };
    EXPECT_EQ(base::real_value(tenfold::sum(a)), base::real_value(as_element(sum)));
    EXPECT_EQ(base::real_value(dot(a, a)), base::real_value(as_element(squares)));
    a.fill(as_element(3));
    EXPECT_EQ(norm1(a), 3.0 * 9 * 7 * 5);
}

TYPED_TEST(DistStored, IsSavedAndLoaded) {
    const shared_folder folder;
    const extents_t extents{6, 5, 4};
    dist_tensor<TypeParam> a(ranks(), extents), other(ranks(), extents);
    fill_stored(a, 5);
    const auto expected = stored_values<TypeParam, double>(extents, 5);
    const std::string checkpoint = folder.file("a.checkpoint"), npy = folder.file("a.npy");
    save(checkpoint, a, {.block = bytes(64)});
    EXPECT_EQ(stored_tensors(ranks(), checkpoint),
              (std::vector<stored_tensor>{{"", data_type_of<TypeParam>, extents}}));
    load(checkpoint, other);
    EXPECT_TRUE(has_stored(other, expected));
    save_npy(npy, a, {.block = bytes(48)});
    dist_tensor<TypeParam> third(ranks(), extents);
    load_npy(npy, third);
    EXPECT_TRUE(has_stored(third, expected));
    if (!is_integer(data_type_of<TypeParam>)) {
        EXPECT_EQ(stored_npy(ranks(), npy).type, data_type_of<TypeParam>);
    }
    dist_tensor<float> wrong(ranks(), extents);
    EXPECT_EQ(failure_of([&] { load(checkpoint, wrong); }).code, errc::type_mismatch);
    EXPECT_EQ(failure_of([&] { save_hdf5(folder.file("a.h5"), "a", a); }).code, errc::unsupported);
}

} // namespace
} // namespace tenfold::testing
