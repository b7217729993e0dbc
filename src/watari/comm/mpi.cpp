// The table of comm/mpi.hpp, by the MPI that this was built with.
#include "watari/comm/mpi.hpp"

#include <mpi.h>

namespace {

MPI_Comm local = MPI_COMM_NULL;

void start() {
    int running = 0;
    MPI_Initialized(&running);
    int level = 0;
    if (!running) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
}

void finish() {
    MPI_Barrier(MPI_COMM_WORLD);  // MPI_Finalize may return before other ranks call it
    MPI_Comm_free(&local);
    MPI_Finalize();
}

template <class Ask>
int reported(Ask ask, MPI_Comm of) {
    int value = 0;
    ask(of, &value);
    return value;
}

void exchange(const int (&ranks)[2], const void* const (&send)[2], void* const (&receive)[2],
              int bytes) {
    MPI_Request requests[4];
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        const int rank = ranks[side];
        if (rank == watari::comm::nobody) continue;
        // the tag is the side by which the message leaves: one rank may be the neighbour on both
        // sides
        MPI_Irecv(receive[side], bytes, MPI_BYTE, rank, 1 - side, MPI_COMM_WORLD,
                  &requests[count++]);
        MPI_Isend(send[side], bytes, MPI_BYTE, rank, side, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

void over_all(void* values, int count, MPI_Datatype type, MPI_Op operation) {
    MPI_Allreduce(MPI_IN_PLACE, values, count, type, operation, MPI_COMM_WORLD);
}

const watari::comm::mpi_table table{
    .start = start,
    .finish = finish,
    .rank = [] { return reported(MPI_Comm_rank, MPI_COMM_WORLD); },
    .size = [] { return reported(MPI_Comm_size, MPI_COMM_WORLD); },
    .local_rank = [] { return reported(MPI_Comm_rank, local); },
    .local_size = [] { return reported(MPI_Comm_size, local); },
    .exchange = exchange,
    .sum = [](double* values, int count) { over_all(values, count, MPI_DOUBLE, MPI_SUM); },
    .sum_integers = [](std::uint64_t* values,
                       int count) { over_all(values, count, MPI_UINT64_T, MPI_SUM); },
    .maximum = [](double* values, int count) { over_all(values, count, MPI_DOUBLE, MPI_MAX); },
    .broadcast = [](void* data, int bytes,
                    int root) { MPI_Bcast(data, bytes, MPI_BYTE, root, MPI_COMM_WORLD); },
    .gather =
        [](const void* own, void* all, int bytes) {
            MPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
        },
    .barrier = [] { MPI_Barrier(MPI_COMM_WORLD); }};

}  // namespace

extern "C" const watari::comm::mpi_table* watari_mpi() { return &table; }
