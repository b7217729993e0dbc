// One copy by pieces, from its first piece to its end.
#pragma once

#include <cstdint>

#include "../driver/driver.hpp"
#include "pool/lanes.hpp"

namespace attach::staged {

// Rows of `width` bytes: from the begin of one to that of the next.
struct rows {
    std::size_t width = 0;  // 0: all bytes are one row
    std::size_t host_pitch = 0, device_pitch = 0;

    // Bytes from the first one of so many to the last one.
    std::size_t span(std::size_t bytes, std::size_t pitch) const {
        return width ? (bytes / width - 1) * pitch + width : bytes;
    }
};

struct transfer {
    unsigned char* host;
    driver::device_pointer device;
    std::size_t bytes;
    bool is_to_host;
    bool waits;  // until the GPU has every byte
    driver::stream on;
    struct rows rows = {};

    std::size_t host_span() const { return rows.span(bytes, rows.host_pitch); }
    std::size_t device_span() const { return rows.span(bytes, rows.device_pitch); }
};

struct outcome {
    driver::result result;
    std::uint64_t begun;  // when the GPU was ready: earlier work of the stream had ended
};

// Returns when every byte of the program's memory was read, or written.
outcome run(lane& in, const transfer& asked);

}  // namespace attach::staged
