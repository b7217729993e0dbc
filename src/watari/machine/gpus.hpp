// The GPUs of the machine, as the CUDA runtime describes them.
//
// Only attributes are read: no context is made and no memory of a GPU is taken. A CUDA build on a
// machine without a driver, and a build without CUDA (gpus_absent.cpp), detect no GPU and report
// the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace watari::machine {

struct gpu {
    std::string name;
    std::string compute_capability;  ///< "9.0"
    int multiprocessors = 0;
    std::uint64_t l2_bytes = 0;
    std::uint64_t memory_bytes = 0;
    /// Theoretical, bytes/s: 2 x memory clock x bus width / 8; nullopt where the driver hides them.
    std::optional<double> memory_bandwidth;
    std::string pci_bus_id;                               ///< as sysfs names it: "0000:3b:00.0"
    std::optional<int> numa_node;                         ///< nearest CPU node
    std::vector<std::pair<std::string, int>> attributes;  ///< by CUDA's names; see gpus.cpp
};

struct gpu_list {
    std::vector<gpu> gpus;
    std::string reason;                    ///< why `gpus` is empty: "no GPU driver", ...
    std::optional<int> driver;             ///< highest CUDA version of the driver: 13000 is 13.0
    std::optional<int> runtime;            ///< CUDA version of the runtime in this build
    std::vector<std::vector<bool>> peers;  ///< [i][j]: GPU i can reach the memory of GPU j
};

/// Reads all visible GPUs. A machine without any is no error: `reason` has the cause. Throws
/// gpu_error.
gpu_list read_gpus();

}  // namespace watari::machine
