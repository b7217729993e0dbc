#include "plan.hpp"

namespace attach::staged {
namespace {

// From this size on a copy to the GPU comes from memory rather than from caches. Then its slots are
// best kept in them: memory is busy enough.
constexpr std::size_t beyond_caches = 192 * unit;

}  // namespace

bool is_due(std::size_t total) { return total >= least_total; }

std::size_t lane_of(std::size_t bytes, std::size_t before) {
    constexpr std::size_t part = 16;
    const std::size_t earned = (bytes + before) / part;
    const std::size_t needed = bytes < earned ? bytes : earned;
    std::size_t lane = least_lane;
    while (lane < needed && lane < most_lane) lane *= 2;
    return lane;
}

// A copy to the GPU needs its first piece soon, but threads that fill slots are slower than those
// that empty them, so that their pieces may be larger. What arrives from the GPU is read next: it
// belongs in the caches.
plan plan_of(std::size_t bytes, bool is_to_host, std::size_t lane) {
    constexpr std::size_t largest = 2 * unit;
    constexpr std::size_t least_slots = 16;
    const std::size_t pieces = is_to_host ? 64 : 16;
    std::size_t piece = least_piece;
    while (piece < largest && piece * pieces < bytes && piece * least_slots < lane) piece *= 2;
    const std::size_t slots = lane / piece;
    return {piece, static_cast<unsigned>(slots < most_slots ? slots : most_slots),
            !is_to_host && bytes < beyond_caches};
}

}  // namespace attach::staged
