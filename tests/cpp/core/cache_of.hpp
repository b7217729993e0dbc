// Sets the size of the processor's last cache, by which code chooses its stores.
#pragma once

#include "watari/core/streaming_stores.hpp"

namespace watari {

/// The last cache has `bytes` bytes during the lifetime of this object.
class cache_of {
public:
    explicit cache_of(std::size_t bytes) { cpu::last_cache = bytes; }
    ~cache_of() { cpu::last_cache = before_; }

private:
    std::size_t before_ = cpu::last_cache;
};

}  // namespace watari
