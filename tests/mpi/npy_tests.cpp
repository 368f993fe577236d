#include <cstring>

#include "mpi/files.hpp"
#include "support/npy_bytes.hpp"

namespace tenfold::testing {
namespace {

template <class T> const char *descr = nullptr;
template <> const char *descr<float> = "<f4";
template <> const char *descr<double> = "<f8";
template <> const char *descr<c32> = "<c8";
template <> const char *descr<c64> = "<c16";

std::vector<long> shape_of(const extents_t &extents) { return {extents.begin(), extents.end()}; }

/// Returns the file that another program would write: value_at(.., salt) in either order.
template <class T>
std::string file_of(const extents_t &extents, int salt, bool fortran_order, int version) {
    const layout shape = fortran_order ? layout(extents) : layout::row_major(extents);
    std::string data(static_cast<std::size_t>(shape.size()) * sizeof(T), '\0');
    for_each_position(extents_t(extents.size(), 0), extents, [&](const extents_t &position) {
        const T value = value_at<T>(position, salt);
        std::memcpy(data.data() + static_cast<std::size_t>(shape.offset_of(position)) * sizeof(T),
                    &value, sizeof(T));
    });
    return npy_bytes(version, npy_dictionary(descr<T>, fortran_order, shape_of(extents)), data);
}

template <class T> class Npy : public ::testing::Test {};
using element_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(Npy, element_types);

TYPED_TEST(Npy, IsReadInEitherOrderAndWritten) {
    const shared_folder folder;
    const std::string theirs = folder.file("theirs.npy");
    const std::string ours = folder.file("ours.npy");
    for (const int test_case : cases_per_rank(120)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        const bool fortran_order = random.chance(0.5);
        const int version = static_cast<int>(random.integer(1, 2));
        const int readers = static_cast<int>(random.integer(1, ranks().size()));
        const auto spread = random_distribution(random, extents, readers);
        const file_options options{.block = bytes(random.integer(16, 400))};
        on_rank_0([&] {
            write_into(theirs, file_of<TypeParam>(extents, test_case, fortran_order, version));
        });
        on_first_ranks(readers, [&](const world &part) {
            EXPECT_EQ(stored_npy(part, theirs),
                      (stored_tensor{"", data_type_of<TypeParam>, extents}));
            dist_tensor<TypeParam> a(part, extents, spread);
            load_npy(theirs, a, options);
            EXPECT_TRUE(has_values(a, test_case));
            save_npy(ours, a, options);
        });
        // The dictionaries differ in blanks; the data is the same.
        const std::string written = text_in(ours);
        const std::string expected = file_of<TypeParam>(extents, test_case, true, 1);
        EXPECT_EQ(written.substr(128), expected.substr(128));
        EXPECT_EQ(written.substr(0, 8), expected.substr(0, 8));
        on_first_ranks(1, [&](const world &part) {
            dist_tensor<TypeParam> b(part, extents);
            load_npy(ours, b);
            EXPECT_TRUE(has_values(b, test_case));
        });
    }
}

class NpyFiles : public ::testing::Test {
protected:
    NpyFiles() { fill_values(a, 3); }
    void replace_by(const std::string &content) {
        on_rank_0([&] { write_into(file, content); });
    }
    void expect_refused(errc code, const std::string &told) {
        const std::string message = expect_failure(code, [&] { load_npy(file, a); });
        expect_part(message, "'" + file + "'");
        expect_part(message, told);
        EXPECT_TRUE(has_values(a, 3));
    }

    shared_folder folder;
    std::string file = folder.file("a.npy");
    dist_tensor<double> a{ranks(), {2, 3}};
};

TEST_F(NpyFiles, AreWrittenByteForByte) {
    a.fill([](const extents_t &offsets, tensor_view<double> block) {
        for (index_t j = 0; j < block.extent(1); ++j)
            for (index_t i = 0; i < block.extent(0); ++i)
                block(i, j) = static_cast<double>(10 * (offsets[0] + i) + offsets[1] + j);
    });
    save_npy(file, a);
    const double data[] = {0, 10, 1, 11, 2, 12};
    std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
    expected += "{'descr': '<f8', 'fortran_order': True, 'shape': (2,3,), }";
    expected += std::string(127 - expected.size(), ' ') + "\n";
    expected.append(reinterpret_cast<const char *>(data), sizeof data);
    EXPECT_EQ(text_in(file), expected);
}

TEST_F(NpyFiles, OfAnotherKind) {
    const std::string good = file_of<double>({2, 3}, 1, false, 1);
    const auto with = [&](const std::string &from, const std::string &to) {
        std::string changed = good;
        return changed.replace(changed.find(from), from.size(), to);
    };
    replace_by(with("'<f8'", "'<U2'"));
    expect_refused(errc::io, "'<U2' is not supported");
    replace_by(with("'<f8'", "'<f2'"));
    expect_refused(errc::io, "too long");
    replace_by(with("'shape'", "'shope'"));
    expect_refused(errc::io, "unknown key 'shope'");
    for (const std::size_t size : {std::size_t{0}, std::size_t{5}}) {
        replace_by(good.substr(0, size));
        expect_refused(errc::io, "is not an .npy file");
    }
    for (const std::size_t size : {std::size_t{6}, std::size_t{9}, std::size_t{11},
                                   std::size_t{127}, std::size_t{128}, good.size() - 1}) {
        replace_by(good.substr(0, size));
        expect_refused(errc::io, "truncated");
    }
    replace_by(good + "x");
    expect_refused(errc::io, "too long");
    replace_by(with("\x01", "\x04"));
    expect_refused(errc::io, "version 4.0");
    on_rank_0([&] { std::filesystem::remove(file); });
    expect_refused(errc::io, "No such file");

    replace_by(file_of<float>({2, 3}, 1, false, 1));
    expect_refused(errc::type_mismatch, "the array has type f32, the tensor f64");
    replace_by(file_of<double>({2, 3, 1}, 1, false, 1));
    expect_refused(errc::order_mismatch, "the array has order 3, the tensor 2");
    replace_by(file_of<double>({3, 2}, 1, true, 1));
    expect_refused(errc::extent_mismatch, "the array has shape (3, 2), the tensor (2, 3)");
    replace_by(good);
    load_npy(file, a);
    EXPECT_TRUE(has_values(a, 1));
}

/// Integers in either byte order, read in blocks into tensors of any type that holds them.
TYPED_TEST(Npy, IntegersBecomeElements) {
    const shared_folder folder;
    const std::string file = folder.file("integers.npy");
    const extents_t extents = {5, 3, 4};
    for (const bool fortran_order : {false, true}) {
        const layout shape = fortran_order ? layout(extents) : layout::row_major(extents);
        std::string data(60 * 4, '\0');
        for_each_position(extents_t(3, 0), extents, [&](const extents_t &at) {
            const auto value = static_cast<unsigned>(100 * at[0] + 10 * at[1] + at[2]);
            const auto place = static_cast<std::size_t>(4 * shape.offset_of(at));
            data[place + 2] = static_cast<char>(value >> 8);
            data[place + 3] = static_cast<char>(value & 0xff);
        });
        on_rank_0([&] {
            write_into(file, npy_bytes(1, npy_dictionary(">i4", fortran_order, {5, 3, 4}), data));
        });
        EXPECT_EQ(stored_npy(ranks(), file), (stored_tensor{"", data_type::f64, extents}));
        dist_tensor<TypeParam> a(ranks(), extents);
        load_npy(file, a, {.block = bytes(48)});
        const tensor<TypeParam> whole = a.gather(0);
        on_rank_0([&] {
            for_each_position(extents_t(3, 0), extents, [&](const extents_t &at) {
                EXPECT_EQ(whole.data()[layout(extents).offset_of(at)],
                          TypeParam(static_cast<float>(100 * at[0] + 10 * at[1] + at[2])));
            });
        });
    }
}

TEST_F(NpyFiles, OfIntegersThatDoNotFit) {
    std::string data(6 * 8, '\0');
    data[5 * 8] = 1;
    data[5 * 8 + 6] = 0x20; // 2^53 + 1
    replace_by(npy_bytes(1, npy_dictionary("<i8", false, {2, 3}), data));
    const std::string message = expect_failure(errc::io, [&] { load_npy(file, a); });
    expect_part(message, "element [1, 2] is 9007199254740993, which f64 does not hold exactly");
}

} // namespace
} // namespace tenfold::testing
