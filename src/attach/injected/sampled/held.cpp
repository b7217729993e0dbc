#include "held.hpp"

#include "../records/writer.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace watari::attach {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_devices = 16;  // of a hint accessed-by

int hint(CUdeviceptr pointer, std::size_t size, CUmem_range_attribute which, int otherwise) {
    int value = otherwise;
    const bool is_known =
        driver().range_attribute &&
        driver().range_attribute(&value, sizeof value, which, pointer, size) == CUDA_SUCCESS;
    return is_known ? value : otherwise;
}

bool is_accessed(CUdeviceptr pointer, std::size_t size, CUdevice device) {
    std::array<int, most_devices> devices{};
    devices.fill(CU_DEVICE_INVALID);
    return driver().range_attribute &&
           driver().range_attribute(devices.data(), sizeof devices,
                                    CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, pointer,
                                    size) == CUDA_SUCCESS &&
           std::find(devices.begin(), devices.end(), device) != devices.end();
}

}  // namespace

std::optional<CUdevice> current_device() {
    CUdevice device = 0;
    const bool is_known =
        driver().current_device && driver().current_device(&device) == CUDA_SUCCESS;
    return is_known ? std::optional{device} : std::nullopt;
}

void advise(CUdeviceptr pointer, std::size_t size, CUmem_advise advice, CUdevice device) {
    if (driver().advise) {
        driver().advise(pointer, size, advice, device);
    }
}

held hold(CUdeviceptr pointer, std::size_t size, CUdevice device) {
    const held one{
        .pointer = pointer,
        .size = size,
        .preferred =
            hint(pointer, size, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, CU_DEVICE_INVALID),
        .is_read_mostly = hint(pointer, size, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 0) == 1,
        .is_accessed = is_accessed(pointer, size, device)};
    advise(pointer, size, CU_MEM_ADVISE_UNSET_READ_MOSTLY, CU_DEVICE_CPU);
    if (one.preferred != CU_DEVICE_INVALID) {
        prefer(one, CU_DEVICE_INVALID);
    }
    if (one.is_accessed) {
        advise(pointer, size, CU_MEM_ADVISE_UNSET_ACCESSED_BY, device);
    }
    return one;
}

void prefer(const held& one, CUdevice device) {
    const bool is_nowhere = device == CU_DEVICE_INVALID;
    advise(
        one.pointer, one.size,
        is_nowhere ? CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION : CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
        is_nowhere ? CU_DEVICE_CPU : device);
}

bool move(const held& one, CUdevice to, CUstream stream) {
    return driver().prefetch(one.pointer, one.size, to, stream) == CUDA_SUCCESS;
}

void restore(const held& one, CUdevice device) {
    prefer(one, one.preferred);
    advise(one.pointer, one.size,
           one.is_read_mostly ? CU_MEM_ADVISE_SET_READ_MOSTLY : CU_MEM_ADVISE_UNSET_READ_MOSTLY,
           CU_DEVICE_CPU);
    if (one.is_accessed) {
        advise(one.pointer, one.size, CU_MEM_ADVISE_SET_ACCESSED_BY, device);
    }
}

bool has_finished(CUstream stream, std::uint64_t deadline) {
    while (driver().stream_query(stream) == CUDA_ERROR_NOT_READY) {
        if (writer::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(100us);
    }
    return true;
}

}  // namespace watari::attach
