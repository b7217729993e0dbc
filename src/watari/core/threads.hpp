/// The threads that the CPU's loops run on, and the CPUs of this process.
#pragma once

#include <omp.h>
#include <sched.h>

#include <cstddef>
#include <vector>

namespace watari::cpu {

/// How many threads a loop runs on, and whether each stays on its core (OMP_PROC_BIND).
struct team {
    int threads;
    bool pinned;
};

/// The team that the next loop will have.
inline team current_team() {
    return {omp_get_max_threads(), omp_get_proc_bind() != omp_proc_bind_false};
}

/// The CPUs that this process may run on: first one CPU of each core. OpenMP may have bound the
/// calling thread to one of them.
inline std::vector<int> own_cpus() {
    std::vector<std::vector<int>> places(static_cast<std::size_t>(omp_get_num_places()));
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i].resize(static_cast<std::size_t>(omp_get_place_num_procs(static_cast<int>(i))));
        omp_get_place_proc_ids(static_cast<int>(i), places[i].data());
    }
    std::vector<int> found;
    for (std::size_t sibling = 0, before = 1; before != found.size(); ++sibling) {
        before = found.size();
        for (const std::vector<int>& place : places)
            if (sibling < place.size()) found.push_back(place[sibling]);
    }
    if (!found.empty()) return found;
    cpu_set_t set;  // OpenMP binds nothing
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) found.push_back(cpu);
    return found;
}

/// Sets the number of threads of all later loops.
inline void set_threads(int threads) { omp_set_num_threads(threads); }

}  // namespace watari::cpu
