// Tests saving that fails: one error, the same on all ranks, and the former file is unchanged.
#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>

#include "mpi/file_faults.hpp"
#include "mpi/files.hpp"

namespace tenfold::testing {
namespace {

class Saving : public ::testing::Test {
protected:
    Saving() {
        fill_values(a, 1);
        save(file, a, options);
        fill_values(a, 2);
    }

    void expect_former_file() {
        dist_tensor<double> b(ranks(), extents);
        load(file, b);
        EXPECT_TRUE(has_values(b, 1));
        EXPECT_FALSE(exists(file + ".saving"));
    }

    const extents_t extents{6, 16}; // at least one block for each of 16 ranks
    const file_options options{.block = bytes(32)};
    shared_folder folder;
    std::string file = folder.file("checkpoint");
    dist_tensor<double> a{ranks(), extents};
};

/// Calls `save` with more and more calls working on `rank` before all others fail. Returns how many
/// calls it needs to succeed.
template <class Save, class Check> long fail_after_each_call(const shared_folder &folder, int rank,
                                                             const Save &save, const Check &check) {
    for (long works = 0;; ++works) {
        SCOPED_TRACE("rank " + std::to_string(rank) +
                     ", calls that work: " + std::to_string(works));
        if (ranks().rank() == rank)
            set_file_fault({folder.path(), works, ENOSPC});
        const failure result = failure_of(save);
        clear_file_fault();
        EXPECT_TRUE(same_on_all_ranks(result.message));
        if (result.code == errc::ok)
            return works;
        EXPECT_EQ(result.code, errc::io);
        expect_part(result.message, "No space left on device");
        check(result.message.find("is complete") != std::string::npos);
        if (::testing::Test::HasFailure() || works == 100)
            return works;
    }
}

TEST_F(Saving, OnADiskThatBecomesFullAtAnyMoment) {
    const int last = ranks().size() - 1;
    for (const int rank : last == 0 ? std::vector<int>{0} : std::vector<int>{0, last}) {
        const long calls = fail_after_each_call(
            folder, rank, [&] { save(file, a, options); },
            [&](bool complete) {
                if (!complete) {
                    expect_former_file();
                    return;
                }
                // Only the fsync of the folder failed. Saves the former values again.
                fill_values(a, 1);
                save(file, a, options);
                fill_values(a, 2);
            });
        // Rank 0: reserving, the id, fsync, .., checksums, header, fsync, rename, fsync of the
        // folder. Others: .., checksums, fsync.
        EXPECT_GE(calls, rank == 0 ? 8 : 2);
        dist_tensor<double> b(ranks(), extents);
        load(file, b);
        EXPECT_TRUE(has_values(b, 2));
        fill_values(a, 1);
        save(file, a, options);
        fill_values(a, 2);
    }
}

TEST_F(Saving, NpyOnADiskThatBecomesFullAtAnyMoment) {
    const std::string npy = folder.file("a.npy");
    fail_after_each_call(
        folder, ranks().size() - 1, [&] { save_npy(npy, a, options); },
        [&](bool complete) {
            EXPECT_FALSE(exists(npy) && !complete);
            EXPECT_FALSE(exists(npy + ".saving"));
        });
    dist_tensor<double> b(ranks(), extents);
    load_npy(npy, b);
    EXPECT_TRUE(has_values(b, 2));
}

TEST_F(Saving, WhereTheFileSystemCannotReserve) {
    if (ranks().rank() == 0)
        set_file_fault({folder.path(), 0, EOPNOTSUPP, 1});
    save(file, a, options);
    EXPECT_GE(clear_file_fault(), ranks().rank() == 0 ? 8 : 0);
    dist_tensor<double> b(ranks(), extents);
    load(file, b);
    EXPECT_TRUE(has_values(b, 2));
}

TEST_F(Saving, WhereNoFileCanBe) {
    for (const std::string &where : {folder.path(), folder.file("nowhere/file"), std::string()}) {
        const std::string message = expect_failure(errc::io, [&] { save(where, a, options); });
        expect_part(message, "'" + where + "'");
    }
    const std::string pipe = folder.file("pipe");
    on_rank_0([&] { EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0); });
    expect_part(expect_failure(errc::io, [&] { save(pipe, a); }), "is not a regular file");
    if (geteuid() != 0) { // root may write anywhere
        on_rank_0([&] { EXPECT_EQ(chmod(file.c_str(), 0400), 0); });
        expect_part(expect_failure(errc::io, [&] { save(file, a); }), "Permission denied");
        on_rank_0([&] {
            EXPECT_EQ(chmod(file.c_str(), 0600), 0);
            EXPECT_EQ(chmod(folder.path().c_str(), 0500), 0);
        });
        expect_part(expect_failure(errc::io, [&] { save(file, a); }), "Permission denied");
        on_rank_0([&] { EXPECT_EQ(chmod(folder.path().c_str(), 0700), 0); });
    }
    expect_former_file();
}

TEST_F(Saving, RemovesWhatAKilledProgramLeft) {
    on_rank_0([&] { write_into(file + ".saving", "half a checkpoint"); });
    save(file, a, options);
    EXPECT_FALSE(exists(file + ".saving"));
    dist_tensor<double> b(ranks(), extents);
    load(file, b);
    EXPECT_TRUE(has_values(b, 2));
}

TEST_F(Saving, LeavesWhatAnotherProgramWrites) {
    const std::string temporary = file + ".saving";
    int others = -1;
    on_rank_0([&] {
        write_into(temporary, "half a checkpoint");
        others = open(temporary.c_str(), O_RDWR);
        EXPECT_EQ(flock(others, LOCK_EX), 0);
    });
    expect_part(expect_failure(errc::io, [&] { save(file, a, options); }),
                "is being saved by another program");
    on_rank_0([&] {
        EXPECT_EQ(text_in(temporary), "half a checkpoint");
        close(others);
    });
    save(file, a, options);
    EXPECT_FALSE(exists(temporary));
}

TEST_F(Saving, WrongArguments) {
    EXPECT_EQ(expect_failure(errc::invalid_argument,
                             [&] {
                                 save(ranks(), file, {{"A", a}, {"A", a}});
                             }),
              "two tensors of a checkpoint are named 'A'");
    expect_failure(errc::invalid_argument, [&] { save(ranks(), file, {{"A\nB", a}}); });
    expect_failure(errc::invalid_argument, [&] {
        save(ranks(), file, {{std::string(256, 'A'), a}});
    });
    expect_part(
        expect_failure(errc::invalid_argument, [&] { save(file, a, {.block = bytes(15)}); }),
        "16 is the least");
    expect_part(
        expect_failure(errc::invalid_argument, [&] { save_npy(file, a, {.block = bytes(0)}); }),
        "16 is the least");
    const world others(MPI_COMM_WORLD);
    expect_part(expect_failure(errc::invalid_argument,
                               [&] {
                                   save(others, file, {{"A", a}});
                               }),
                "tensor 'A' belongs to another world");
    expect_former_file();
}

TEST_F(Saving, RanksThatDisagree) {
    if (ranks().size() == 1)
        return;
    const bool last = ranks().rank() + 1 == ranks().size();
    expect_part(
        expect_failure(errc::disagreement, [&] { save(last ? file + "2" : file, a, options); }),
        "save: ranks disagree on file: rank 0 passed '");
    expect_part(expect_failure(errc::disagreement,
                               [&] {
                                   save(ranks(), file, {{last ? "A" : "B", a}});
                               }),
                "save: ranks disagree on tensors: rank 0 passed 'B', rank");
    dist_tensor<float> narrow(ranks(), extents);
    expect_failure(errc::disagreement, [&] {
        if (last)
            load(file, narrow);
        else
            load(file, a);
    });
    EXPECT_TRUE(has_values(a, 2));
    expect_former_file();
}

} // namespace
} // namespace tenfold::testing
