/// What suits a product where nobody says: for products of files (product.hpp) and for case `gemm`,
/// whose axes read it from the Python module.
#pragma once

#include "watari/core/processor.hpp"
#include "watari/gemm/schedule/placement.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace watari::gemm {

/// Elements of an edge: the smallest and the largest tile that is chosen, powers of two.
inline constexpr std::size_t least_tile = 128, usual_tile = 2048;
/// Tiles that fast memory should hold at least.
inline constexpr std::size_t usual_slots = 32;

/// The engine by which the processor starts its own transfers: on a GPU `gpu`; on the CPU `uring`,
/// or `posix` where the system has no io_uring (some containers forbid it).
std::string default_engine(processor who);

/// Of a GPU what is free, less what cuBLAS and the driver take; of RAM half, since the page cache,
/// other programs and OpenBLAS want some. Two binary digits of it, so that a little more or less
/// free memory leaves schedule and bits as they are.
std::size_t default_fast_memory(processor who);

/// The largest tile of which fast memory holds some tens; `slot_bytes` is asked for the bytes of a
/// tile of so many elements along an edge.
std::size_t default_tile(std::size_t fast_memory,
                         const std::function<std::size_t(std::size_t)>& slot_bytes);

/// One a core. Half as many serve a GPU's queues and poll without pause; the other cores hand lists
/// to the GPU and wait for them. On a disk a few threads are enough.
std::size_t default_threads(const std::string& engine, std::size_t cores, bool on_disk);

/// Requests that each of these threads has in flight. On a disk neighbouring tiles' rows are one
/// request, whatever the tile.
std::size_t default_depth(const std::string& engine, bool on_disk, gemm::layout layout,
                          std::size_t tile, std::size_t element);

}  // namespace watari::gemm
