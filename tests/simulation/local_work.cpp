// Local work on a simulated machine: it takes time, but touches no memory.
#include "simulation/local_work.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <smpi/smpi.h>

#include <tenfold/dist_types.hpp>

#include "base/sum_types.hpp"
#include "distributed/comm/buffers.hpp"
#include "distributed/exchange/copy_box.hpp"
#include "distributed/run/local_work.hpp"

namespace tenfold {
namespace simulation {
namespace {

machine_speed speed;
std::map<int, local_seconds> spent; // ranks are threads of one process, and take turns

local_seconds &mine() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return spent[rank];
}

/// SMPI measures work in flops.
void work_for(double seconds, double local_seconds::*kind) {
    mine().*kind += seconds;
    smpi_execute_flops(seconds * speed.flops);
}

} // namespace

void set_speed(const machine_speed &of_a_rank) { speed = of_a_rank; }
local_seconds seconds_of_this_rank() { return mine(); }

/// `times`: how often each element is read or written.
void move(const extents_t &extents, std::size_t element, int times) {
    double bytes = static_cast<double>(element) * times;
    for (const index_t extent : extents)
        bytes *= static_cast<double>(extent);
    if (bytes > 0)
        work_for(bytes / speed.memory_bandwidth, &local_seconds::copying);
}

} // namespace simulation

namespace dist_impl {

template <class T>
void copy_box(const extents_t &extents, const T *, const extents_t &, T *, const extents_t &, int) {
    simulation::move(extents, sizeof(T), 2);
}

template <class T> void update_box(const extents_t &extents, const T *, const extents_t &, T beta,
                                   T *, const extents_t &, int) {
    simulation::move(extents, sizeof(T), beta == T(0) ? 2 : 3);
}

template <class T> void combine_box(const extents_t &extents, T, const T *, const extents_t &,
                                    T beta, T *, const extents_t &, int) {
    simulation::move(extents, sizeof(T), beta == T(0) ? 2 : 3);
}

template <class T> void scale_box(const extents_t &extents, T beta, T *, const extents_t &, int) {
    if (beta != T(1))
        simulation::move(extents, sizeof(T), beta == T(0) ? 1 : 2);
}

template <class T> void round_box(const rounded_box<T> &box, T beta) {
    simulation::move(box.extents, sizeof(T), beta == T(0) ? 2 : 3);
}

extents_t dense_strides(const extents_t &extents) { return layout(extents).strides(); }

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void copy_box(const extents_t &, const T *, const extents_t &, T *,                   \
                           const extents_t &, int);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE
#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void update_box(const extents_t &, const T *, const extents_t &, T, T *,              \
                             const extents_t &, int);                                              \
    template void combine_box(const extents_t &, T, const T *, const extents_t &, T, T *,          \
                              const extents_t &, int);                                             \
    template void scale_box(const extents_t &, T, T *, const extents_t &, int);                    \
    template void round_box(const rounded_box<T> &, T);
TENFOLD_FOR_SUM_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

/// A product takes the longer time of arithmetic and memory.
status multiply(const local_product &product, const base::function_ref<void()> *meanwhile) {
    const plan_summary &work = product.plan.summary();
    const double seconds = std::max(work.flops / simulation::speed.flops,
                                    work.bytes / simulation::speed.memory_bandwidth);
    const double pieces = meanwhile == nullptr ? 1 : std::ceil(std::max(seconds * 1e3, 1.0));
    for (double piece = 0; piece < pieces; ++piece) {
        simulation::work_for(seconds / pieces, &simulation::local_seconds::multiplying);
        if (meanwhile != nullptr)
            (*meanwhile)();
    }
    return {};
}

/// SMPI does not copy messages between memory that ranks share, so that all ranks have the same
/// buffer.
buffer allocate_buffer(byte_count size) {
    return buffer(static_cast<std::byte *>(simulation::shared_memory(size)));
}

void buffer_deleter::operator()(std::byte *) const noexcept {}

} // namespace dist_impl

namespace simulation {

void *shared_memory(byte_count size) {
    static const index_t reserved = size.value; // addresses, not memory
    static void *const memory = SMPI_SHARED_MALLOC(static_cast<std::size_t>(reserved));
    if (size.value > reserved)
        throw error(errc::out_of_memory, "more than a simulated rank has");
    return memory;
}

} // namespace simulation
} // namespace tenfold
