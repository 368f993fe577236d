// Computes how many threads a rank may have without taking another rank's cores.
#include <algorithm>
#include <climits>
#include <string>

#include <sched.h>

#include <tenfold/context.hpp>

#include "base/context_of.hpp"
#include "base/log.hpp"
#include "base/machine.hpp"
#include "distributed/comm/communicator.hpp"

namespace tenfold::dist_impl {

int threads_per_rank(communicator &comm) {
    MPI_Comm node = MPI_COMM_NULL;
    comm.check(
        MPI_Comm_split_type(comm.handle(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
    int ranks = 1;
    int rank = 0;
    MPI_Comm_size(node, &ranks);
    MPI_Comm_rank(node, &rank);

    // Launchers bind each rank to a core, to a socket, or not at all. In every case the union of
    // the masks holds the cores that the ranks have together.
    cpu_set_t mine;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_SET(0, &mine);
    cpu_set_t all;
    comm.check(MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, node), "MPI_Allreduce");

    // machine::cores is smaller than the mask where a cgroup's quota limits it.
    const int cores = base::machine_of(context::global()).cores;
    const int quota = cores < CPU_COUNT(&mine) ? cores : INT_MAX;
    int least_quota = INT_MAX;
    comm.check(MPI_Allreduce(&quota, &least_quota, 1, MPI_INT, MPI_MIN, node), "MPI_Allreduce");
    comm.check(MPI_Comm_free(&node), "MPI_Comm_free");

    const int usable = std::min(CPU_COUNT(&all), least_quota);
    comm.set_crowded(ranks > usable);
    if (rank == 0 && ranks > usable)
        base::log(context::global().settings().log_level, base::log_level::warn,
                  std::to_string(ranks) + " ranks share " + std::to_string(usable) + " cores");
    return std::max(1, usable / ranks);
}

} // namespace tenfold::dist_impl
