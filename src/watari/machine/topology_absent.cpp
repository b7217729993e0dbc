// The topology without hwloc: sysconf, and the few sysfs files that need no interpretation.
#include "watari/machine/topology.hpp"

#include "watari/core/text_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include <unistd.h>

namespace watari::machine {
namespace {

namespace fs = std::filesystem;

/// Numbers N of the entries `<prefix>N` of a folder, in order.
std::set<int> numbered(const std::string& folder, const std::string& prefix) {
    std::set<int> numbers;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename();
        const std::string digits = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
        if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos)
            numbers.insert(std::stoi(digits));
    }
    return numbers;
}

std::uint64_t node_bytes(const std::string& folder) {
    const std::string text = text_of(folder + "/meminfo").value_or("");
    const auto found = text.find("MemTotal:");  // "Node 0 MemTotal:  6383828 kB"
    const auto digits = text.find_first_of("0123456789", found);
    return found == text.npos || digits == text.npos
               ? 0
               : std::strtoull(text.c_str() + digits, nullptr, 10) * 1024;
}

std::vector<numa_node> numa_nodes() {
    const std::string base = "/sys/devices/system/node";
    std::vector<numa_node> nodes;
    for (const int node : numbered(base, "node")) {
        const std::string folder = base + "/node" + std::to_string(node);
        const std::string cpus = read_line(folder + "/cpulist").value_or("");
        const std::uint64_t bytes = node_bytes(folder);
        if (!cpus.empty() || bytes > 0) {
            nodes.push_back({node, cpus, bytes});
        }
    }
    return nodes;
}

/// "32K", "32768K" or "2M" of sysfs, in bytes.
std::uint64_t cache_bytes(const std::string& text) {
    if (text.empty() || text.find_first_not_of("0123456789KM") != std::string::npos) return 0;
    return std::stoull(text) << (text.back() == 'M' ? 20 : text.back() == 'K' ? 10 : 0);
}

/// One cache is one set of CPUs that share it.
std::vector<cache> caches(const std::string& base, const std::set<int>& cpus) {
    std::map<std::pair<int, std::string>, std::pair<std::uint64_t, std::set<std::string>>> found;
    for (const int cpu : cpus) {
        const std::string folder = base + "/cpu" + std::to_string(cpu) + "/cache";
        for (const int index : numbered(folder, "index")) {
            const std::string file = folder + "/index" + std::to_string(index);
            std::string kind = read_line(file + "/type").value_or("Unified");
            std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return tolower(c); });
            const std::string level = read_line(file + "/level").value_or("");
            if (level.size() != 1 || level[0] < '1' || level[0] > '9') continue;
            auto& [bytes, sharers] = found[{level[0] - '0', kind}];
            bytes = std::max(bytes, cache_bytes(read_line(file + "/size").value_or("")));
            sharers.insert(read_line(file + "/shared_cpu_list").value_or(std::to_string(cpu)));
        }
    }
    std::vector<cache> result;
    for (const auto& [key, value] : found) {
        result.push_back(
            {key.first, key.second, value.first, static_cast<int>(value.second.size())});
    }
    return result;
}

}  // namespace

topology read_topology() {
    const std::string base = "/sys/devices/system/cpu";
    const std::set<int> cpus = numbered(base, "cpu");
    std::set<std::string> packages;
    std::set<std::string> cores;
    for (const int cpu : cpus) {
        const std::string folder = base + "/cpu" + std::to_string(cpu) + "/topology";
        packages.insert(read_line(folder + "/physical_package_id").value_or("0"));
        cores.insert(read_line(folder + "/thread_siblings_list").value_or(std::to_string(cpu)));
    }
    const auto threads = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    return {.architecture = architecture(),
            .name = cpu_name(),
            .packages = std::max<int>(1, static_cast<int>(packages.size())),
            .cores = cores.empty() ? threads : static_cast<int>(cores.size()),
            .threads = threads,
            .numa_nodes = numa_nodes(),
            .caches = caches(base, cpus)};
}

bool hwloc_available() { return false; }

std::string hwloc_version() { return ""; }

}  // namespace watari::machine
