#include "apps/common/launcher.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "apps/common/program.hpp"

namespace tenfold::apps_impl {
namespace {

int rank_here = 0;
int ranks_together = 1;

/// The number of processes that an environment variable of a launcher states.
struct statement {
    const char *variable;
    int processes; ///< a lower bound if not exact
    bool exact;
};

void add(std::vector<statement> &statements, const char *variable, bool exact, int offset = 0) {
    const char *text = std::getenv(variable);
    int value = 0;
    if (text != nullptr &&
        std::from_chars(text, text + std::strlen(text), value).ec == std::errc() && value >= 0)
        statements.push_back({variable, value + offset, exact});
}

/// Reads the variables of Open MPI; MPICH, Intel MPI and others with Hydra; PMIx, which states a
/// rank but no number of ranks; and srun.
std::vector<statement> statements_of_launchers() {
    std::vector<statement> statements;
    add(statements, "OMPI_COMM_WORLD_SIZE", true);
    add(statements, "PMI_SIZE", true);
    // srun's variable SLURM_STEP_NUM_TASKS counts the ranks of a step. Below mpirun it counts
    // mpirun's daemons instead, so it is read only if the variables above are missing. It is
    // missing in a script or shell of an allocation, where SLURM_NTASKS would count the whole
    // allocation, and 1 in a step of one task.
    if (statements.empty()) {
        add(statements, "SLURM_STEP_NUM_TASKS", true);
        if (!statements.empty() && statements.front().processes <= 1)
            statements.clear();
    }
    add(statements, "PMIX_RANK", false, 1);
    add(statements, "MPI_LOCALNRANKS", false);
    return statements;
}

} // namespace

bool under_launcher() noexcept { return !statements_of_launchers().empty(); }

int launched_ranks() noexcept { return ranks_together; }

int launched_rank() noexcept { return rank_here; }

void set_launched(int rank, int ranks) noexcept {
    rank_here = rank;
    ranks_together = ranks;
}

void refuse_launcher_of_another_mpi(int ranks, const std::string &mpi) {
    const std::vector<statement> statements = statements_of_launchers();
    const auto agrees = [&](const statement &one) { return one.exact && one.processes == ranks; };
    const auto contradicts = [&](const statement &one) {
        return one.exact || one.processes > ranks;
    };
    if (std::any_of(statements.begin(), statements.end(), agrees))
        return;
    const auto contradiction = std::find_if(statements.begin(), statements.end(), contradicts);
    if (contradiction == statements.end())
        return;
    std::string without = "env";
    for (const statement &one : statements)
        without += std::string(" -u ") + one.variable;
    const bool has_mpi = !mpi.empty();
    throw usage_error(std::string("the launcher says ") +
                      (contradiction->exact ? "" : "at least ") +
                      std::to_string(contradiction->processes) + " processes (" +
                      contradiction->variable + "), but " +
                      (has_mpi ? "this program's MPI, " + mpi + ", says " + std::to_string(ranks)
                               : "this program was built without MPI") +
                      ", so that each of them would do all of the work. Start it " +
                      (has_mpi ? "by the launcher of its own MPI" : "without a launcher") +
                      ", or by '" + without + "' if each is to work alone");
}

} // namespace tenfold::apps_impl
