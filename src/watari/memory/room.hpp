/// Is there room for several arrays together? Asked before any is allocated, since pages that
/// nobody has touched do not yet count as used.
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

/// Throws unsupported for a kind that is not here, beyond_memory when what shares one memory is
/// more than it has (unless `oversubscribe` was given), with advice.
void require_room(std::span<const demand> demands,
                  const std::string& advice = smaller_or_oversubscribed);

/// Throws beyond_memory where RLIMIT_AS (`ulimit -v`) does not leave so many bytes of addresses.
void require_addresses(std::size_t bytes, const std::string& what, const std::string& advice);

}  // namespace watari::memory
