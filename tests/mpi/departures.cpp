// departures WAY: rank 1 leaves while the others wait for it in three worlds; the script departures
// checks what they print. WAY: finalize, return (from main, without MPI_Finalize), exit (_exit), or
// off, which counts threads and descriptors of a world instead.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include <unistd.h>

#include <tenfold/dist.hpp>
#include <tenfold/error.hpp>

namespace {

using namespace tenfold;

constexpr int victim = 1;
const extents_t square{6, 6};

long entries(const char *folder) {
    long count = 0;
    for ([[maybe_unused]] const auto &one : std::filesystem::directory_iterator(folder))
        ++count;
    return count;
}

template <class Call> bool fails(const world &where, const char *operation, const Call &call) {
    try {
        call();
    } catch (const error &problem) {
        std::printf("rank %d: %s: code %d: %s\n", where.rank(), operation,
                    static_cast<int>(problem.code() == errc::communication), problem.what());
        std::fflush(stdout);
        return problem.code() == errc::communication;
    }
    return false;
}

int count_resources() {
    const world first(MPI_COMM_WORLD); // MPI may open connections
    MPI_Barrier(MPI_COMM_WORLD);
    const long before = entries("/proc/self/fd") + entries("/proc/self/task");
    const world second(MPI_COMM_WORLD);
    const long after = entries("/proc/self/fd") + entries("/proc/self/task");
    dist_tensor<double> a(second, square);
    a.fill(2.0);
    const bool is_right = a.norm() == 12;
    return after == before && is_right ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const std::string_view way = argv[1];
    int status = 0;
    if (way == "off") {
        status = count_resources();
        MPI_Finalize();
        return status;
    }
    // They outlive MPI, as in a program that returns from the middle of its work.
    static const world one(MPI_COMM_WORLD);
    static const world two(MPI_COMM_WORLD);
    static const world three(MPI_COMM_WORLD);
    static const dist_tensor<double> a(one, square);
    static const dist_tensor<double> b(two, square);
    static dist_tensor<double> d(two, square);
    static const dist_tensor<double> c(three, square);
    a.norm();
    if (one.rank() == victim) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100)); // the others wait by then
        if (way == "finalize")
            MPI_Finalize();
        else if (way == "exit")
            _exit(0);
        return 0;
    }
    status |= fails(one, "norm", [] { a.norm(); }) ? 0 : 1;
    status |= fails(two, "contract", [] { contract("mn=nm", b, d); }) ? 0 : 1;
    status |= fails(three, "redistribute",
                    [] {
                        static_cast<void>(
                            c.redistribute(distribution(square, {three.size(), 1}, three.size())));
                    })
                  ? 0
                  : 1;
    if (way != "finalize") // in which the others cannot join
        _exit(status);
    MPI_Finalize();
    return status;
}
