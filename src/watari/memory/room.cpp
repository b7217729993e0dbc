#include "watari/memory/room.hpp"

#include "watari/core/error.hpp"

#include <string>

namespace watari::memory {

namespace {

bool share(const demand& one, const demand& other) {
    const bool on_gpu = one.kind == kind::device || one.kind == kind::managed;
    return row(one.kind).available == row(other.kind).available &&
           (!on_gpu || one.how.device == other.how.device);
}

}  // namespace

void require_room(std::span<const demand> demands) {
    for (const demand& one : demands) {
        const std::string name(row(one.kind).name);
        if (const std::string reason = row(one.kind).unsupported(one.how.device); !reason.empty())
            throw unsupported(name + " memory: " + reason);
        std::size_t together = 0;
        for (const demand& other : demands)
            if (share(one, other)) together += other.bytes;
        const std::size_t available = row(one.kind).available(one.how.device);
        if (together > available && !one.how.oversubscribe)
            throw beyond_memory(name + " memory for all arrays", together, available);
    }
}

}  // namespace watari::memory
