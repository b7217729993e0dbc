// A lane carries one copy at a time: pinned slots, an event for each, and the pieces. A copy never
// waits for the lane of another one, since the streams of both may depend on each other through the
// program: without a free lane it goes to the driver.
#pragma once

#include "../../driver/driver.hpp"
#include "work.hpp"

namespace attach::staged {

struct lane {
    bool is_used;          // by a copy that a thread is making
    const void* context;   // of the events and the registration; null: the driver knows none
    driver::stream last;   // stream of the last copy
    unsigned last_slot;    // whose event ends that copy
    bool is_in_flight;     // the GPU may still read the slots of that copy
    unsigned char* slots;  // room for `most_lane`
    std::size_t bytes;     // of them that are pinned
    void* events[most_slots];
    attach::staged::work work;
};

// A lane of this context for a copy in this stream, null if there is none. `bytes` of its memory
// are pinned, or fewer where the driver refuses. `node`: of NUMA, or -1.
lane* take_lane(const void* context, driver::stream on, std::size_t bytes, int node);
void give_back(lane* used);

// All lanes, of which the first `lane_count()` exist.
lane& lane_at(unsigned index);
unsigned lane_count();

// The driver has destroyed this context, and with it its events and registrations.
void forget_lanes(const void* context);

// In the child of a fork, where the driver does not work and slots are not mapped.
void forget_all_lanes();

}  // namespace attach::staged
