// Calls of the driver that launch a kernel.
#pragma once

#include <cupti.h>
#include <cstdint>
#include <optional>
#include <vector>

namespace watari::attach {

struct launch {
    CUstream stream;
    std::uint64_t threads;
    bool is_cooperative;  // blocks wait for one another
};

// The calls to subscribe to.
std::vector<CUpti_CallbackId> launch_calls();

// Reads the parameters of a call; nothing if it launches no kernel.
std::optional<launch> launch_of(CUpti_CallbackId call, const void* parameters);

}  // namespace watari::attach
