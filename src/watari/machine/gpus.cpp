// The GPUs by the CUDA runtime, from 12.4 on.
//
// cudaDeviceProp lost its clocks in CUDA 13, so everything but the name and the memory size comes
// from cudaDeviceGetAttribute. None of these calls makes a context.
#include "watari/machine/gpus.hpp"

#include "watari/core/cuda.hpp"
#include "watari/machine/topology.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include <cuda_runtime_api.h>

namespace watari::machine {
namespace {

struct attribute {
    const char* name;
    cudaDeviceAttr id;
};

/// The attributes that decide which kinds of memory work, and how, by the names of CUDA's
/// documentation.
constexpr std::array attributes{
    attribute{"pageableMemoryAccess", cudaDevAttrPageableMemoryAccess},
    attribute{"pageableMemoryAccessUsesHostPageTables",
              cudaDevAttrPageableMemoryAccessUsesHostPageTables},
    attribute{"managedMemory", cudaDevAttrManagedMemory},
    attribute{"concurrentManagedAccess", cudaDevAttrConcurrentManagedAccess},
    attribute{"directManagedMemAccessFromHost", cudaDevAttrDirectManagedMemAccessFromHost},
    attribute{"hostNativeAtomicSupported", cudaDevAttrHostNativeAtomicSupported},
    attribute{"unifiedAddressing", cudaDevAttrUnifiedAddressing},
    attribute{"canMapHostMemory", cudaDevAttrCanMapHostMemory},
    attribute{"canUseHostPointerForRegisteredMem", cudaDevAttrCanUseHostPointerForRegisteredMem},
    attribute{"hostRegisterSupported", cudaDevAttrHostRegisterSupported},
    attribute{"memoryPoolsSupported", cudaDevAttrMemoryPoolsSupported},
    attribute{"gpuDirectRDMASupported", cudaDevAttrGPUDirectRDMASupported},
    attribute{"integrated", cudaDevAttrIntegrated},
    attribute{"asyncEngineCount", cudaDevAttrAsyncEngineCount},
    attribute{"eccEnabled", cudaDevAttrEccEnabled},
    attribute{"numaConfig", cudaDevAttrNumaConfig},  // 1: the GPU's memory is a NUMA node,
    attribute{"numaId", cudaDevAttrNumaId},          // of this number
    attribute{"memoryClockRate", cudaDevAttrMemoryClockRate},           // kHz
    attribute{"globalMemoryBusWidth", cudaDevAttrGlobalMemoryBusWidth}  // bit
};

/// An attribute that this driver does not know reads as nullopt.
std::optional<int> read(cudaDeviceAttr id, int device) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, id, device) != cudaSuccess) {
        cudaGetLastError();  // an unknown attribute is no error of the program
        return std::nullopt;
    }
    return value;
}

std::optional<int> not_negative(std::optional<int> value) {
    return value && *value >= 0 ? value : std::nullopt;
}

std::string pci_bus_id(int device) {
    std::array<char, 32> text{};
    if (cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device) != cudaSuccess)
        return "";
    std::string id = text.data();
    std::ranges::transform(id, id.begin(), [](unsigned char c) { return std::tolower(c); });
    return id;
}

std::optional<int> nearest_node(const std::string& pci, int device) {
    const auto line = read_line("/sys/bus/pci/devices/" + pci + "/numa_node");
    int node = -1;
    if (line) std::from_chars(line->data(), line->data() + line->size(), node);
    return node >= 0 ? std::optional(node) : not_negative(read(cudaDevAttrHostNumaId, device));
}

std::optional<double> bandwidth(int device) {
    const double clock = read(cudaDevAttrMemoryClockRate, device).value_or(0) * 1e3;  // Hz
    const double width = read(cudaDevAttrGlobalMemoryBusWidth, device).value_or(0) / 8.0;
    return clock * width > 0 ? std::optional(2 * clock * width) : std::nullopt;
}

std::vector<std::pair<std::string, int>> attributes_of(int device) {
    std::vector<std::pair<std::string, int>> known;
    for (const auto& [name, id] : attributes)
        if (const auto value = read(id, device)) known.emplace_back(name, *value);
    return known;
}

gpu describe(int device) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device));
    const std::string pci = pci_bus_id(device);
    return {.name = properties.name,
            .compute_capability =
                std::to_string(properties.major) + "." + std::to_string(properties.minor),
            .multiprocessors = properties.multiProcessorCount,
            .l2_bytes = static_cast<std::uint64_t>(properties.l2CacheSize),
            .memory_bytes = properties.totalGlobalMem,
            .memory_bandwidth = bandwidth(device),
            .pci_bus_id = pci,
            .numa_node = nearest_node(pci, device),
            .attributes = attributes_of(device)};
}

std::string why_none(cudaError_t status) {
    switch (status) {
        case cudaSuccess:
        case cudaErrorNoDevice: {
            const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
            return visible == nullptr
                       ? "no GPU"
                       : "no GPU (CUDA_VISIBLE_DEVICES=" + std::string(visible) + ")";
        }
        case cudaErrorInsufficientDriver: {
            int version = 0;
            cudaDriverGetVersion(&version);  // 0: no driver
            return version == 0 ? "no GPU driver"
                                : "the GPU driver is too old for the CUDA runtime of this build";
        }
        default:
            return std::string("the GPU driver fails: ") + cudaGetErrorString(status);
    }
}

std::vector<std::vector<bool>> read_peers(int count) {
    std::vector peers(static_cast<std::size_t>(count),
                      std::vector<bool>(static_cast<std::size_t>(count)));
    for (int from = 0; from < count; ++from) {
        for (int to = 0; to < count; ++to) {
            int reachable = 0;
            if (from != to && cudaDeviceCanAccessPeer(&reachable, from, to) == cudaSuccess) {
                peers[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] =
                    reachable != 0;
            }
        }
    }
    return peers;
}

std::optional<int> version(cudaError_t (*ask)(int*)) {
    int value = 0;
    return ask(&value) == cudaSuccess && value > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

gpu_list read_gpus() {
    gpu_list result;
    result.driver = version(cudaDriverGetVersion);
    result.runtime = version(cudaRuntimeGetVersion);
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        cudaGetLastError();
        result.reason = why_none(status);
        return result;
    }
    for (int device = 0; device < count; ++device) result.gpus.push_back(describe(device));
    result.peers = read_peers(count);
    return result;
}

}  // namespace watari::machine
