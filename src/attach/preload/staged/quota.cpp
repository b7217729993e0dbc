#include "quota.hpp"

#include <cstring>

#include "lines.hpp"

namespace attach::staged {
namespace {

// `cpu.max`: microseconds of CPU time granted in each period, or `max`, and the period.
unsigned least_of(unsigned cpus, const char* group) {
    char path[4096], line[64];
    std::snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
    unsigned long granted, period;
    if (!read_line(path, line, sizeof line) ||
        std::sscanf(line, "%lu %lu", &granted, &period) != 2 || period == 0)
        return cpus;
    const unsigned long whole = granted > period ? granted / period : 1;
    return whole < cpus ? static_cast<unsigned>(whole) : cpus;
}

}  // namespace

unsigned cpus_of_quota(unsigned cpus) {
    char line[2048];
    if (!read_line("/proc/self/cgroup", line, sizeof line)) return cpus;
    char* group = std::strstr(line, "::");  // `0::/group/in/group`
    if (!group) return cpus;
    group += 2;
    group[std::strcspn(group, "\n")] = '\0';
    for (;;) {
        cpus = least_of(cpus, group);
        char* last = std::strrchr(group, '/');
        if (!last) return cpus;
        *last = '\0';
    }
}

}  // namespace attach::staged
