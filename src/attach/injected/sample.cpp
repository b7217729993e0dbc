// Memory is read-mostly during a sampled launch. A page that the GPU reads has a copy on each side
// then, and the CPU keeps its mapping; a page that the GPU writes is on the GPU alone, and the CPU
// loses the mapping. So the pages that the CPU has no mapping of when the launch has ended are
// those that it wrote. Then read-mostly ends: the copies of a page become one, at its preferred
// location, which is the GPU. Now the pages without a mapping are those that the launch touched.
// (CUDA driver API, cuMemAdvise: CU_MEM_ADVISE_UNSET_READ_MOSTLY) Afterwards memory is read-mostly
// again until the next launch, so that a write of the CPU after its read faults too.
#include "sample.hpp"

#include "pages.hpp"
#include "writer.hpp"

#include <chrono>
#include <optional>
#include <thread>

namespace watari::attach {
namespace {

using namespace std::chrono_literals;

void advise(const sampled_allocation& one, CUmem_advise advice, CUdevice device = CU_DEVICE_CPU) {
    if (driver().advise) {
        driver().advise(one.pointer, one.size, advice, device);
    }
}

void prefer(const sampled_allocation& one, CUdevice device) {
    if (device == CU_DEVICE_INVALID) {
        advise(one, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION);
    } else {
        advise(one, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device);
    }
}

int hint(CUdeviceptr pointer, std::size_t size, CUmem_range_attribute which, int otherwise) {
    int value = otherwise;
    const bool is_known =
        driver().range_attribute &&
        driver().range_attribute(&value, sizeof value, which, pointer, size) == CUDA_SUCCESS;
    return is_known ? value : otherwise;
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

// Nothing where the page table cannot be read.
std::optional<std::size_t> gone(const sampled_allocation& one) {
    const auto bytes = pages::unmapped(one.pointer, one.size);
    return bytes ? std::optional{*bytes > one.unknown ? *bytes - one.unknown : 0} : std::nullopt;
}

}  // namespace

sample begin_sample(const std::map<CUdeviceptr, std::size_t>& managed, CUstream stream,
                    std::uint32_t correlation) {
    const auto& call = driver();
    CUdevice device = 0;
    const bool has_device = call.current_device && call.current_device(&device) == CUDA_SUCCESS;
    sample made{.correlation = correlation, .stream = stream, .allocations = {}};
    std::uint64_t bytes = 0;
    for (const auto& [pointer, size] : managed) {
        const sampled_allocation one{
            .pointer = pointer,
            .size = size,
            .preferred =
                hint(pointer, size, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, CU_DEVICE_INVALID),
            .is_read_mostly = hint(pointer, size, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 0) == 1};
        advise(one, CU_MEM_ADVISE_UNSET_READ_MOSTLY);
        if (call.prefetch(pointer, size, CU_DEVICE_CPU, stream) == CUDA_SUCCESS) {
            bytes += size;
            made.allocations.push_back(one);
        }
    }
    call.context_synchronize();
    for (auto& one : made.allocations) {
        if (has_device) {
            prefer(one, device);
        }
        advise(one, CU_MEM_ADVISE_SET_READ_MOSTLY);
        pages::map(one.pointer, one.size);  // those that the calls above left without a mapping
        one.unknown = pages::unmapped(one.pointer, one.size).value_or(one.size);
    }
    writer::write({.what = kind::evicted,
                   .start = writer::now(),
                   .bytes = bytes,
                   .correlation = correlation});
    return made;
}

bool measure(const sample& one, std::uint64_t deadline) {
    if (!driver().stream_query || !has_finished(one.stream, deadline)) {
        return false;
    }
    const auto time = writer::now();
    for (const auto& allocation : one.allocations) {
        const auto written = gone(allocation);
        advise(allocation, CU_MEM_ADVISE_UNSET_READ_MOSTLY);
        const auto moved = gone(allocation);
        const bool is_known = written && moved;
        const auto unknown = is_known ? allocation.unknown : allocation.size;
        writer::write({.what = kind::touched,
                       .detail = static_cast<std::uint32_t>((unknown + 1023) / 1024),
                       .start = time,
                       .end = is_known ? *written : 0,
                       .address = allocation.pointer,
                       .bytes = is_known ? *moved : 0,
                       .correlation = one.correlation});
        prefer(allocation, allocation.preferred);
        advise(allocation, CU_MEM_ADVISE_SET_READ_MOSTLY);
    }
    return true;
}

void end_sample(const sample& one) {
    for (const auto& allocation : one.allocations) {
        prefer(allocation, allocation.preferred);
        if (!allocation.is_read_mostly) {
            advise(allocation, CU_MEM_ADVISE_UNSET_READ_MOSTLY);
        }
    }
}

}  // namespace watari::attach
