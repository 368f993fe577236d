// Shared by tests of files on several ranks.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <tenfold/dist_files.hpp>

#include "mpi/ranks.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold::testing {

/// A folder that all ranks share, made by rank 0 and removed after the test.
class shared_folder {
public:
    shared_folder() {
        path_ = own_.path();
        auto size = static_cast<int>(path_.size());
        MPI_Bcast(&size, 1, MPI_INT, 0, ranks().comm());
        path_.resize(static_cast<std::size_t>(size));
        MPI_Bcast(path_.data(), size, MPI_CHAR, 0, ranks().comm());
    }
    ~shared_folder() { MPI_Barrier(ranks().comm()); }

    const std::string &path() const noexcept { return path_; }
    std::string file(const std::string &name) const { return path_ + "/" + name; }

private:
    temporary_folder own_;
    std::string path_;
};

/// Runs `work` on rank 0 while the others wait.
template <class Work> void on_rank_0(const Work &work) {
    MPI_Barrier(ranks().comm());
    if (ranks().rank() == 0)
        work();
    MPI_Barrier(ranks().comm());
}

/// Runs `work` with a world of the first `size` ranks; the others wait.
template <class Work> void on_first_ranks(int size, const Work &work) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(ranks().comm(), ranks().rank() < size ? 0 : MPI_UNDEFINED, ranks().rank(),
                   &part);
    if (part != MPI_COMM_NULL) {
        work(world(part));
        MPI_Comm_free(&part);
    }
    MPI_Barrier(ranks().comm());
}

inline bool exists(const std::string &file) { return access(file.c_str(), F_OK) == 0; }

/// Returns whether the elements that this rank owns are value_at(.., salt).
template <class T> bool has_values(const dist_tensor<T> &tensor, int salt) {
    bool right = true;
    const T *next = tensor.data();
    if (tensor.local_slice().empty())
        return true;
    for_each_position(tensor.local_slice().offsets, tensor.local_slice().extents,
                      [&](const extents_t &position) {
                          right = right && *next++ == value_at<T>(position, salt);
                      });
    return right;
}

/// Checks that all ranks throw the same error with this code. Returns its message.
template <class Call> std::string expect_failure(errc code, const Call &call) {
    const failure found = failure_of(call);
    EXPECT_EQ(name(found.code), name(code)) << found.message;
    EXPECT_TRUE(same_on_all_ranks(found.message)) << found.message;
    return found.message;
}

inline void expect_part(const std::string &message, const std::string &part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

} // namespace tenfold::testing
