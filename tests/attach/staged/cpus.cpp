// Preloaded: a machine with CPUS CPUs (16), on one with fewer. QUOTA: `cpu.max` of the control
// group that has this process's group in it. QUOTA_1 and PERIOD_1: the same in the first version of
// control groups, microseconds.
#include <dlfcn.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int sched_getaffinity(pid_t, size_t size, cpu_set_t* cpus) noexcept {
    const char* count = std::getenv("CPUS");
    CPU_ZERO_S(size, cpus);
    for (int cpu = 0; cpu < (count ? std::atoi(count) : 16); ++cpu) CPU_SET_S(cpu, size, cpus);
    return 0;
}

static std::FILE* of_text(const char* text) {
    return fmemopen(const_cast<char*>(text), std::strlen(text), "r");
}

extern "C" std::FILE* fopen(const char* path, const char* mode) {
    const char* quota = std::getenv("QUOTA");
    const char* first = std::getenv("QUOTA_1");
    const auto is = [&](const char* name) { return std::strcmp(path, name) == 0; };
    if (quota && is("/proc/self/cgroup")) return of_text("0::/outer/inner\n");
    if (quota && is("/sys/fs/cgroup/outer/inner/cpu.max")) return of_text("max 100000\n");
    if (quota && is("/sys/fs/cgroup/outer/cpu.max")) return of_text(quota);
    if (first && is("/proc/self/cgroup"))
        return of_text("9:cpuset:/a\n4:cpu,cpuacct:/outer/inner\n0::/b\n");
    if (first && is("/sys/fs/cgroup/cpu,cpuacct/outer/inner/cpu.cfs_quota_us"))
        return of_text("-1\n");
    if (first && is("/sys/fs/cgroup/cpu,cpuacct/outer/cpu.cfs_quota_us")) return of_text(first);
    if (first && std::strstr(path, "cpu.cfs_period_us")) return of_text(std::getenv("PERIOD_1"));
    static const auto real = reinterpret_cast<decltype(&std::fopen)>(dlsym(RTLD_NEXT, "fopen"));
    return real(path, mode);
}
