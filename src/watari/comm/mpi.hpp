/// The functions of MPI that the library uses, as a table. MPI is optional, and one build of Watari
/// must not be bound to one MPI: so only mpi.cpp, a separate shared object, includes mpi.h. An
/// error inside MPI ends all ranks, as MPI does by default.
#pragma once

#include <cstddef>
#include <cstdint>

namespace watari::comm {

inline constexpr int nobody = -1;  ///< no rank: messages to or from it are skipped

struct mpi_table {
    void (*start)();
    void (*finish)();
    int (*rank)();
    int (*size)();
    int (*local_rank)();  ///< among the ranks of this host
    int (*local_size)();
    /// Sends and receives `bytes` to and from each of two ranks at once; returns when all are
    /// complete.
    void (*exchange)(const int (&ranks)[2], const void* const (&send)[2], void* const (&receive)[2],
                     int bytes);
    /// Reduces in place over all ranks; each rank gets the result.
    void (*sum)(double* values, int count);
    void (*sum_integers)(std::uint64_t* values, int count);
    void (*maximum)(double* values, int count);
    void (*broadcast)(void* data, int bytes, int root);
    void (*gather)(const void* own, void* all, int bytes);  ///< every rank gets all, by rank
    void (*barrier)();
};

}  // namespace watari::comm

/// The one symbol of libwatari_mpi.so.
extern "C" const watari::comm::mpi_table* watari_mpi();
