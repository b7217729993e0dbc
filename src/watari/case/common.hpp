#pragma once

#include <cstddef>

namespace watari::cases {

/// Parameters that several cases share.
struct common {
    std::size_t size = 0;
    std::size_t samples = 1;
    int threads = 1;
    bool oversubscribe = false;
};

}  // namespace watari::cases
