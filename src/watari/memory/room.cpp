#include "watari/memory/room.hpp"

#include "watari/core/error.hpp"

#include <string>

namespace watari::memory {

namespace {

/// Managed memory must fit into the GPU beside device memory.
bool on_gpu(const demand& d) { return d.kind == kind::device || d.kind == kind::managed; }

bool share(const demand& one, const demand& other) {
    if (!on_gpu(one)) return !on_gpu(other);
    return on_gpu(other) && one.how.device == other.how.device;
}

}  // namespace

void require_room(std::span<const demand> demands, const std::string& advice) {
    for (const demand& one : demands) {
        const std::string name(row(one.kind).name);
        if (const std::string reason = row(one.kind).unsupported(one.how.device); !reason.empty())
            throw unsupported(name + " memory: " + reason);
        std::size_t together = 0;
        for (const demand& other : demands)
            if (share(one, other)) together += other.bytes;
        const std::size_t available = row(one.kind).available(one.how.device);
        if (together > available && !one.how.oversubscribe)
            throw beyond_memory(name + " memory for all arrays", together, available, advice);
    }
}

}  // namespace watari::memory
