// The CPU side of the machine: packages, cores, hardware threads, NUMA nodes, caches.
//
// Two sources stand behind read_topology(): hwloc (topology.cpp) or, in a build without it, sysconf
// and sysfs (topology_absent.cpp). CMake chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace watari::machine {

/// A NUMA node. One without CPUs is memory alone: GPU memory on GH200, or CXL memory.
struct numa_node {
    int node = 0;             ///< number of the operating system
    std::string cpus;         ///< hardware threads that are local to it: "0-15,32-47"
    std::uint64_t bytes = 0;  ///< memory
};

/// All caches of one level and kind.
struct cache {
    int level = 0;            ///< 1, 2, ...
    std::string kind;         ///< "data", "instruction" or "unified"
    std::uint64_t bytes = 0;  ///< size of one (the largest, where sizes differ)
    int count = 0;            ///< how many of them the machine has
};

struct topology {
    std::string architecture;  ///< as uname says: "x86_64", "aarch64"
    std::string name;          ///< of the CPU; empty where the system does not report it
    int packages = 0;
    int cores = 0;
    int threads = 0;  ///< hardware threads that this process may see
    std::vector<numa_node> numa_nodes;
    std::vector<cache> caches;  ///< by level
};

/// Reads the topology. A value that cannot be detected is 0 or empty. Throws system_error if hwloc
/// refuses to load it.
topology read_topology();

bool hwloc_available();
std::string hwloc_version();  ///< "2.9.0"; empty in a build without hwloc

/// First line of a (sysfs) file without the line end; nullopt where it cannot be read.
std::optional<std::string> read_line(const std::string& path);

/// "model name" of /proc/cpuinfo; empty on Arm, whose kernel does not report it.
std::string cpu_name();

/// Machine hardware name as uname(2) says it.
std::string architecture();

}  // namespace watari::machine
