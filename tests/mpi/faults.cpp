// faults CASE [CALL]: causes a fault on one rank, the victim, or on all; the script faults checks
// the result. Prints "rank R: MESSAGE" for an error that Tenfold throws, and ends with 3, or with 0
// without an error. CALL: the fault happens in the victim's CALL-th MPI_Isend or MPI_Irecv of data
// (or of control messages) of the operation, counted from 0.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <unistd.h>

#include <tenfold/dist_async.hpp>
#include <tenfold/dist_files.hpp>
#include <tenfold/dist_program.hpp>
#include <tenfold/error.hpp>

#include "mpi/file_faults.hpp"

namespace {

using namespace tenfold;

constexpr int victim = 1;
int counted_tag = 10;    // that of payload
long messages_left = -1; // no end
bool mpi_fails = false;  // else what_happens()
void (*what_happens)() = [] { raise(SIGKILL); };

/// Returns whether this call fails.
bool count_message(int tag) {
    if (tag != counted_tag || messages_left < 0 || messages_left-- > 0)
        return false;
    if (!mpi_fails)
        what_happens();
    return mpi_fails;
}

} // namespace

// MPI's profiling interface: the library calls these functions, too.
extern "C" {
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
    return count_message(tag) ? MPI_ERR_OTHER
                              : PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request) {
    return count_message(tag) ? MPI_ERR_OTHER
                              : PMPI_Irecv(data, count, type, from, tag, comm, request);
}
}

namespace {

struct scene {
    const world &ranks;
    long call;          ///< in which it happens to the victim
    const char *folder; ///< for files

    bool is_victim() const { return ranks.rank() == victim; }
    void arm() const { messages_left = is_victim() ? call : -1; }
};

const extents_t square{192, 192};

distribution rows(const scene &s) { return {square, {s.ranks.size(), 1}, s.ranks.size()}; }
distribution columns(const scene &s) { return {square, {1, s.ranks.size()}, s.ranks.size()}; }

void redistribution(const scene &s) {
    dist_tensor<double> a(s.ranks, square, rows(s));
    s.arm();
    static_cast<void>(a.redistribute(columns(s)));
}

void contraction(const scene &s, const dist_options &options = {}) {
    dist_tensor<double> a(s.ranks, square);
    dist_tensor<double> b(s.ranks, square);
    dist_tensor<double> d(s.ranks, square);
    s.arm();
    contract("mn=mk*kn", a, b, d, options);
}

/// Each step sends panels in messages of its own.
void contraction_in_steps(const scene &s) { contraction(s, {.step = step_size{.k = 16}}); }

/// The products of all ranks are added.
void contraction_with_sum(const scene &s) {
    contraction(s, {.grid = processor_grid{.k = s.ranks.size()}});
}

void callback_throws(const scene &s) {
    dist_tensor<double> a(s.ranks, square);
    a.fill([&](const extents_t &, tensor_view<double>) {
        if (s.is_victim())
            throw std::runtime_error("the callback broke");
    });
}

void shapes_differ(const scene &s) {
    dist_tensor<double> a(s.ranks, {192, s.is_victim() ? 193 : 192});
}

void expressions_differ(const scene &s) {
    dist_tensor<double> a(s.ranks, square);
    dist_tensor<double> b(s.ranks, square);
    dist_tensor<double> d(s.ranks, square);
    contract(s.is_victim() ? "mn=mk*nk" : "mn=mk*kn", a, b, d);
}

[[noreturn]] void stop() {
    while (true)
        pause();
}

/// The other ranks are in the agreement, or at the end of the program. Only the rank that waits for
/// the victim itself can report it, however late it is.
void call_is_skipped(const scene &s) {
    dist_tensor<double> a(s.ranks, square);
    if (s.ranks.rank() != (victim + 1) % s.ranks.size())
        set_fatal_handler([](int, std::string_view) { stop(); });
    if (!s.is_victim())
        a.fill(1.0);
    MPI_Barrier(MPI_COMM_WORLD);
}

/// Data has begun to move when the victim stops, and the others wait for its messages.
void rank_stops(const scene &s) {
    what_happens = [] { stop(); };
    redistribution(s);
}

/// The same in the middle of the steps of a contraction.
void rank_stops_in_a_step(const scene &s) {
    what_happens = [] { stop(); };
    contraction_in_steps(s);
}

/// Messages that travel while ranks make other calls.
void copy_in_the_background(const scene &s) {
    counted_tag = 16; // that of a world's first
    dist_tensor<double> a(s.ranks, square, rows(s));
    dist_tensor<double> b(s.ranks, square, columns(s));
    s.arm();
    auto under_way = copy_async(a, b);
    a.norm();
    under_way.wait();
}

/// In a program that goes on when it is told of an error, so that all ranks throw.
void handled_failure_in_the_background(const scene &s) {
    mpi_fails = true;
    set_fatal_handler([](int, std::string_view) {});
    copy_in_the_background(s);
}

/// Lines of all kinds; messages of copies, panels, sums and of DIIS.
void program_runs(const scene &s) {
    const program_plan plan =
        make_program_plan(parse_program("index i, j, k: row\n"
                                        "input A[i,j], e[i], s\n"
                                        "output T[i,j], n\n"
                                        "T[i,j] = 0\n"
                                        "repeat until n < 0 at most 4 {\n"
                                        "    R[i,j] = A[i,j] - s*A[i,k]*T[k,j] + P(i,j)*A[j,i]\n"
                                        "    R[i,j] = R[i,j] / (e[i] + e[j])\n"
                                        "    R[i,j] -= T[i,j]\n"
                                        "    T[i,j] += R[i,j]\n"
                                        "    n = R[i,j]*R[i,j]\n"
                                        "    diis T with R\n"
                                        "}\n"),
                          {{"row", square[0]}}, s.ranks.size(), {.contraction = {.threads = 1}});
    dist_tensor<double> a(s.ranks, square, columns(s));
    a.fill([](const extents_t &at, tensor_view<double> block) {
        for (index_t i = 0; i < block.shape().size(); ++i)
            block.data()[i] = static_cast<double>((at[0] + at[1] + i) % 7) * 1e-3;
    });
    dist_tensor<double> e(s.ranks, {square[0]});
    e.fill(1.0);
    s.arm();
    static_cast<void>(run_program(plan, s.ranks, {{"A", &a}, {"e", &e}, {"s", 0.5}}));
}

void mpi_fails_in_a_program(const scene &s) {
    mpi_fails = true;
    program_runs(s);
}

/// In an agreement, or where a value is told to all ranks.
void control_fails_in_a_program(const scene &s) {
    counted_tag = 11;
    mpi_fails_in_a_program(s);
}

/// In a program that goes on when it is told of an error, so that all ranks throw.
void handled_failure_in_a_program(const scene &s) {
    set_fatal_handler([](int, std::string_view) {});
    mpi_fails_in_a_program(s);
}

void memory_limit(const scene &s) { contraction(s, {.memory_per_rank = bytes(1000)}); }

void disk_is_full(const scene &s) {
    const std::string file = std::string(s.folder) + "/checkpoint";
    dist_tensor<double> a(s.ranks, square);
    a.fill(1.0);
    save(file, a);
    a.fill(2.0);
    if (s.is_victim())
        tenfold::testing::set_file_fault({s.folder, 0, ENOSPC});
    save(file, a);
}

/// Not a fault: the file that disk_is_full() saved first is intact, for any number of ranks.
void file_is_intact(const scene &s) {
    dist_tensor<double> a(s.ranks, square);
    load(std::string(s.folder) + "/checkpoint", a);
    const tensor<double> all = a.gather_all();
    for (index_t i = 0; i < all.size(); ++i)
        if (all.data()[i] != 1.0)
            throw error(errc::io, "the former file is lost");
}

/// Used after MPI_Finalize.
struct outliving_tensor {
    dist_tensor<double> tensor;
    int rank, ranks;
    std::filesystem::path folder;

    /// Returns when all ranks have called it, or after ten seconds. Files tell, as MPI is over: the
    /// launcher kills the other ranks as soon as one has ended with an error.
    void meet() const {
        const auto file_of = [&](int r) { return folder / ("met." + std::to_string(r)); };
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        std::ofstream(file_of(rank)).put('\n');
        for (int r = 0; r < ranks; ++r)
            while (!exists(file_of(r)) && std::chrono::steady_clock::now() < patience)
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
};
std::optional<outliving_tensor> left_over;

void tensor_outlives_mpi(const scene &s) {
    left_over.emplace(dist_tensor<double>(s.ranks, square), s.ranks.rank(), s.ranks.size(),
                      s.folder);
}

/// Not a fault: checks that the other cases fail only because of their faults.
void nothing(const scene &s) {
    redistribution(s);
    contraction_in_steps(s);
    contraction_with_sum(s);
    program_runs(s);
    copy_in_the_background(s);
}

const std::map<std::string, std::function<void(const scene &)>> cases{
    {"redistribution", redistribution},
    {"contraction", contraction_in_steps},
    {"sum", contraction_with_sum},
    {"callback-throws", callback_throws},
    {"shapes-differ", shapes_differ},
    {"expressions-differ", expressions_differ},
    {"call-is-skipped", call_is_skipped},
    {"copy-in-the-background", copy_in_the_background},
    {"handled-failure-in-the-background", handled_failure_in_the_background},
    {"rank-stops", rank_stops},
    {"rank-stops-in-a-step", rank_stops_in_a_step},
    {"program", program_runs},
    {"mpi-fails-in-a-program", mpi_fails_in_a_program},
    {"control-fails-in-a-program", control_fails_in_a_program},
    {"handled-failure-in-a-program", handled_failure_in_a_program},
    {"memory-limit", memory_limit},
    {"disk-is-full", disk_is_full},
    {"file-is-intact", file_is_intact},
    {"tensor-outlives-mpi", tensor_outlives_mpi},
    {"nothing", nothing},
};

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int status = 0;
    try {
        const world ranks(MPI_COMM_WORLD);
        try {
            cases.at(argv[1])({ranks, argc > 2 ? std::atol(argv[2]) : -1, std::getenv("TMPDIR")});
        } catch (const error &problem) {
            std::printf("rank %d: %s\n", ranks.rank(), problem.what());
            status = 3;
        }
    } catch (const std::out_of_range &) {
        status = 2;
    }
    std::fflush(stdout);
    MPI_Finalize();
    if (left_over) {
        try {
            left_over->tensor.norm();
        } catch (const error &problem) {
            std::printf("rank: %s\n", problem.what());
            std::fflush(stdout);
            status = 3;
        }
        left_over->meet();
    }
    return status;
}
