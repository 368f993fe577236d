// Tests that tensors are loaded from checkpoints unchanged, on other ranks and in other
// distributions.
#include "mpi/files.hpp"

namespace tenfold::testing {
namespace {

template <class T> class Checkpoint : public ::testing::Test {};
using element_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(Checkpoint, element_types);

TYPED_TEST(Checkpoint, LoadsOnOtherRanksInOtherDistributions) {
    const shared_folder folder;
    const std::string file = folder.file("tensor");
    for (const int test_case : cases_per_rank(120)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        const int writers = static_cast<int>(random.integer(1, ranks().size()));
        const int readers = static_cast<int>(random.integer(1, ranks().size()));
        const auto from = random_distribution(random, extents, writers);
        const auto to = random_distribution(random, extents, readers);
        const file_options options{.block = bytes(random.integer(16, 400))};
        SCOPED_TRACE(from.describe() + " -> " + to.describe());

        on_first_ranks(writers, [&](const world &part) {
            dist_tensor<TypeParam> a(part, extents, from);
            fill_values(a, test_case);
            save(file, a, options);
        });
        on_first_ranks(readers, [&](const world &part) {
            dist_tensor<TypeParam> b(part, extents, to);
            load(file, b);
            EXPECT_TRUE(has_values(b, test_case));
        });
    }
}

TYPED_TEST(Checkpoint, TakesBlocksOfTheDefaultSize) {
    const shared_folder folder;
    const std::string file = folder.file("tensor");
    const extents_t extents{130, 121, 43};
    const int size = ranks().size();
    dist_tensor<TypeParam> a(ranks(), extents, distribution(extents, {size, 1, 1}, size));
    fill_values(a, 5);
    save(file, a);
    dist_tensor<TypeParam> b(ranks(), extents);
    load(file, b);
    EXPECT_TRUE(has_values(b, 5));
    dist_tensor<TypeParam> c(ranks(), extents, distribution::on_rank(extents, size, size - 1));
    load(file, c);
    EXPECT_TRUE(has_values(c, 5));
}

TEST(Checkpoints, HoldSeveralTensorsByName) {
    const shared_folder folder;
    const std::string file = folder.file("several");
    dist_tensor<double> t1(ranks(), {4, 3});
    dist_tensor<c64> t2(ranks(), {2, 3, 4, 5});
    dist_tensor<float> empty(ranks(), {7, 0});
    dist_tensor<double> energy(ranks(), {});
    fill_values(t1, 1);
    fill_values(t2, 2);
    fill_values(energy, 3);
    save(ranks(), file, {{"T1", t1}, {"T2", t2}, {"nothing", empty}, {"E", energy}},
         {.block = bytes(64)});
    const std::vector<stored_tensor> expected{{"T1", data_type::f64, {4, 3}},
                                              {"T2", data_type::c64, {2, 3, 4, 5}},
                                              {"nothing", data_type::f32, {7, 0}},
                                              {"E", data_type::f64, {}}};
    EXPECT_EQ(stored_tensors(ranks(), file), expected);

    t1.fill(0.0);
    t2.fill(c64(0));
    energy.fill(0.0);
    load(ranks(), file, {{"E", energy}, {"nothing", empty}, {"T1", t1}});
    EXPECT_TRUE(has_values(t1, 1));
    EXPECT_TRUE(has_values(energy, 3));
    EXPECT_EQ(t2.norm(), 0.0);
    load(ranks(), file, {{"T2", t2}});
    EXPECT_TRUE(has_values(t2, 2));

    save(ranks(), file, {});
    EXPECT_TRUE(stored_tensors(ranks(), file).empty());
}

TEST(Checkpoints, HaveTheSameBytesWhoeverWritesThem) {
    const shared_folder folder;
    const auto bytes_of = [&](int writers, const std::vector<int> &grid) {
        const std::string file = folder.file("by-" + std::to_string(writers));
        on_first_ranks(writers, [&](const world &part) {
            dist_tensor<double> a(part, {6, 9}, distribution({6, 9}, grid, writers));
            fill_values(a, 8);
            save(file, a, {.block = bytes(100)});
        });
        std::string bytes = text_in(file);
        EXPECT_GE(bytes.size(), 72U);
        bytes.replace(16, 16, 16, '\0'); // the file's own id ..
        bytes.replace(64, 4, 4, '\0');   // .. and the header's checksum, which covers it
        return bytes;
    };
    const std::string one = bytes_of(1, {1, 1});
    EXPECT_EQ(bytes_of(ranks().size(), {1, ranks().size()}), one);
    EXPECT_EQ(bytes_of(ranks().size(), {ranks().size(), 1}), one);
}

TEST(Checkpoints, ReplaceFilesAndKeepTheirModeAndLinks) {
    const shared_folder folder;
    const std::string file = folder.file("file");
    const std::string link = folder.file("link");
    on_rank_0([&] {
        write_into(file, "something else");
        EXPECT_EQ(chmod(file.c_str(), 0640), 0);
        EXPECT_EQ(symlink("file", link.c_str()), 0);
    });
    dist_tensor<double> a(ranks(), {4, 3});
    fill_values(a, 1);
    save(link, a);
    EXPECT_FALSE(exists(file + ".saving"));
    struct stat about {};
    ASSERT_EQ(stat(file.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0640U);
    ASSERT_EQ(lstat(link.c_str(), &about), 0);
    EXPECT_TRUE(S_ISLNK(about.st_mode));
    dist_tensor<double> b(ranks(), {4, 3});
    load(file, b);
    EXPECT_TRUE(has_values(b, 1));
}

/// CRC-32 bit by bit, from the file format's definition, independent of the library's function.
std::uint32_t crc32(const std::string &bytes) {
    std::uint32_t crc = 0xffffffff;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

std::string little_endian(std::uint64_t value, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i)
        bytes += static_cast<char>(value >> (8 * i) & 0xff);
    return bytes;
}

/// Returns a file as docs/distribution.md describes it: a 5 x 3 tensor "V" of doubles 0, 1, .. in
/// blocks of 16 bytes, that is columns cut into 1, 2 and 2 elements.
std::string file_by_hand() {
    std::string data;
    std::string checksums;
    double next = 0;
    for (int column = 0; column < 3; ++column)
        for (const int rows : {1, 2, 2}) {
            std::string block;
            for (int row = 0; row < rows; ++row, next += 1)
                block.append(reinterpret_cast<const char *>(&next), 8);
            checksums += little_endian(crc32(block), 4);
            data += block;
        }
    const std::string entry = little_endian(1, 8) + little_endian(2, 8) +
                              std::string("f64\0\0\0\0\0", 8) + little_endian(4096, 8) +
                              little_endian(5, 8) + little_endian(3, 8) +
                              std::string("V\0\0\0\0\0\0\0", 8);
    std::string header = std::string("\x89TFCP\r\n\x1a") + little_endian(0x01020304, 4) +
                         little_endian(1, 4) + "sixteen bytes id" +
                         little_endian(72 + entry.size(), 8) + little_endian(4096 + 15 * 8, 8) +
                         little_endian(1, 8) + little_endian(16, 8) + little_endian(0, 8) + entry;
    header.replace(64, 4, little_endian(crc32(header), 4));
    const std::string start = header + checksums;
    return start + std::string(4096 - start.size(), '\0') + data;
}

TEST(Checkpoints, AreAsDocumented) {
    const shared_folder folder;
    const std::string file = folder.file("V");
    on_rank_0([&] { write_into(file, file_by_hand()); });
    dist_tensor<double> v(ranks(), {5, 3});
    load(ranks(), file, {{"V", v}});
    const tensor<double> all = v.gather_all();
    for (index_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all.data()[i], static_cast<double>(i));

    save(ranks(), file, {{"V", v}}, {.block = bytes(16)});
    std::string written = text_in(file);
    ASSERT_EQ(written.size(), file_by_hand().size());
    written.replace(16, 16, "sixteen bytes id");
    written.replace(64, 4, file_by_hand().substr(64, 4));
    EXPECT_EQ(written, file_by_hand());
}

} // namespace
} // namespace tenfold::testing
