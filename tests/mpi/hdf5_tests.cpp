#include <cerrno>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>

#include "mpi/file_faults.hpp"
#include "mpi/hdf5_theirs.hpp"
#include "mpi/stored_types.hpp"

namespace tenfold::testing {
namespace {

template <class T> class Hdf5 : public ::testing::Test {};
using element_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(Hdf5, element_types);

TYPED_TEST(Hdf5, IsWrittenAndReadOnAnyNumberOfRanks) {
    const shared_folder folder;
    const std::string ours = folder.file("ours.h5");
    for (const int test_case : cases_per_rank(80)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        const int writers = static_cast<int>(random.integer(1, ranks().size()));
        const int readers = static_cast<int>(random.integer(1, ranks().size()));
        const auto written = random_distribution(random, extents, writers);
        const auto read = random_distribution(random, extents, readers);
        const file_options options{.block = bytes(random.integer(16, 400))};
        const std::string dataset = random.chance(0.5) ? "a" : "group/of/a";
        on_first_ranks(writers, [&](const world &part) {
            dist_tensor<TypeParam> a(part, extents, written);
            fill_values(a, test_case);
            save_hdf5(ours, dataset, a, options);
        });
        on_rank_0([&] {
            EXPECT_TRUE((reads_back<TypeParam>(ours, dataset, extents, test_case)));
            EXPECT_FALSE(exists(ours + ".saving"));
        });
        on_first_ranks(readers, [&](const world &part) {
            EXPECT_EQ(stored_hdf5(part, ours, dataset),
                      (stored_tensor{"/" + dataset, data_type_of<TypeParam>, extents}));
            dist_tensor<TypeParam> a(part, extents, read);
            load_hdf5(ours, dataset, a, options);
            EXPECT_TRUE(has_values(a, test_case));
        });
        if (random.chance(0.5)) // otherwise the next case replaces the dataset
            on_rank_0([&] { std::filesystem::remove(ours); });
    }
}

template <class T> class Hdf5Stored : public ::testing::Test {};
using stored_types = ::testing::Types<bf16, f16, std::int8_t, std::uint8_t, std::int32_t>;
TYPED_TEST_SUITE(Hdf5Stored, stored_types);

/// As h5py writes it (f16), as HDF5 2.0 names it (bf16), and HDF5's integers.
template <class T> hid_t stored_type(bool big_endian) {
    if constexpr (element_traits<T>::is_integer) {
        if (sizeof(T) == 1)
            return H5Tcopy(std::is_signed_v<T> ? H5T_STD_I8LE : H5T_STD_U8LE);
        return H5Tcopy(big_endian ? H5T_STD_I32BE : H5T_STD_I32LE);
    } else {
        const std::size_t significand = std::is_same_v<T, f16> ? 10 : 7;
        const hid_t type = H5Tcopy(big_endian ? H5T_IEEE_F32BE : H5T_IEEE_F32LE);
        H5Tset_fields(type, 15, significand, 15 - significand, 0, significand);
        H5Tset_size(type, 2);
        H5Tset_ebias(type, std::is_same_v<T, f16> ? 15 : 127);
        return type;
    }
}

TYPED_TEST(Hdf5Stored, IsWrittenAndRead) {
    using T = TypeParam;
    const shared_folder folder;
    const std::string file = folder.file("a.h5");
    const extents_t extents{3, 4, 2};
    std::vector<T> row_major;
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 4; ++j)
            for (index_t k = 0; k < 2; ++k)
                row_major.push_back(stored_at<T>(extents_t{i, j, k}, 3));
    const auto expected = stored_values<T, double>(extents, 3);
    dist_tensor<T> a(ranks(), extents), b(ranks(), extents);
    fill_stored(a, 3);
    save_hdf5(file, "x/a", a, {.block = bytes(32)});
    on_rank_0([&] {
        const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        const hid_t there = H5Dopen2(opened, "x/a", H5P_DEFAULT), found = H5Dget_type(there);
        const hid_t type = stored_type<T>(false), other = stored_type<T>(true);
        EXPECT_GT(H5Tequal(found, type), 0);
        std::vector<T> read(row_major.size());
        EXPECT_GE(H5Dread(there, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data()), 0);
        EXPECT_EQ(std::memcmp(read.data(), row_major.data(), read.size() * sizeof(T)), 0);
        const hid_t space = H5Dget_space(there); // the same in the other order of bytes
        const hid_t swapped =
            H5Dcreate2(opened, "swapped", other, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        EXPECT_GE(H5Dwrite(swapped, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, row_major.data()), 0);
        for (const hid_t one : {there, swapped})
            H5Dclose(one);
        for (const hid_t one : {found, type, other})
            H5Tclose(one);
        H5Sclose(space);
        H5Fclose(opened);
    });
    EXPECT_EQ(stored_hdf5(ranks(), file, "swapped"),
              (stored_tensor{"/swapped", data_type_of<T>, extents}));
    for (const char *dataset : {"x/a", "swapped"}) {
        b.fill(T{});
        load_hdf5(file, dataset, b);
        EXPECT_TRUE(has_stored(b, expected)) << dataset;
    }
    dist_tensor<float> wrong(ranks(), extents);
    EXPECT_EQ(failure_of([&] { load_hdf5(file, "x/a", wrong); }).code, errc::type_mismatch);
}

TYPED_TEST(Hdf5, OfOtherProgramsIsRead) {
    const shared_folder folder;
    const std::string theirs = folder.file("theirs.h5");
    for (const int test_case : cases_per_rank(80)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        const foreign_layout how{random.chance(0.5), random.chance(0.5), random.chance(0.5)};
        const auto spread = random_distribution(random, extents, ranks().size());
        const file_options options{.block = bytes(random.integer(16, 400))};
        on_rank_0([&] {
            make_theirs(theirs, [&](hid_t file) {
                write_theirs<TypeParam>(file, "a", extents, test_case, how);
            });
        });
        dist_tensor<TypeParam> a(ranks(), extents, spread);
        load_hdf5(theirs, "a", a, options);
        EXPECT_TRUE(has_values(a, test_case));
    }
}

class Hdf5Files : public ::testing::Test {
protected:
    Hdf5Files() { fill_values(a, 3); }
    void expect_refused(errc code, const std::string &dataset, const std::string &told) {
        const std::string message = expect_failure(code, [&] { load_hdf5(file, dataset, a); });
        expect_part(message, "'" + file + "'");
        expect_part(message, told);
        EXPECT_TRUE(has_values(a, 3));
    }
    /// Makes a file of another program, with a group, an attribute, a link and datasets.
    void make_former() {
        on_rank_0([&] {
            make_theirs(file, [&](hid_t opened) {
                write_theirs<double>(opened, "group/kept", {5, 7}, 8, {.compressed = true});
                write_theirs<double>(opened, "group/alike", extents, 8);
                write_theirs<float>(opened, "group/unlike", {4}, 8);
                write_theirs<double>(opened, "chunked", extents, 8, {.compressed = true});
                H5Lcreate_soft("/group/alike", opened, "soft", H5P_DEFAULT, H5P_DEFAULT);
                H5Lcreate_external("other.h5", "/", opened, "external", H5P_DEFAULT, H5P_DEFAULT);
                const hid_t dataset = H5Dopen2(opened, "group/alike", H5P_DEFAULT);
                const hid_t scalar = H5Screate(H5S_SCALAR);
                const hid_t note =
                    H5Acreate2(dataset, "note", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
                const int value = 42;
                H5Awrite(note, H5T_NATIVE_INT, &value);
                H5Aclose(note);
                H5Sclose(scalar);
                H5Dclose(dataset);
            });
        });
    }

    const extents_t extents{6, 16}; // at least one block for each of 16 ranks
    const file_options options{.block = bytes(32)};
    shared_folder folder;
    std::string file = folder.file("a.h5");
    dist_tensor<double> a{ranks(), extents};
};

TEST_F(Hdf5Files, HoldSeveralTensors) {
    dist_tensor<c32> b(ranks(), {3, 2, 2});
    dist_tensor<float> c(ranks(), {});
    dist_tensor<double> empty(ranks(), {4, 0});
    fill_values(b, 4);
    fill_values(c, 5);
    save_hdf5(ranks(), file, {{"a", a}, {"/x/b", b}, {"x//./c", c}, {"x/y/empty", empty}}, options);
    on_rank_0([&] {
        EXPECT_TRUE((reads_back<double>(file, "a", extents, 3)));
        EXPECT_TRUE((reads_back<c32>(file, "x/b", {3, 2, 2}, 4)));
        EXPECT_TRUE((reads_back<float>(file, "x/c", {}, 5)));
        EXPECT_TRUE((reads_back<double>(file, "x/y/empty", {4, 0}, 6)));
    });
    dist_tensor<c32> b2(ranks(), {3, 2, 2});
    dist_tensor<float> c2(ranks(), {});
    load_hdf5(ranks(), file, {{"x/c", c2}, {"x/b", b2}, {"/x/y/empty", empty}}, options);
    EXPECT_TRUE(has_values(b2, 4));
    EXPECT_TRUE(has_values(c2, 5));
    save_hdf5(ranks(), folder.file("none.h5"), {});
    expect_part(
        expect_failure(errc::invalid_argument, [&] { load_hdf5(folder.file("none.h5"), "a", a); }),
        "has no dataset '/a'; there is none");
}

TEST_F(Hdf5Files, KeepWhatElseIsInThem) {
    make_former();
    save_hdf5(ranks(), file,
              {{"group/alike", a}, {"group/unlike", a}, {"chunked", a}, {"new/one", a}}, options);
    on_rank_0([&] {
        EXPECT_TRUE((reads_back<double>(file, "group/kept", {5, 7}, 8)));
        for (const char *dataset : {"group/alike", "group/unlike", "chunked", "new/one", "soft"})
            EXPECT_TRUE((reads_back<double>(file, dataset, extents, 3))) << dataset;
        const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        EXPECT_GT(H5Aexists_by_name(opened, "group/alike", "note", H5P_DEFAULT), 0);
        EXPECT_GT(H5Lexists(opened, "external", H5P_DEFAULT), 0);
        H5Fclose(opened);
    });
    // A dataset that replaces one of the same size needs no more space.
    const auto size = std::filesystem::file_size(file);
    fill_values(a, 4);
    save_hdf5(ranks(), file, {{"group/alike", a}, {"soft", a}, {"new/one", a}}, options);
    EXPECT_EQ(std::filesystem::file_size(file), size);
    on_rank_0([&] {
        for (const char *dataset : {"group/alike", "new/one", "soft"})
            EXPECT_TRUE((reads_back<double>(file, dataset, extents, 4))) << dataset;
    });
}

TEST_F(Hdf5Files, AreTheSameFromAnyNumberOfRanks) {
    save_hdf5(file, "x/a", a, options);
    const std::string alone = folder.file("alone.h5");
    on_first_ranks(1, [&](const world &part) {
        dist_tensor<double> b(part, extents);
        fill_values(b, 3);
        save_hdf5(alone, "x/a", b);
    });
    EXPECT_EQ(text_in(file), text_in(alone));
}

TEST_F(Hdf5Files, ThatAreNotWhatTheyShouldBe) {
    expect_refused(errc::io, "a", "No such file");
    make_former();
    expect_refused(errc::invalid_argument, "b",
                   "has no dataset '/b'; there is '/chunked', '/group/alike', '/group/kept', "
                   "'/group/unlike'");
    expect_refused(errc::invalid_argument, "group", "has no dataset '/group'");
    expect_refused(errc::invalid_argument, "group/alike/a", "has no dataset '/group/alike/a'");
    expect_refused(errc::invalid_argument, "external/a", "has no dataset '/external/a'");
    expect_refused(errc::type_mismatch, "group/unlike",
                   "tensor '/group/unlike' has type f32 in the file, f64 in memory");
    expect_refused(errc::extent_mismatch, "group/kept",
                   "extents (5, 7) in the file, (6, 16) in memory");
    on_rank_0([&] {
        make_theirs(file, [&](hid_t opened) {
            write_theirs<double>(opened, "vector", {6}, 1);
            const hid_t space = H5Screate(H5S_SCALAR), null = H5Screate(H5S_NULL);
            for (const auto &[name, type, shape] : {std::tuple("integers", H5T_STD_I64LE, space),
                                                    std::tuple("null", H5T_IEEE_F64LE, null)})
                H5Dclose(
                    H5Dcreate2(opened, name, type, shape, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            H5Sclose(space);
            H5Sclose(null);
        });
    });
    expect_refused(errc::order_mismatch, "vector", "order 1 in the file, 2 in memory");
    expect_refused(errc::io, "integers",
                   "holds neither numbers of half, single or double precision");
    expect_refused(errc::io, "null", "has no extents");
    const std::string whole = text_in(file);
    for (const std::size_t size : {std::size_t{0}, std::size_t{7}}) {
        on_rank_0([&] { write_into(file, whole.substr(0, size)); });
        expect_refused(errc::io, "vector", "is not an HDF5 file");
    }
    for (const std::size_t size : {std::size_t{50}, whole.size() - 1}) {
        on_rank_0([&] { write_into(file, whole.substr(0, size)); });
        expect_refused(errc::io, "vector", "cannot be read (HDF5: ");
    }
    on_rank_0([&] { write_into(file, "something else"); });
    expect_refused(errc::io, "vector", "is not an HDF5 file");
    const std::string message = expect_failure(errc::io, [&] { save_hdf5(file, "vector", a); });
    expect_part(message, "is not an HDF5 file");
    EXPECT_EQ(text_in(file), "something else");
    expect_part(expect_failure(errc::io, [&] { load_hdf5(folder.path(), "a", a); }),
                "is a directory");
}

TEST_F(Hdf5Files, ThatAnotherProgramWrites) {
    make_former();
    int others = -1;
    on_rank_0([&] {
        others = open(file.c_str(), O_RDWR);
        EXPECT_EQ(flock(others, LOCK_EX), 0); // as HDF5 does
    });
    expect_refused(errc::io, "group/alike", "lock");
    on_rank_0([&] { close(others); });
    load_hdf5(file, "group/alike", a);
    EXPECT_TRUE(has_values(a, 8));
}

TEST_F(Hdf5Files, WrongArguments) {
    make_former();
    const std::string former = text_in(file);
    const auto refused = [&](errc code, const std::string &dataset, const std::string &told) {
        expect_part(expect_failure(code, [&] { save_hdf5(file, dataset, a); }), told);
    };
    refused(errc::invalid_argument, "", "names no dataset");
    refused(errc::invalid_argument, "/./", "names no dataset");
    refused(errc::invalid_argument, "a/../b", "no '..'");
    refused(errc::invalid_argument, "a\nb", "control character");
    refused(errc::invalid_argument, "group", "is there and no dataset");
    refused(errc::invalid_argument, "group/alike/b", "'/group/alike' is no group");
    refused(errc::invalid_argument, "external/a", "'/external' is no group");
    expect_part(expect_failure(errc::invalid_argument,
                               [&] {
                                   save_hdf5(ranks(), file, {{"x/b", a}, {"/x//b", a}});
                               }),
                "two tensors of a file are named '/x/b'");
    expect_part(expect_failure(errc::invalid_argument,
                               [&] {
                                   save_hdf5(ranks(), file, {{"x", a}, {"/x/b", a}});
                               }),
                "'/x' is no group");
    for (const auto &call : {std::function<void()>([&] { save_hdf5(file, "a", a, {bytes(15)}); }),
                             std::function<void()>([&] { load_hdf5(file, "a", a, {bytes(15)}); })})
        expect_part(expect_failure(errc::invalid_argument, call), "16 is the least");
    dist_tensor<double> deep(ranks(), extents_t(33, 1));
    expect_part(expect_failure(errc::unsupported, [&] { save_hdf5(file, "deep", deep); }),
                "33 axes; HDF5 has 32 at most");
    const world others(MPI_COMM_WORLD);
    expect_part(expect_failure(errc::invalid_argument,
                               [&] {
                                   save_hdf5(others, file, {{"a", a}});
                               }),
                "tensor 'a' belongs to another world");
    if (ranks().size() > 1)
        expect_part(expect_failure(errc::disagreement,
                                   [&] { save_hdf5(file, ranks().rank() == 0 ? "a" : "b", a); }),
                    "save_hdf5: ranks disagree on tensors: rank 0 passed 'a'");
    EXPECT_EQ(text_in(file), former);
    EXPECT_FALSE(exists(file + ".saving"));
}

/// Whichever call that changes a file fails first, in Tenfold or in HDF5, the previous file stays.
TEST_F(Hdf5Files, OnADiskThatBecomesFullAtAnyMoment) {
    const int last = ranks().size() - 1;
    for (const int rank : last == 0 ? std::vector<int>{0} : std::vector<int>{0, last}) {
        make_former();
        const std::string former = text_in(file);
        long works = 0;
        for (bool saved = false; !saved && !HasFailure(); ++works) {
            SCOPED_TRACE("rank " + std::to_string(rank) +
                         ", calls that work: " + std::to_string(works));
            if (ranks().rank() == rank)
                set_file_fault({folder.path(), works, ENOSPC});
            const failure result = failure_of([&] {
                save_hdf5(ranks(), file, {{"group/alike", a}, {"chunked", a}, {"new", a}}, options);
            });
            clear_file_fault();
            EXPECT_TRUE(same_on_all_ranks(result.message));
            saved =
                result.code == errc::ok || result.message.find("is complete") != std::string::npos;
            if (saved)
                break;
            EXPECT_EQ(result.code, errc::io);
            expect_part(result.message, "No space left on device");
            EXPECT_EQ(text_in(file), former);
            EXPECT_FALSE(exists(file + ".saving"));
            ASSERT_LT(works, 300);
        }
        EXPECT_GE(works, rank == 0 ? 8 : 1);
        on_rank_0([&] {
            for (const char *dataset : {"group/alike", "chunked", "new"})
                EXPECT_TRUE((reads_back<double>(file, dataset, extents, 3))) << dataset;
            EXPECT_TRUE((reads_back<double>(file, "group/kept", {5, 7}, 8)));
        });
    }
}

} // namespace
} // namespace tenfold::testing
