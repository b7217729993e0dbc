// A processor's last cache, as code that chooses its stores by it sees it.
#pragma once

#include "watari/core/streaming_stores.hpp"

namespace watari {

/// Has so many bytes for as long as this lives.
class cache_of {
public:
    explicit cache_of(std::size_t bytes) { cpu::last_cache = bytes; }
    ~cache_of() { cpu::last_cache = before_; }

private:
    std::size_t before_ = cpu::last_cache;
};

}  // namespace watari
