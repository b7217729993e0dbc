// The program's managed memory while a launch is sampled: its hints are taken away, and restored
// afterwards.
#pragma once

#include "../calls/libraries.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace watari::attach {

using managed_memory = std::map<CUdeviceptr, std::size_t>;

struct held {
    CUdeviceptr pointer;
    std::size_t size;
    CUdevice preferred;  // CU_DEVICE_INVALID: nowhere
    bool is_read_mostly, is_accessed;
};

// The device of the current context; nothing without one.
std::optional<CUdevice> current_device();

// Takes the hints of this memory away. `device`: of which the hint accessed-by counts.
held hold(CUdeviceptr pointer, std::size_t size, CUdevice device);

void advise(CUdeviceptr pointer, std::size_t size, CUmem_advise advice, CUdevice device);
void prefer(const held& one, CUdevice device);
bool move(const held& one, CUdevice to, CUstream stream);
void restore(const held& one, CUdevice device);

// Waits for a stream; false if it has not finished by the deadline (CLOCK_MONOTONIC).
bool has_finished(CUstream stream, std::uint64_t deadline);

}  // namespace watari::attach
