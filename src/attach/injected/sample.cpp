// A page that the GPU touched is on the GPU when the launch has ended, and the CPU has no mapping
// of it: all memory prefers the GPU meanwhile.
//
// Writes are detected in read-mostly blocks of 2 MiB, spread over all memory (blocks.hpp). If the
// GPU reads a page of a block, each side has a copy, and the CPU keeps its mapping. If the GPU
// writes the page, the CPU loses its mapping. Then the hint read-mostly is removed: the copies of a
// page become one, at its preferred location, the GPU (CUDA driver API, cuMemAdvise:
// CU_MEM_ADVISE_UNSET_READ_MOSTLY). Not all memory is read-mostly, since writes to such pages are
// slow: on an H200 a GiB takes 12 s. Afterwards the blocks are read-mostly again until the next
// launch, so that a write of the CPU after its read faults, too.
#include "sample.hpp"

#include "pages.hpp"
#include "writer.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace watari::attach {
namespace {

using namespace std::chrono_literals;

void advise(const sampled_allocation& one, CUmem_advise advice, CUdevice device = CU_DEVICE_CPU) {
    if (driver().advise) {
        driver().advise(one.pointer, one.size, advice, device);
    }
}

void advise_blocks(const sampled_allocation& one, CUmem_advise advice) {
    for (const auto& part : one.blocks) {
        if (driver().advise) {
            driver().advise(part.begin, part.size, advice, CU_DEVICE_CPU);
        }
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

// Bytes of the read-mostly blocks that the CPU has not mapped; nothing if they cannot be read.
std::optional<std::size_t> unmapped_in_blocks(const sampled_allocation& one) {
    std::optional<std::size_t> sum = 0;
    for (const auto& part : one.blocks) {
        const auto bytes = pages::unmapped(part.begin, part.size);
        sum = sum && bytes ? std::optional{*sum + *bytes} : std::nullopt;
    }
    return sum;
}

std::size_t beyond(std::size_t bytes, std::size_t unknown) {
    return bytes > unknown ? bytes - unknown : 0;
}

}  // namespace

sample begin_sample(const std::map<CUdeviceptr, std::size_t>& managed, CUstream stream,
                    std::uint32_t correlation, unsigned turn) {
    const auto& call = driver();
    CUdevice device = 0;
    const bool has_device = call.current_device && call.current_device(&device) == CUDA_SUCCESS;
    sample made{.correlation = correlation, .stream = stream, .allocations = {}};
    std::uint64_t bytes = 0;
    auto blocks = read_mostly(managed, turn);
    for (const auto& [pointer, size] : managed) {
        sampled_allocation one{
            .pointer = pointer,
            .size = size,
            .preferred =
                hint(pointer, size, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, CU_DEVICE_INVALID),
            .is_read_mostly = hint(pointer, size, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 0) == 1,
            .blocks = std::move(blocks[pointer])};
        advise(one, CU_MEM_ADVISE_UNSET_READ_MOSTLY);
        if (call.prefetch(pointer, size, CU_DEVICE_CPU, stream) == CUDA_SUCCESS) {
            bytes += size;
            made.allocations.push_back(std::move(one));
        }
    }
    call.context_synchronize();
    for (auto& one : made.allocations) {
        if (has_device) {
            prefer(one, device);
        }
        advise_blocks(one, CU_MEM_ADVISE_SET_READ_MOSTLY);
        pages::map(one.pointer, one.size);  // pages that the calls above left unmapped
        one.unknown = pages::unmapped(one.pointer, one.size).value_or(one.size);
        one.unknown_in_blocks = one.unknown ? unmapped_in_blocks(one).value_or(one.size) : 0;
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
        const auto written = unmapped_in_blocks(allocation);
        advise_blocks(allocation, CU_MEM_ADVISE_UNSET_READ_MOSTLY);
        const auto moved = pages::unmapped(allocation.pointer, allocation.size);
        const bool is_known = written && moved;
        const auto unknown = is_known ? allocation.unknown : allocation.size;
        writer::write({.what = kind::touched,
                       .detail = static_cast<std::uint32_t>((unknown + 1023) / 1024),
                       .start = time,
                       .end = is_known ? beyond(*written, allocation.unknown_in_blocks) : 0,
                       .address = allocation.pointer,
                       .bytes = is_known ? beyond(*moved, allocation.unknown) : 0,
                       .correlation = one.correlation,
                       .flags = allocation.blocks.empty()});
        prefer(allocation, allocation.preferred);
        advise_blocks(allocation, CU_MEM_ADVISE_SET_READ_MOSTLY);
    }
    return true;
}

void end_sample(const sample& one) {
    for (const auto& allocation : one.allocations) {
        prefer(allocation, allocation.preferred);
        advise(allocation, allocation.is_read_mostly ? CU_MEM_ADVISE_SET_READ_MOSTLY
                                                     : CU_MEM_ADVISE_UNSET_READ_MOSTLY);
    }
}

}  // namespace watari::attach
