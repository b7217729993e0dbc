// What CUDA's hardware queues let pass each other.
#pragma once

namespace watari::machine {

/// How many hardware queues CUDA uses; 8 without it.
inline constexpr const char* connections_variable = "CUDA_DEVICE_MAX_CONNECTIONS";

/// Whether a GPU's copy is known to get past a kernel that waits for it. With one hardware queue
/// (CUDA_DEVICE_MAX_CONNECTIONS) it waits where an event, a kernel or a memset is queued behind
/// that kernel; with the driver's default of 8 it does not. Fewer than 8 are not relied upon.
bool copies_pass_kernels();

}  // namespace watari::machine
