/// Default values of a product's options: for products of files (product.hpp) and for case `gemm`,
/// whose axes read them from the Python module.
#pragma once

#include "watari/core/processor.hpp"
#include "watari/gemm/schedule/placement.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace watari::gemm {

/// Elements along the edge of the smallest and the largest default tile; powers of two.
inline constexpr std::size_t least_tile = 128, usual_tile = 2048;
/// Default tiles that fast memory should hold at least.
inline constexpr std::size_t usual_slots = 32;

/// Returns the engine by which the processor starts its own transfers: on a GPU `gpu`; on the CPU
/// `uring`, or `posix` if the system has no io_uring (some containers forbid it).
std::string default_engine(processor who);

/// Returns 7/8 of a GPU's free memory, since cuBLAS and the driver take some; of free RAM half, for
/// the page cache, other programs and OpenBLAS. The result is rounded down to two binary digits, so
/// that a small change of free memory changes neither the schedule nor the bits of C.
std::size_t default_fast_memory(processor who);

/// Returns the largest tile, of usual_tile, its half, ... least_tile, of which fast memory holds
/// usual_slots; else least_tile. `slot_bytes` maps the edge of a tile to its bytes.
std::size_t default_tile(std::size_t fast_memory,
                         const std::function<std::size_t(std::size_t)>& slot_bytes);

/// Returns one thread per core. For engine gpu half as many, since they poll a GPU's queues without
/// pause; the other cores pass lists to the GPU and wait for them. On a disk a few are enough.
std::size_t default_threads(const std::string& engine, std::size_t cores, bool on_disk);

/// Returns the requests in flight of each of these threads. On a disk a request covers the rows of
/// neighbouring tiles, so that the depth does not depend on the tile.
std::size_t default_depth(const std::string& engine, bool on_disk, gemm::layout layout,
                          std::size_t tile, std::size_t element);

}  // namespace watari::gemm
