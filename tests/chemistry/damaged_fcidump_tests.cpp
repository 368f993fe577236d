// Tests the reader of FCIDUMP files on damage of every kind: it must report an error that names the
// file, or return integrals, but never crash.
#include <array>

#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>

#include <tenfold/chem_fcidump.hpp>

#include "support/temporary_folder.hpp"

namespace tenfold::testing {
namespace {

const std::string whole = "&FCI NORB=2,NELEC=2,MS2=0,\n ORBSYM=2*1,\n&END\n"
                          "0.7 1 1 1 1\n0.6 2 2 1 1\n-1.2D+00 1 1 0 0\n-0.5 2 2 0 0\n0.7 0 0 0 0\n";

/// Returns true if the file is refused.
bool is_refused(const std::string &path, const std::string &bytes) {
    write_into(path, bytes);
    try {
        chem::read_fcidump(path);
        return false;
    } catch (const error &problem) {
        EXPECT_TRUE(problem.code() == errc::io || problem.code() == errc::out_of_memory)
            << problem.what();
        if (problem.code() == errc::io) {
            EXPECT_NE(std::string(problem.what()).find("'" + path + "'"), std::string::npos)
                << problem.what();
        }
    }
    return true;
}

/// The numbers of refused files among all beginnings, and among all changes of a single byte.
struct refusals {
    std::size_t beginnings = 0;
    std::size_t changes = 0;
};
refusals damage(const std::string &bytes) {
    const temporary_folder folder;
    const std::string path = folder.file("FCIDUMP");
    EXPECT_FALSE(is_refused(path, bytes));
    refusals found;
    for (std::size_t size = 0; size < bytes.size(); ++size)
        found.beginnings += is_refused(path, bytes.substr(0, size)) ? 1U : 0U;
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (const int change : {0x00, 0xff, ~bytes[at] & 0xff, bytes[at] ^ 0x01}) {
            std::string damaged = bytes;
            damaged[at] = static_cast<char>(change);
            found.changes += is_refused(path, damaged) ? 1U : 0U;
        }
    return found;
}

TEST(DamagedFcidump, AsText) {
    const refusals found = damage(whole);
    EXPECT_EQ(found.beginnings, whole.size() - 1); // the last one lacks a newline only
    EXPECT_GT(found.changes, whole.size());
}

TEST(DamagedFcidump, PackedByGzip) {
    const temporary_folder folder;
    const std::string path = folder.file("FCIDUMP.gz");
    gzFile file = gzopen(path.c_str(), "wb");
    ASSERT_EQ(gzwrite(file, whole.data(), static_cast<unsigned>(whole.size())),
              static_cast<int>(whole.size()));
    ASSERT_EQ(gzclose(file), Z_OK);
    const std::string packed = text_in(path);
    EXPECT_EQ(damage(packed).beginnings, packed.size());
}

TEST(DamagedFcidump, PackedByXz) {
    std::array<std::uint8_t, 1024> memory{};
    std::size_t size = 0;
    ASSERT_EQ(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, nullptr,
                                      reinterpret_cast<const std::uint8_t *>(whole.data()),
                                      whole.size(), memory.data(), &size, memory.size()),
              LZMA_OK);
    const std::string packed(reinterpret_cast<const char *>(memory.data()), size);
    const refusals found = damage(packed);
    EXPECT_EQ(found.beginnings, packed.size());
    EXPECT_GT(found.changes, 3 * packed.size()); // all bytes of it are covered by a checksum
}

} // namespace
} // namespace tenfold::testing
