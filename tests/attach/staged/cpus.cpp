// Preloaded: a machine with CPUS CPUs (16), on one with fewer. QUOTA: `cpu.max` of the control
// group that has this process's group in it.
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
    const auto is = [&](const char* name) { return quota && std::strcmp(path, name) == 0; };
    if (is("/proc/self/cgroup")) return of_text("0::/outer/inner\n");
    if (is("/sys/fs/cgroup/outer/inner/cpu.max")) return of_text("max 100000\n");
    if (is("/sys/fs/cgroup/outer/cpu.max")) return of_text(quota);
    static const auto real = reinterpret_cast<decltype(&std::fopen)>(dlsym(RTLD_NEXT, "fopen"));
    return real(path, mode);
}
