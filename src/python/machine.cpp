// Python's view of the machine: plain dicts, in the shapes that a result file keeps.
#include "module.hpp"

#include "watari/blas/blas.hpp"
#include "watari/blas/capabilities.hpp"
#include "watari/comm/capabilities.hpp"
#include "watari/machine/capability.hpp"
#include "watari/machine/gpus.hpp"
#include "watari/machine/topology.hpp"
#include "watari/storage/capabilities.hpp"

namespace {

using namespace watari;

template <class T>
nb::object or_none(const std::optional<T>& value) {
    return value ? nb::cast(*value) : nb::none();
}

nb::object or_none(const std::string& text) { return text.empty() ? nb::none() : nb::cast(text); }

nb::dict numa_node(const machine::numa_node& node) {
    nb::dict row;
    row["node"] = node.node;
    row["cpus"] = node.cpus;
    row["bytes"] = node.bytes;
    return row;
}

nb::dict cache(const machine::cache& cache) {
    nb::dict row;
    row["level"] = cache.level;
    row["kind"] = cache.kind;
    row["bytes"] = cache.bytes;
    row["count"] = cache.count;
    return row;
}

nb::dict topology() {
    const machine::topology read = machine::read_topology();
    nb::dict result;
    result["architecture"] = read.architecture;
    result["name"] = read.name;
    result["packages"] = read.packages;
    result["cores"] = read.cores;
    result["threads"] = read.threads;
    result["numa_nodes"] = list_of(read.numa_nodes, numa_node);
    result["caches"] = list_of(read.caches, cache);
    return result;
}

nb::dict gpu(const machine::gpu& gpu) {
    nb::dict attributes;
    for (const auto& [name, value] : gpu.attributes) {
        attributes[name.c_str()] = value;
    }
    nb::dict row;
    row["name"] = gpu.name;
    row["compute_capability"] = gpu.compute_capability;
    row["multiprocessors"] = gpu.multiprocessors;
    row["l2_bytes"] = gpu.l2_bytes;
    row["memory_bytes"] = gpu.memory_bytes;
    row["memory_bandwidth"] = or_none(gpu.memory_bandwidth);
    row["pci_bus_id"] = gpu.pci_bus_id;
    row["numa_node"] = or_none(gpu.numa_node);
    row["attributes"] = attributes;
    return row;
}

nb::dict gpus() {
    const machine::gpu_list read = machine::read_gpus();
    nb::dict result;
    result["gpus"] = list_of(read.gpus, gpu);
    result["reason"] = or_none(read.reason);
    result["driver"] = or_none(read.driver);
    result["runtime"] = or_none(read.runtime);
    result["peers"] = list_of(read.peers, [](const std::vector<bool>& row) {
        return list_of(row, [](bool reachable) { return nb::bool_(reachable); });
    });
    return result;
}

nb::dict capability(const machine::capability& capability) {
    nb::dict row;
    row["name"] = capability.name;
    row["available"] = capability.available;
    row["reason"] = or_none(capability.reason);
    row["detail"] = or_none(capability.detail);
    return row;
}

nb::list capabilities(const std::string& blas_folder) {
    blas::set_numpy_folder(blas_folder);
    nb::list result;
    for (const auto& found : {machine::capabilities(), comm::capabilities(),
                              storage::capabilities(), blas::capabilities()}) {
        result.extend(list_of(found, capability));
    }
    return result;
}

}  // namespace

static void bind_machine(nb::module_& module) {
    module.def("topology", &topology, "The CPU side: packages, cores, NUMA nodes, caches.");
    module.def("gpus", &gpus, "The GPUs, or the reason why there is none; makes no context.");
    module.def(
        "capabilities", &capabilities, nb::arg("blas_folder") = "",
        "hwloc, MPI, cuFile, io_uring, OpenBLAS, cuBLAS: here or not, and why; `blas_folder` "
        "has the shared objects of NumPy's wheel.");
}

static const binding machine_bindings(bind_machine);
