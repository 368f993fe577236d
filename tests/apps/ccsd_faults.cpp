// Linked with tenfold-ccsd (--wrap): one rank fails. CCSD_FAULT="RANK WHAT CALL", where WHAT is
// `setup`, `memory` (of a large array) or `triple` of (T), or a function of MPI by its name; its
// CALL-th call on that rank fails, counted from 0. Without CCSD_FAULT, or if there are fewer calls,
// nothing fails.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include <mpi.h>

#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

#include "apps/ccsd/triples_energy.hpp"

namespace {

using tenfold::index_t;

std::atomic<bool> in_triples = false;
std::atomic<int> calls = 0;

struct fault {
    int rank = -1;
    std::string kind;
    int call = 0;
};
const fault &wanted_fault() {
    static const fault wanted = [] {
        fault one;
        if (const char *const text = std::getenv("CCSD_FAULT"))
            std::istringstream(text) >> one.rank >> one.kind >> one.call;
        return one;
    }();
    return wanted;
}

/// Whether this call is the one that fails.
bool is_wanted(const char *what) {
    const fault &wanted = wanted_fault();
    if (wanted.kind != what)
        return false;
    static const int here = [] {
        int mine = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &mine);
        return mine;
    }();
    return here == wanted.rank && calls++ == wanted.call;
}

void fail_if_wanted(const char *what) {
    if (is_wanted(what))
        throw tenfold::error(tenfold::errc::out_of_memory, "fault of rank " +
                                                               std::to_string(wanted_fault().rank) +
                                                               " in " + what);
}

} // namespace

// MPI's profiling interface: the library calls these functions, too.
#define CCSD_MPI(name, parameters, arguments)                                                      \
    int name parameters { return is_wanted(#name) ? MPI_ERR_OTHER : P##name arguments; }
extern "C" {
CCSD_MPI(MPI_Isend,
         (const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
          MPI_Request *request),
         (data, count, type, to, tag, comm, request))
CCSD_MPI(MPI_Irecv,
         (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
          MPI_Request *request),
         (data, count, type, from, tag, comm, request))
CCSD_MPI(MPI_Recv,
         (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
          MPI_Status *status),
         (data, count, type, from, tag, comm, status))
CCSD_MPI(MPI_Test, (MPI_Request * request, int *done, MPI_Status *status), (request, done, status))
CCSD_MPI(MPI_Testany,
         (int count, MPI_Request requests[], int *place, int *done, MPI_Status *status),
         (count, requests, place, done, status))
CCSD_MPI(MPI_Testsome,
         (int count, MPI_Request requests[], int *through, int places[], MPI_Status statuses[]),
         (count, requests, through, places, statuses))
CCSD_MPI(MPI_Iprobe, (int from, int tag, MPI_Comm comm, int *is_there, MPI_Status *status),
         (from, tag, comm, is_there, status))
CCSD_MPI(MPI_Allreduce,
         (const void *in, void *out, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm),
         (in, out, count, type, operation, comm))
CCSD_MPI(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
CCSD_MPI(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
         (comm, type, key, info, made))
}

// Functions under the names that GCC and Clang give them.
#define CCSD_REAL(name) __asm__("__real_" name)
#define CCSD_WRAP(name) __asm__("__wrap_" name)

#define CCSD_ENERGIES "_ZN7tenfold4ccsd15triple_energiesC1ERKNS0_8moleculeE"
void real_energies(void *self, const void *system) CCSD_REAL(CCSD_ENERGIES);
void wrap_energies(void *self, const void *system) CCSD_WRAP(CCSD_ENERGIES);
void wrap_energies(void *self, const void *system) {
    in_triples = true;
    fail_if_wanted("setup");
    real_energies(self, system);
}

#define CCSD_ALLOCATE "_ZN7tenfold4base16allocate_alignedENS_10byte_countE"
void *real_allocate(tenfold::byte_count size) CCSD_REAL(CCSD_ALLOCATE);
void *wrap_allocate(tenfold::byte_count size) CCSD_WRAP(CCSD_ALLOCATE);
void *wrap_allocate(tenfold::byte_count size) {
    if (in_triples)
        fail_if_wanted("memory");
    return real_allocate(size);
}

#define CCSD_TRIPLE "_ZNK7tenfold4ccsd15triple_energies9of_tripleERKNS0_12triples_dataElllPKd"
double real_triple(const void *self, const void *data, index_t i, index_t j, index_t k,
                   const double *w) CCSD_REAL(CCSD_TRIPLE);
double wrap_triple(const void *self, const void *data, index_t i, index_t j, index_t k,
                   const double *w) CCSD_WRAP(CCSD_TRIPLE);
double wrap_triple(const void *self, const void *data, index_t i, index_t j, index_t k,
                   const double *w) {
    fail_if_wanted("triple");
    return real_triple(self, data, i, j, k, w);
}
