// The plan of a copy from the environment, for measurements: PIECE and SLOTS; STORES=plain keeps
// slots in the caches; FIRST: bytes that are pinned at first, where none of these is given. The
// first copy starts the threads.
#include <cstdlib>

#include "../../../src/attach/preload/staged/plan.hpp"

namespace attach::staged {
namespace {

std::size_t number(const char* name, std::size_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

}  // namespace

bool is_due(std::size_t) { return true; }

std::size_t lane_of(std::size_t, std::size_t before) {
    return before ? most_lane : number("FIRST", most_lane);
}

plan plan_of(std::size_t, bool, std::size_t lane) {
    const std::size_t piece = number("PIECE", unit), slots = number("SLOTS", lane / piece);
    return {piece, static_cast<unsigned>(slots), !std::getenv("STORES")};
}

}  // namespace attach::staged
