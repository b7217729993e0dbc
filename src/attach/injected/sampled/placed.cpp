// mapped: the CPU is the preferred location, and the GPU has a mapping (accessed-by), as in the
// style `mapped` of `watari try`.
#include "placed.hpp"

#include "../records/writer.hpp"

namespace watari::attach {
namespace {

// In a stream of its own, which waits for no other one. It is never destroyed: few launches need
// it.
void bring_to_gpu(const placed& one) {
    CUstream stream = nullptr;
    if (!driver().stream_create ||
        driver().stream_create(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) {
        return;
    }
    for (const auto& memory : one.memory) {
        advise(memory.pointer, memory.size, CU_MEM_ADVISE_UNSET_ACCESSED_BY, one.device);
        prefer(memory, one.device);
        move(memory, one.device, stream);
    }
}

}  // namespace

placed begin_placed(const managed_memory& managed, CUstream stream, CUdevice device,
                    std::uint32_t correlation, placement where) {
    placed made{.correlation = correlation,
                .stream = stream,
                .device = device,
                .where = where,
                .memory = {}};
    const auto begun = writer::now();
    const CUdevice to = where == placement::local ? device : CU_DEVICE_CPU;
    for (const auto& [pointer, size] : managed) {
        made.memory.push_back(hold(pointer, size, device));
        made.bytes += move(made.memory.back(), to, stream) ? size : 0;
    }
    driver().context_synchronize();
    if (where == placement::mapped) {
        for (const auto& one : made.memory) {
            prefer(one, CU_DEVICE_CPU);
            advise(one.pointer, one.size, CU_MEM_ADVISE_SET_ACCESSED_BY, device);
        }
    }
    const auto time = writer::now();
    made.moving = time - begun;
    writer::write({.what = kind::placed,
                   .detail = static_cast<std::uint32_t>(where),
                   .start = time,
                   .bytes = made.bytes,
                   .correlation = correlation});
    return made;
}

outcome wait_for(const placed& one, std::uint64_t most, std::uint64_t deadline) {
    const bool is_mapped = one.where == placement::mapped;
    if (has_finished(one.stream, is_mapped ? most : deadline)) {
        return outcome::ended;
    }
    if (!is_mapped) {
        return outcome::unended;
    }
    bring_to_gpu(one);
    writer::write({.what = kind::stopped, .start = writer::now(), .correlation = one.correlation});
    return has_finished(one.stream, deadline) ? outcome::stopped : outcome::unended;
}

void end_placed(const placed& one) {
    for (const auto& memory : one.memory) {
        if (one.where == placement::mapped) {
            advise(memory.pointer, memory.size, CU_MEM_ADVISE_UNSET_ACCESSED_BY, one.device);
        }
        restore(memory, one.device);
    }
}

}  // namespace watari::attach
