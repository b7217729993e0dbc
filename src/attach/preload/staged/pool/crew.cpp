#include "crew.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "../../driver/driver_call.hpp"
#include "../plan.hpp"
#include "lines.hpp"
#include "quota.hpp"

namespace attach::staged {
namespace {

using driver::result;

constinit driver_call<result(char*, int, driver::device)> bus_of{"cuDeviceGetPCIBusId"};

// The processes of this program on this host, as its launcher says.
unsigned ranks_here() {
    for (const char* name :
         {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE",
          "SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
        const char* text = std::getenv(name);
        const int ranks = text ? std::atoi(text) : 0;  // Slurm writes "2(x3),1"
        if (ranks > 0) return static_cast<unsigned>(ranks);
    }
    return 1;
}

int node_of(driver::device gpu) {
    char bus[32] = "", path[96], line[32];
    if (bus_of(bus, sizeof bus, gpu) != driver::success) return -1;
    for (char* letter = bus; *letter; ++letter)
        if (*letter >= 'A' && *letter <= 'F') *letter = static_cast<char>(*letter - 'A' + 'a');
    std::snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", bus);
    return read_line(path, line, sizeof line) ? std::atoi(line) : -1;
}

// The CPUs of a list such as `0-3,8-11`.
void parse(const char* list, cpu_set_t& cpus) {
    CPU_ZERO(&cpus);
    while (*list >= '0' && *list <= '9') {
        char* end;
        const auto first = std::strtoul(list, &end, 10);
        const auto last = *end == '-' ? std::strtoul(end + 1, &end, 10) : first;
        for (auto cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &cpus);
        list = *end == ',' ? end + 1 : end;
    }
}

bool has_several_nodes() {
    char line[64];
    return read_line("/sys/devices/system/node/online", line, sizeof line) &&
           std::strpbrk(line, ",-") != nullptr;
}

}  // namespace

crew crew_near(driver::device gpu) {
    crew found;
    if (sched_getaffinity(0, sizeof found.cpus, &found.cpus) != 0) return found;
    // the caller's thread works, too: it submits
    const unsigned share =
        cpus_of_quota(static_cast<unsigned>(CPU_COUNT(&found.cpus))) / ranks_here();
    found.threads = share > most_threads ? most_threads : share > 0 ? share - 1 : 0;
    if (found.threads < least_threads) found.threads = 0;
    if (!has_several_nodes()) return found;
    char path[64], line[1024];
    const int node = node_of(gpu);
    std::snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
    if (node < 0 || !read_line(path, line, sizeof line)) return found;
    cpu_set_t near;
    parse(line, near);
    CPU_AND(&near, &near, &found.cpus);
    found.node = node;
    if (CPU_COUNT(&near) >= static_cast<int>(found.threads)) found.cpus = near;
    return found;
}

}  // namespace attach::staged
