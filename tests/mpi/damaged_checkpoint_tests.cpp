// Tests every kind of damage to a checkpoint: one error, the same on all ranks, and no rank hangs.
#include <cstring>

#include "mpi/files.hpp"

namespace tenfold::testing {
namespace {

constexpr index_t header_end = 72 + (32 + 16 + 8) + (32 + 8 + 8);
constexpr index_t checksums_end = header_end + 4 * (2 + 2);
constexpr index_t t1_begin = 4096;
constexpr index_t t1_end = t1_begin + 6 * 8;
constexpr index_t t2_begin = 8192;
constexpr index_t t2_end = t2_begin + 3 * 16;

class DamagedCheckpoint : public ::testing::Test {
protected:
    DamagedCheckpoint() {
        fill_values(t1, 1);
        fill_values(t2, 2);
        save(ranks(), file, {{"T1", t1}, {"T2", t2}}, {.block = bytes(32)});
        whole = text_in(file);
        EXPECT_EQ(static_cast<index_t>(whole.size()), t2_end);
        forget();
    }

    void forget() {
        fill_values(t1, 3);
        fill_values(t2, 4);
    }
    bool untouched() const { return has_values(t1, 3) && has_values(t2, 4); }
    bool loaded() const { return has_values(t1, 1) && has_values(t2, 2); }
    void load_both() { load(ranks(), file, {{"T1", t1}, {"T2", t2}}); }

    void replace_by(const std::string &content) {
        on_rank_0([&] { write_into(file, content); });
    }
    std::string expect_refused(errc code, const std::string &told) {
        const std::string message = expect_failure(code, [&] { load_both(); });
        expect_part(message, "'" + file + "'");
        expect_part(message, told);
        EXPECT_TRUE(untouched());
        expect_failure(code, [&] { stored_tensors(ranks(), file); });
        return message;
    }

    shared_folder folder;
    std::string file = folder.file("checkpoint");
    dist_tensor<double> t1{ranks(), {2, 3}};
    dist_tensor<c64> t2{ranks(), {3}};
    std::string whole;
};

/// Damages every byte on few ranks, and some bytes on many ranks.
index_t byte_step() { return ranks().size() <= 4 ? 1 : 7; }

TEST_F(DamagedCheckpoint, AnyFlippedBitInTheHeaderIsFoundBeforeAnythingIsWritten) {
    for (index_t byte = 0; byte < header_end; byte += byte_step()) {
        SCOPED_TRACE(byte);
        std::string damaged = whole;
        damaged[static_cast<std::size_t>(byte)] ^= static_cast<char>(1 << byte % 8);
        replace_by(damaged);
        const failure found = failure_of([&] { load_both(); });
        // The flip of a bit may give a newer version, which is another error than damage.
        EXPECT_TRUE(found.code == errc::io || (byte / 4 == 3 && found.code == errc::unsupported))
            << found.message;
        EXPECT_TRUE(same_on_all_ranks(found.message));
        EXPECT_TRUE(untouched());
    }
}

TEST_F(DamagedCheckpoint, AnyFlippedBitInTheDataIsFound) {
    for (const auto &[begin, end, name] :
         {std::tuple(header_end, header_end + 8, "T1"),
          std::tuple(header_end + 8, checksums_end, "T2"), std::tuple(t1_begin, t1_end, "T1"),
          std::tuple(t2_begin, t2_end, "T2")})
        for (index_t byte = begin; byte < end; byte += byte_step()) {
            SCOPED_TRACE(byte);
            std::string damaged = whole;
            damaged[static_cast<std::size_t>(byte)] ^= static_cast<char>(1 << byte % 8);
            replace_by(damaged);
            const std::string message = expect_failure(errc::io, [&] { load_both(); });
            expect_part(message, std::string("damaged: tensor '") + name + "'");
        }
    replace_by(whole);
    load_both();
    EXPECT_TRUE(loaded());
}

TEST_F(DamagedCheckpoint, WhatStandsBetweenTheDataDoesNotMatter) {
    for (const index_t byte : {checksums_end, t1_begin - 1, t1_end, t2_begin - 1}) {
        std::string padded = whole;
        padded[static_cast<std::size_t>(byte)] = 'x';
        replace_by(padded);
        forget();
        load_both();
        EXPECT_TRUE(loaded());
    }
}

TEST_F(DamagedCheckpoint, AnyOtherLengthIsFoundBeforeAnythingIsWritten) {
    for (const index_t size : {index_t{0}, index_t{7}}) {
        replace_by(whole.substr(0, static_cast<std::size_t>(size)));
        expect_refused(errc::io, "is not a checkpoint");
    }
    for (const index_t size : {index_t{8}, index_t{40}, index_t{71}, index_t{72}, header_end - 1,
                               header_end, checksums_end, t1_begin, t1_end, t2_begin, t2_end - 1}) {
        SCOPED_TRACE(size);
        replace_by(whole.substr(0, static_cast<std::size_t>(size)));
        expect_refused(errc::io, "truncated");
    }
    replace_by(whole + "x");
    expect_refused(errc::io, "too long");
}

TEST_F(DamagedCheckpoint, FilesOfAnotherKind) {
    replace_by("\x93NUMPY and so on, for more than seventy-two bytes: "
               "a checkpoint is told by its first eight bytes");
    expect_refused(errc::io, "is not a checkpoint");

    std::string newer = whole;
    newer[12] = 2;
    replace_by(newer);
    expect_refused(errc::unsupported, "version 2");

    std::string foreign = whole;
    std::memcpy(foreign.data() + 8, "\1\2\3\4", 4);
    replace_by(foreign);
    expect_refused(errc::unsupported, "another order of bytes");
}

TEST_F(DamagedCheckpoint, OtherTensorsThanThoseInTheFile) {
    dist_tensor<c64> of_another_type(ranks(), {2, 3});
    dist_tensor<double> of_another_order(ranks(), {2, 3, 1});
    dist_tensor<double> of_other_extents(ranks(), {3, 2});
    const auto loading = [&](auto &tensor, const char *name) {
        return [&, name] { load(ranks(), file, {{"T2", t2}, {name, tensor}}); };
    };
    EXPECT_EQ(expect_failure(errc::type_mismatch, loading(of_another_type, "T1")),
              "'" + file + "': tensor 'T1' has type f64 in the file, c64 in memory");
    EXPECT_EQ(expect_failure(errc::order_mismatch, loading(of_another_order, "T1")),
              "'" + file + "': tensor 'T1' has order 2 in the file, 3 in memory");
    EXPECT_EQ(expect_failure(errc::extent_mismatch, loading(of_other_extents, "T1")),
              "'" + file + "': tensor 'T1' has extents (2, 3) in the file, (3, 2) in memory");
    EXPECT_EQ(expect_failure(errc::invalid_argument, loading(t1, "T3")),
              "'" + file + "' has no tensor 'T3'; there is 'T1', 'T2'");
    EXPECT_TRUE(untouched());
}

TEST_F(DamagedCheckpoint, FilesThatCannotBeRead) {
    on_rank_0([&] { std::filesystem::remove(file); });
    expect_refused(errc::io, "No such file");

    on_rank_0([&] { std::filesystem::create_directory(file); });
    expect_refused(errc::io, "is a directory");

    on_rank_0([&] {
        std::filesystem::remove(file);
        EXPECT_EQ(mkfifo(file.c_str(), 0600), 0);
    });
    expect_refused(errc::io, "is not a regular file");

    on_rank_0([&] { std::filesystem::remove(file); });
    replace_by(whole);
    on_rank_0([&] { EXPECT_EQ(chmod(file.c_str(), 0), 0); });
    if (geteuid() != 0) // root may read any file
        expect_refused(errc::io, "Permission denied");
}

TEST_F(DamagedCheckpoint, RanksThatSeeAnotherFileThanRank0) {
    if (ranks().size() == 1)
        return;
    // The last rank works in another folder, where the file is missing at first, and then a
    // different one.
    const std::string here = std::filesystem::current_path();
    const bool elsewhere = ranks().rank() + 1 == ranks().size();
    const std::string other = folder.file("elsewhere");
    on_rank_0([&] { std::filesystem::create_directory(other); });
    std::filesystem::current_path(elsewhere ? other : folder.path());
    file = "checkpoint";
    const std::string last = "rank " + std::to_string(ranks().size() - 1) + ": ";
    expect_part(expect_refused(errc::io, "No such file"), last);

    const int other_rank = ranks().rank();
    if (elsewhere) {
        MPI_Comm alone = MPI_COMM_NULL;
        MPI_Comm_split(ranks().comm(), 0, other_rank, &alone);
        save(world(alone), "checkpoint", {});
        MPI_Comm_free(&alone);
    } else {
        MPI_Comm others = MPI_COMM_NULL;
        MPI_Comm_split(ranks().comm(), 1, other_rank, &others);
        MPI_Comm_free(&others);
    }
    expect_part(expect_refused(errc::io, "is not the file that rank 0 reads"), last);

    // Ranks cannot save together either.
    const std::string message = expect_failure(errc::io, [&] { save("checkpoint", t1); });
    expect_part(message, last);
    expect_part(message, "rank 0, whose file is not seen here");
    std::filesystem::current_path(here);
    on_rank_0([&] {
        EXPECT_EQ(text_in(folder.file("checkpoint")), whole);
        EXPECT_FALSE(exists(folder.file("checkpoint.saving")));
    });
}

} // namespace
} // namespace tenfold::testing
