// A build without CUDA: these kinds are unsupported, and say so.
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/cuda_kinds.hpp"

namespace watari::memory::cuda {

namespace {

[[noreturn]] void absent() { throw unsupported(device::absent_reason()); }

}  // namespace

std::string no_gpu(int) { return device::absent_reason(); }

std::string no_managed(int) { return device::absent_reason(); }

std::string no_system(int) { return device::absent_reason(); }

std::size_t available_device(int) { absent(); }

std::size_t available_managed(int) { absent(); }

void* allocate_pinned(std::size_t, const placement&) { absent(); }

void* allocate_device(std::size_t, const placement&) { absent(); }

void* allocate_managed(std::size_t, const placement&) { absent(); }

void release_pinned(void*, std::size_t, const placement&) noexcept {}

void release_device(void*, std::size_t, const placement&) noexcept {}

void release_managed(void*, std::size_t, const placement&) noexcept {}

}  // namespace watari::memory::cuda
