// One copy by pieces, from its first piece to its end.
#pragma once

#include <cstdint>

#include "../driver.hpp"
#include "lanes.hpp"

namespace attach::staged {

struct transfer {
    unsigned char* host;
    driver::device_pointer device;
    std::size_t bytes;
    bool is_to_host;
    bool waits;  // until the GPU has every byte
    driver::stream on;
};

struct outcome {
    driver::result result;
    std::uint64_t begun;  // when the GPU was ready: earlier work of the stream had ended
};

// Returns when every byte of the program's memory was read, or written.
outcome run(lane& in, const transfer& asked);

}  // namespace attach::staged
