// How a copy is cut into pieces. A piece is read by one thread into one slot, and copied by the GPU
// from there; so small pieces begin the GPU's part early, and large ones cost fewer calls.
#pragma once

#include <cstddef>

namespace attach::staged {

// A MiB; less in tests of many copies.
constexpr std::size_t unit = WATARI_STAGED_UNIT;

// Below it the driver is as fast: its first piece is on the way sooner.
constexpr std::size_t least_copy = 4 * unit;

// The threads and slots are made when the copies that could be staged reach this total; earlier
// ones go to the driver. By then these have taken 6 to 9 ms longer than staged ones would have. A
// start costs 2 ms at once; one program, with a copy of 64 MiB, lost 20 ms for an unknown reason.
constexpr std::size_t least_total = 96 * unit;

// To memory that nobody has touched the driver copies slowly: its thread makes each page by a
// fault. So such a copy counts as one of many more bytes.
constexpr std::size_t weight_of_fresh = 8;

// Whether copies of this weight together pay for a start.
bool is_due(std::size_t total);

constexpr unsigned most_threads = 8;
constexpr unsigned least_threads = 3;  // two fill slots no faster than the driver does

// Pinned memory of one copy at a time: as much as the copies of a lane need.
constexpr std::size_t least_lane = 4 * unit, most_lane = 32 * unit;
constexpr unsigned most_lanes = 4;   // so 128 MiB of pinned memory at most
constexpr unsigned most_slots = 64;  // of a lane

constexpr std::size_t least_piece = unit / 4;

struct plan {
    std::size_t piece;
    unsigned slots;
    bool passes_caches;  // threads write past the caches
};

// The pinned memory that a copy gets: a power of 2. At first little, since pinning takes 0.2 ms a
// MiB; more when many bytes were staged `before`. Pages that a thread had made before would be
// moved where the kernel keeps some memory free of pinned pages: that may take 10 ms and more.
std::size_t lane_of(std::size_t bytes, std::size_t before);

// `lane`: bytes of pinned memory that there are.
plan plan_of(std::size_t bytes, bool is_to_host, std::size_t lane);

}  // namespace attach::staged
