/// The default number of requests that a thread keeps in flight. The axes of the cases read these
/// numbers from the Python module.
#pragma once

#include "watari/storage/engines/engine.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace watari::storage {

inline constexpr std::size_t usual_depth = 32;
inline constexpr std::size_t least_gpu_depth = 2, most_gpu_depth = 256;
/// Limits for a disk: further requests only wait in its queue.
inline constexpr std::size_t most_file_depth = 64, most_file_threads = 4;
/// Bytes in flight of each thread that serves a GPU. With more, data leave the CPU's cache before
/// the GPU fetches them.
inline constexpr std::size_t gpu_bytes_in_flight = std::size_t{1} << 21;

/// Returns the default depth for requests of `block` bytes. Throws usage_error for an unknown
/// engine.
inline std::size_t default_depth(const std::string& engine, std::size_t block, bool on_disk) {
    if (!engine_named(engine).deep) return 1;
    if (engine != "gpu") return usual_depth;
    const std::size_t most = on_disk ? most_file_depth : most_gpu_depth;
    return std::clamp(gpu_bytes_in_flight / std::max<std::size_t>(block, 1), least_gpu_depth, most);
}

}  // namespace watari::storage
