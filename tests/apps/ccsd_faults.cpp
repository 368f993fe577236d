// Linked with tenfold-ccsd (--wrap): one rank fails within (T). CCSD_FAULT="RANK WHAT CALL", where
// WHAT is `setup`, `memory` (of a large array) or `triple`; its CALL-th call on that rank fails,
// counted from 0. Without CCSD_FAULT, or if there are fewer calls, nothing fails.
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

void fail_if_wanted(const char *what) {
    const char *wanted = std::getenv("CCSD_FAULT");
    if (wanted == nullptr)
        return;
    std::istringstream words(wanted);
    int rank = 0;
    std::string kind;
    int call = 0;
    words >> rank >> kind >> call;
    static const int here = [] {
        int mine = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &mine);
        return mine;
    }();
    if (here == rank && kind == what && calls++ == call)
        throw tenfold::error(tenfold::errc::out_of_memory,
                             "fault of rank " + std::to_string(rank) + " in " + kind);
}

} // namespace

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
