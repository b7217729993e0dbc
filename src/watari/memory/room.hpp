/// Checks the room for several arrays together, before any is allocated: untouched pages do not yet
/// count as used.
#pragma once

#include "watari/core/error.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace watari::memory {

/// `bytes` of one kind.
struct demand {
    memory::kind kind;
    std::size_t bytes;
    placement how;
};

/// Throws unsupported for a kind that the machine lacks. Throws beyond_memory, with advice, if the
/// demands on one memory exceed its room, unless `oversubscribe` is set.
void require_room(std::span<const demand> demands,
                  const std::string& advice = smaller_or_oversubscribed);

/// Throws beyond_memory if RLIMIT_AS (`ulimit -v`) leaves fewer than `bytes` of addresses.
void require_addresses(std::size_t bytes, const std::string& what, const std::string& advice);

}  // namespace watari::memory
