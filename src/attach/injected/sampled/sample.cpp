// A page that the GPU touched is on the GPU when the launch has ended, and the CPU has no mapping
// of it: all memory prefers the GPU meanwhile. A launch whose faults are timed has no such hint.
//
// Writes are detected in read-mostly blocks of 2 MiB, spread over all memory (blocks.hpp). If the
// GPU reads a page of a block, each side has a copy, and the CPU keeps its mapping. If the GPU
// writes the page, the CPU loses its mapping. Then the hint read-mostly is removed: the copies of a
// page become one, at its preferred location, the GPU (CUDA driver API, cuMemAdvise:
// CU_MEM_ADVISE_UNSET_READ_MOSTLY). Not all memory is read-mostly, since writes to such pages are
// slow: on an H200 a GiB takes 12 s. Afterwards the blocks are read-mostly again until the next
// launch, so that a write of the CPU after its read faults, too.
#include "sample.hpp"

#include "../records/writer.hpp"
#include "pages.hpp"

#include <optional>
#include <utility>

namespace watari::attach {
namespace {

void advise_blocks(const sampled_allocation& one, CUmem_advise advice) {
    for (const auto& part : one.blocks) {
        advise(part.begin, part.size, advice, CU_DEVICE_CPU);
    }
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

sample begin_sample(const managed_memory& managed, CUstream stream, CUdevice device,
                    std::uint32_t correlation, std::optional<unsigned> turn) {
    sample made{.correlation = correlation, .stream = stream, .device = device, .allocations = {}};
    std::uint64_t bytes = 0;
    auto blocks =
        turn ? read_mostly(managed, *turn) : std::map<device_address, std::vector<range>>{};
    for (const auto& [pointer, size] : managed) {
        sampled_allocation one{.memory = hold(pointer, size, device),
                               .blocks = std::move(blocks[pointer])};
        if (move(one.memory, CU_DEVICE_CPU, stream)) {
            bytes += size;
            made.allocations.push_back(std::move(one));
        } else {
            restore(one.memory, device);
        }
    }
    driver().context_synchronize();
    for (auto& one : made.allocations) {
        const auto [pointer, size] = std::pair{one.memory.pointer, one.memory.size};
        if (turn) {
            prefer(one.memory, device);
        }
        advise_blocks(one, CU_MEM_ADVISE_SET_READ_MOSTLY);
        pages::map(pointer, size);  // pages that the calls above left unmapped
        one.unknown = pages::unmapped(pointer, size).value_or(size);
        one.unknown_in_blocks = one.unknown ? unmapped_in_blocks(one).value_or(size) : 0;
    }
    writer::write({.what = kind::evicted,
                   .detail = !turn,
                   .start = writer::now(),
                   .bytes = bytes,
                   .correlation = correlation});
    return made;
}

bool measure(sample& one, std::uint64_t deadline) {
    if (!driver().stream_query || !has_finished(one.stream, deadline)) {
        return false;
    }
    const auto time = writer::now();
    for (const auto& allocation : one.allocations) {
        const auto& memory = allocation.memory;
        const auto written = unmapped_in_blocks(allocation);
        advise_blocks(allocation, CU_MEM_ADVISE_UNSET_READ_MOSTLY);
        const auto moved = pages::unmapped(memory.pointer, memory.size);
        const bool is_known = written && moved;
        const auto unknown = is_known ? allocation.unknown : memory.size;
        const auto bytes = is_known ? beyond(*moved, allocation.unknown) : 0;
        one.touched += bytes;
        writer::write({.what = kind::touched,
                       .detail = static_cast<std::uint32_t>((unknown + 1023) / 1024),
                       .start = time,
                       .end = is_known ? beyond(*written, allocation.unknown_in_blocks) : 0,
                       .address = memory.pointer,
                       .bytes = bytes,
                       .correlation = one.correlation,
                       .flags = allocation.blocks.empty()});
        prefer(memory, memory.preferred);
        advise_blocks(allocation, CU_MEM_ADVISE_SET_READ_MOSTLY);
    }
    return true;
}

void end_sample(const sample& one) {
    for (const auto& allocation : one.allocations) {
        restore(allocation.memory, one.device);
    }
}

}  // namespace watari::attach
