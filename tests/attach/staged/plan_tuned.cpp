// The plan of a copy from the environment, for measurements: PIECE and SLOTS.
#include <cstdlib>

#include "../../../src/attach/preload/staged/plan.hpp"

namespace attach::staged {

plan plan_of(std::size_t) {
    const char* piece = std::getenv("PIECE");
    const char* slots = std::getenv("SLOTS");
    return {piece ? std::strtoul(piece, nullptr, 10) : unit,
            slots ? static_cast<unsigned>(std::atoi(slots)) : 16};
}

}  // namespace attach::staged
