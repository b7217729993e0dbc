#include "plan.hpp"

namespace attach::staged {

plan plan_of(std::size_t bytes) {
    constexpr std::size_t smallest = unit / 4, largest = 2 * unit;
    std::size_t piece = smallest;
    while (piece < largest && piece * 32 < bytes) piece *= 2;
    const std::size_t slots = lane_bytes / piece;
    return {piece, static_cast<unsigned>(slots < most_slots ? slots : most_slots)};
}

}  // namespace attach::staged
