#include "mpi/payload_counter.hpp"

#include <algorithm>

#include <mpi.h>

namespace tenfold::testing {

mpi_traffic &traffic() {
    static mpi_traffic counts;
    return counts;
}

namespace {

constexpr int payload_tag = 10;

std::int64_t bytes_of(int count, MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    return std::int64_t{count} * size;
}

int other(const char *name) { return ++traffic().others[name]; }

} // namespace
} // namespace tenfold::testing

using namespace tenfold::testing;

// The linker takes these functions before MPI's own.
extern "C" {

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
    const std::int64_t bytes = bytes_of(count, type);
    if (tag == payload_tag) {
        traffic().sent += bytes;
        traffic().longest = std::max(traffic().longest, bytes);
    } else {
        traffic().control += bytes;
    }
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request) {
    if (tag == payload_tag) {
        traffic().received += bytes_of(count, type);
        traffic().received_from[from] += bytes_of(count, type);
        traffic().received_into = data;
    }
    return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Testall(int count, MPI_Request requests[], int *all, MPI_Status statuses[]) {
    if (!traffic().keeps_messages)
        return PMPI_Testall(count, requests, all, statuses);
    *all = 0;
    return MPI_SUCCESS;
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    traffic().control += bytes_of(count, type);
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request) {
    traffic().control += bytes_of(count, type);
    return PMPI_Iallreduce(in, out, count, type, op, comm, request);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    other("MPI_Send");
    return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    other("MPI_Ssend");
    return PMPI_Ssend(data, count, type, to, tag, comm);
}

int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request) {
    other("MPI_Issend");
    return PMPI_Issend(data, count, type, to, tag, comm, request);
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status) {
    other("MPI_Recv");
    return PMPI_Recv(data, count, type, from, tag, comm, status);
}

int MPI_Sendrecv(const void *sent, int send_count, MPI_Datatype send_type, int to, int send_tag,
                 void *received, int receive_count, MPI_Datatype receive_type, int from,
                 int receive_tag, MPI_Comm comm, MPI_Status *status) {
    if (send_tag == payload_tag || receive_tag == payload_tag)
        other("MPI_Sendrecv");
    traffic().control += bytes_of(send_count, send_type);
    return PMPI_Sendrecv(sent, send_count, send_type, to, send_tag, received, receive_count,
                         receive_type, from, receive_tag, comm, status);
}

int MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request) {
    other("MPI_Send_init");
    return PMPI_Send_init(data, count, type, to, tag, comm, request);
}

int MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request *request) {
    other("MPI_Recv_init");
    return PMPI_Recv_init(data, count, type, from, tag, comm, request);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    other("MPI_Bcast");
    return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Allgather(const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count,
                  MPI_Datatype out_type, MPI_Comm comm) {
    other("MPI_Allgather");
    return PMPI_Allgather(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Allgatherv(const void *in, int in_count, MPI_Datatype in_type, void *out,
                   const int counts[], const int places[], MPI_Datatype out_type, MPI_Comm comm) {
    other("MPI_Allgatherv");
    return PMPI_Allgatherv(in, in_count, in_type, out, counts, places, out_type, comm);
}

int MPI_Alltoall(const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count,
                 MPI_Datatype out_type, MPI_Comm comm) {
    other("MPI_Alltoall");
    return PMPI_Alltoall(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Alltoallv(const void *in, const int in_counts[], const int in_places[],
                  MPI_Datatype in_type, void *out, const int out_counts[], const int out_places[],
                  MPI_Datatype out_type, MPI_Comm comm) {
    other("MPI_Alltoallv");
    return PMPI_Alltoallv(in, in_counts, in_places, in_type, out, out_counts, out_places, out_type,
                          comm);
}

int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
    other("MPI_Reduce");
    return PMPI_Reduce(in, out, count, type, op, root, comm);
}

int MPI_Reduce_scatter(const void *in, void *out, const int counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
    other("MPI_Reduce_scatter");
    return PMPI_Reduce_scatter(in, out, counts, type, op, comm);
}

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win *window) {
    other("MPI_Win_create");
    return PMPI_Win_create(base, size, unit, info, comm, window);
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *window) {
    other("MPI_Win_allocate");
    return PMPI_Win_allocate(size, unit, info, comm, base, window);
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *window) {
    other("MPI_Win_allocate_shared");
    return PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
}
}
