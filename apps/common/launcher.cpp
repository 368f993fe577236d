#include "apps/launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace tenfold::apps_impl {
namespace {

/// The first of these variables that holds a number; -1 if none does.
int number_in(std::initializer_list<const char *> variables) noexcept {
    for (const char *variable : variables) {
        const char *text = std::getenv(variable);
        int value = 0;
        if (text != nullptr &&
            std::from_chars(text, text + std::strlen(text), value).ec == std::errc())
            return value;
    }
    return -1;
}

} // namespace

// Open MPI, MPICH and Intel MPI (Hydra), PMIx launchers. SLURM_* is not asked: a batch script that
// runs a program without srun has those variables too.
bool under_launcher() noexcept {
    return number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) >= 0;
}

int launched_ranks() noexcept {
    const int ranks = number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
    return ranks > 0 ? ranks : 1;
}

int launched_rank() noexcept {
    const int rank = number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"});
    return rank > 0 ? rank : 0;
}

} // namespace tenfold::apps_impl
