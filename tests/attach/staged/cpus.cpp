// Preloaded: a machine with CPUS CPUs (16), on one with fewer.
#include <sched.h>

#include <cstdlib>

extern "C" int sched_getaffinity(pid_t, size_t size, cpu_set_t* cpus) noexcept {
    const char* count = std::getenv("CPUS");
    CPU_ZERO_S(size, cpus);
    for (int cpu = 0; cpu < (count ? std::atoi(count) : 16); ++cpu) CPU_SET_S(cpu, size, cpus);
    return 0;
}
