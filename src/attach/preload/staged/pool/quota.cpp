// Control groups limit CPU time in each period, by two versions of files:
//
//     /proc/self/cgroup   /sys/fs/cgroup                     microseconds
//     0::/group           /group/cpu.max                     `GRANTED PERIOD`, or `max PERIOD`
//     4:cpu,cpuacct:/g    /cpu,cpuacct/g/cpu.cfs_quota_us    GRANTED, or -1
//                         /cpu,cpuacct/g/cpu.cfs_period_us   PERIOD
//
// The limits of all groups around a group hold, too. In a container the paths may be those of the
// host, and its own group the topmost one that it sees.
#include "quota.hpp"

#include <cstring>

#include "lines.hpp"

namespace attach::staged {
namespace {

constexpr char root[] = "/sys/fs/cgroup";

// The CPUs that a limit leaves, rounded down, at least one.
unsigned least_of(unsigned cpus, long granted, long period) {
    if (granted <= 0 || period <= 0) return cpus;
    const long whole = granted > period ? granted / period : 1;
    return whole < static_cast<long>(cpus) ? static_cast<unsigned>(whole) : cpus;
}

unsigned by_second_version(unsigned cpus, const char* group) {
    char path[4096], line[64];
    long granted, period;
    std::snprintf(path, sizeof path, "%s%s/cpu.max", root, group);
    if (!read_line(path, line, sizeof line) || std::sscanf(line, "%ld %ld", &granted, &period) != 2)
        return cpus;
    return least_of(cpus, granted, period);
}

bool read_number(const char* controllers, const char* group, const char* file, long& number) {
    char path[4096], line[64];
    std::snprintf(path, sizeof path, "%s/%s%s/%s", root, controllers, group, file);
    return read_line(path, line, sizeof line) && std::sscanf(line, "%ld", &number) == 1;
}

unsigned by_first_version(unsigned cpus, const char* controllers, const char* group) {
    long granted, period;
    if (!read_number(controllers, group, "cpu.cfs_quota_us", granted) ||
        !read_number(controllers, group, "cpu.cfs_period_us", period))
        return cpus;
    return least_of(cpus, granted, period);
}

// Whether a list such as `cpu,cpuacct` has the controller of CPU time.
bool has_cpu(const char* controllers) {
    for (const char* word = controllers; *word;) {
        const std::size_t length = std::strcspn(word, ",");
        if (length == 3 && std::strncmp(word, "cpu", 3) == 0) return true;
        word += length + (word[length] == ',');
    }
    return false;
}

// The least limit of a group and those around it. `line`: `4:cpu,cpuacct:/group/in/group`.
unsigned by_line(unsigned cpus, char* line) {
    line[std::strcspn(line, "\n")] = '\0';
    char* controllers = std::strchr(line, ':');
    char* group = controllers ? std::strchr(controllers + 1, ':') : nullptr;
    if (!group) return cpus;
    *group++ = '\0';
    const bool is_second = !*++controllers;
    if (!is_second && !has_cpu(controllers)) return cpus;
    for (;;) {
        cpus =
            is_second ? by_second_version(cpus, group) : by_first_version(cpus, controllers, group);
        char* last = std::strrchr(group, '/');
        if (!last) return cpus;
        *last = '\0';
    }
}

}  // namespace

unsigned cpus_of_quota(unsigned cpus) {
    std::FILE* file = std::fopen("/proc/self/cgroup", "re");
    if (!file) return cpus;
    char line[2048];
    while (std::fgets(line, sizeof line, file)) cpus = by_line(cpus, line);
    std::fclose(file);
    return cpus;
}

}  // namespace attach::staged
