// The plan of a copy from the environment, for measurements: PIECE and SLOTS; STORES=plain keeps
// slots in the caches.
#include <cstdlib>

#include "../../../src/attach/preload/staged/plan.hpp"

namespace attach::staged {

std::size_t lane_of(std::size_t) { return most_lane; }

plan plan_of(std::size_t, bool, std::size_t) {
    const char* piece = std::getenv("PIECE");
    const char* slots = std::getenv("SLOTS");
    return {piece ? std::strtoul(piece, nullptr, 10) : unit,
            slots ? static_cast<unsigned>(std::atoi(slots)) : 16, !std::getenv("STORES")};
}

}  // namespace attach::staged
