// Memory that the driver knows: what it allocated, and what programs registered.
#pragma once

#include <optional>

#include "../queue.hpp"

namespace fake {

enum class kind { device, managed, pinned, registered };

struct allocation {
    device_pointer begin;
    std::size_t bytes;
    kind of;
    int device;
    unsigned flags = 0;
    std::uint64_t identifier = 0;

    bool is_host() const { return of == kind::pinned || of == kind::registered; }
};

std::optional<allocation> find(device_pointer pointer);
queue::place place_of(device_pointer pointer);

}  // namespace fake
