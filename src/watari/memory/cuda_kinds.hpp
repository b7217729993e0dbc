/// The functions behind the rows of the table that need CUDA: cuda_kinds.cpp, or without CUDA
/// cuda_kinds_absent.cpp, which reports the reason.
#pragma once

#include "watari/memory/kind.hpp"

namespace watari::memory::cuda {

/// The reason why there is no such memory; empty if there is.
std::string no_gpu(int device);
std::string no_managed(int device);
std::string no_system(int device);

std::size_t available_device(int device);
/// The GPU's free memory when the process held no managed memory, less what it holds; at most the
/// CPU's available memory. Managed memory beyond the GPU's free memory hangs some drivers.
std::size_t available_managed(int device);

void* allocate_pinned(std::size_t bytes, const placement& how);
void* allocate_device(std::size_t bytes, const placement& how);
void* allocate_managed(std::size_t bytes, const placement& how);

void release_pinned(void* data, std::size_t bytes, const placement& how) noexcept;
void release_device(void* data, std::size_t bytes, const placement& how) noexcept;
void release_managed(void* data, std::size_t bytes, const placement& how) noexcept;

}  // namespace watari::memory::cuda
