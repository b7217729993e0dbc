// How a copy is cut into pieces. A piece is read by one thread into one slot, and copied by the GPU
// from there; so small pieces begin the GPU's part early, and large ones cost fewer calls.
#pragma once

#include <cstddef>

namespace attach::staged {

// A MiB; less in tests of many copies.
constexpr std::size_t unit = WATARI_STAGED_UNIT;

// Below it the driver is as fast: its first piece is on the way sooner.
constexpr std::size_t least_copy = 4 * unit;

// Bytes of copies that could be staged, after which the threads and slots are made: they take some
// milliseconds. Earlier ones go to the driver.
constexpr std::size_t least_total = 32 * unit;

constexpr unsigned most_threads = 8;
constexpr unsigned least_threads = 3;  // two fill slots no faster than the driver does

constexpr std::size_t lane_bytes = 32 * unit;  // pinned memory of one copy at a time
constexpr unsigned most_lanes = 4;             // so 128 MiB of pinned memory at most
constexpr unsigned most_slots = 64;            // of a lane

struct plan {
    std::size_t piece;
    unsigned slots;
};

plan plan_of(std::size_t bytes);

}  // namespace attach::staged
