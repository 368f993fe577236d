// save_killed FILE save NUMBER [RANK CALL]: saves a tensor whose elements are all NUMBER; rank RANK
//     is killed before its CALL-th call that changes a file, counted from 0.
// save_killed FILE check NUMBER...: prints the NUMBER that all elements of the file are; fails if
// they
//     differ or are none of these.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <tenfold/dist_files.hpp>
#include <tenfold/error.hpp>

#include "mpi/file_faults.hpp"

namespace {

using namespace tenfold;

const extents_t extents{40, 30};

void save_numbers(const world &ranks, const std::string &file, int argc, char **argv) {
    dist_tensor<double> a(ranks, extents);
    a.fill(std::atof(argv[3]));
    if (argc > 5 && ranks.rank() == std::atoi(argv[4])) {
        const std::string folder = std::filesystem::path(file).parent_path();
        tenfold::testing::set_file_fault({folder, std::atol(argv[5])});
    }
    save(file, a, {.block = bytes(1000)});
}

bool is_one_of(const world &ranks, const std::string &file, int argc, char **argv) {
    dist_tensor<double> a(ranks, extents);
    load(file, a);
    const tensor<double> all = a.gather_all();
    for (int i = 3; i < argc; ++i) {
        bool same = true;
        for (index_t k = 0; k < all.size(); ++k)
            same = same && all.data()[k] == std::atof(argv[i]);
        if (same && ranks.rank() == 0)
            std::printf("%s\n", argv[i]);
        if (same)
            return true;
    }
    return false;
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    bool good = true;
    try {
        const world ranks(MPI_COMM_WORLD);
        if (std::string(argv[2]) == "save")
            save_numbers(ranks, argv[1], argc, argv);
        else
            good = is_one_of(ranks, argv[1], argc, argv);
    } catch (const error &problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        good = false;
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
