// Loaded before MPI (LD_PRELOAD) by hunt_hang: delays some calls of each rank at random, so that
// messages and waits occur in orders that are rare otherwise.
#include <random>

#include <unistd.h>

#include <mpi.h>

namespace {

void dawdle() {
    static std::minstd_rand random(static_cast<unsigned>(getpid()));
    const unsigned drawn = static_cast<unsigned>(random()) % 1000;
    if (drawn < 2) // longer than any normal wait
        usleep(20000);
    else if (drawn < 50)
        usleep(drawn * 20);
}

} // namespace

extern "C" {

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
    dawdle();
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request) {
    dawdle();
    return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Sendrecv(const void *sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                 void *received, int received_count, MPI_Datatype received_type, int from,
                 int received_tag, MPI_Comm comm, MPI_Status *status) {
    dawdle();
    return PMPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received, received_count,
                         received_type, from, received_tag, comm, status);
}

int MPI_Waitany(int count, MPI_Request *requests, int *place, MPI_Status *status) {
    dawdle();
    return PMPI_Waitany(count, requests, place, status);
}

int MPI_Testany(int count, MPI_Request *requests, int *place, int *done, MPI_Status *status) {
    dawdle();
    return PMPI_Testany(count, requests, place, done, status);
}

int MPI_Testsome(int count, MPI_Request *requests, int *through, int *places,
                 MPI_Status *statuses) {
    dawdle();
    return PMPI_Testsome(count, requests, through, places, statuses);
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status) {
    dawdle();
    return PMPI_Test(request, done, status);
}
}
