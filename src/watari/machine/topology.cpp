// The topology by hwloc 2.
#include "watari/machine/topology.hpp"

#include "watari/core/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include <hwloc.h>

namespace watari::machine {
namespace {

using handle = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

handle load() {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) throw system_error("hwloc_topology_init", errno);
    handle loaded(raw, &hwloc_topology_destroy);
    // hwloc leaves instruction caches out unless asked.
    hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(raw) != 0) throw system_error("hwloc_topology_load", errno);
    return loaded;
}

int count(const handle& loaded, hwloc_obj_type_t type) {
    return std::max(0, hwloc_get_nbobjs_by_type(loaded.get(), type));
}

const char* kind_name(hwloc_obj_cache_type_t kind) {
    switch (kind) {
        case HWLOC_OBJ_CACHE_DATA:
            return "data";
        case HWLOC_OBJ_CACHE_INSTRUCTION:
            return "instruction";
        default:
            return "unified";
    }
}

/// A set of CPUs as "0-15,32-47".
std::string list(hwloc_const_cpuset_t cpus) {
    char* text = nullptr;
    if (hwloc_bitmap_list_asprintf(&text, cpus) < 0) return "";
    const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
    return text;
}

std::vector<numa_node> numa_nodes(const handle& loaded) {
    std::vector<numa_node> nodes;
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(loaded.get(), HWLOC_OBJ_NUMANODE, object))) {
        const std::string path =
            "/sys/devices/system/node/node" + std::to_string(object->os_index) + "/cpulist";
        // hwloc gives a node without CPUs the CPUs of its neighbours; the kernel says "".
        const bool memory_only = read_line(path).value_or("0").empty();
        const std::string cpus = memory_only ? "" : list(object->cpuset);
        const std::uint64_t bytes = object->attr->numanode.local_memory;
        // A GH200 keeps empty nodes in reserve for the parts of a partitioned GPU.
        if (!cpus.empty() || bytes > 0) {
            nodes.push_back({static_cast<int>(object->os_index), cpus, bytes});
        }
    }
    return nodes;
}

std::vector<cache> caches(const handle& loaded) {
    std::vector<cache> found;
    for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L3ICACHE; ++type) {
        hwloc_obj_t object = nullptr;
        cache all;
        while ((object = hwloc_get_next_obj_by_type(loaded.get(),
                                                    static_cast<hwloc_obj_type_t>(type), object))) {
            const auto& attributes = object->attr->cache;
            all.level = static_cast<int>(attributes.depth);
            all.kind = kind_name(attributes.type);
            all.bytes = std::max(all.bytes, static_cast<std::uint64_t>(attributes.size));
            ++all.count;
        }
        if (all.count > 0) found.push_back(all);
    }
    std::ranges::stable_sort(found, {}, &cache::level);
    return found;
}

}  // namespace

topology read_topology() {
    const handle loaded = load();
    const hwloc_obj_t package = hwloc_get_obj_by_type(loaded.get(), HWLOC_OBJ_PACKAGE, 0);
    const char* model =
        package != nullptr ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
    const int cores = count(loaded, HWLOC_OBJ_CORE), threads = count(loaded, HWLOC_OBJ_PU);
    return {.architecture = architecture(),
            .name = model != nullptr ? model : cpu_name(),
            .packages = std::max(1, count(loaded, HWLOC_OBJ_PACKAGE)),
            .cores = cores > 0 ? cores : threads,
            .threads = threads,
            .numa_nodes = numa_nodes(loaded),
            .caches = caches(loaded)};
}

bool hwloc_available() { return true; }

std::string hwloc_version() {
    const unsigned version = hwloc_get_api_version();
    return std::to_string(version >> 16) + "." + std::to_string((version >> 8) & 0xff) + "." +
           std::to_string(version & 0xff);
}

}  // namespace watari::machine
