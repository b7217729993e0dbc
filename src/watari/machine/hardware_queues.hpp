// Whether copies pass kernels in CUDA's hardware queues.
#pragma once

namespace watari::machine {

/// The number of hardware queues that CUDA uses; 8 if it is not set.
inline constexpr const char* connections_variable = "CUDA_DEVICE_MAX_CONNECTIONS";

/// Whether a GPU's copy is known to pass a kernel that waits for it. With one hardware queue
/// (CUDA_DEVICE_MAX_CONNECTIONS) the copy waits if an event, a kernel or a memset is queued behind
/// that kernel; with the driver's default of 8 it does not wait. False for fewer than 8.
bool copies_pass_kernels();

}  // namespace watari::machine
