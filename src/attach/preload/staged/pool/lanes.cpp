#include "lanes.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../driver/driver_call.hpp"

namespace attach::staged {
namespace {

using driver::result;

constinit driver_call<result(void**, unsigned)> create_event{"cuEventCreate"};
constinit driver_call<result(void*)> destroy_event{"cuEventDestroy_v2"};
constinit driver_call<result(void*)> query_event{"cuEventQuery"};
constinit driver_call<result(void*, std::size_t, unsigned)> pin{"cuMemHostRegister_v2"};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
lane lanes[most_lanes];
unsigned made = 0;
bool is_refused = false;  // the driver did not pin memory: not asked again

// Memory of this library, registered, rather than the driver's own: it stays mapped while the
// driver ends at exit, when threads may still be at work. A child of fork does not get it: pages
// that the GPU reads must not become copies.
unsigned char* map_slots(int node) {
    constexpr std::size_t huge = 2ul << 20;
    void* mapped = mmap(nullptr, most_lane + huge, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto* slots = static_cast<unsigned char*>(mapped);
    slots += -reinterpret_cast<std::uintptr_t>(slots) % huge;
    madvise(slots, most_lane, MADV_HUGEPAGE);
    madvise(slots, most_lane, MADV_DONTFORK);
    if (node >= 0 && node < 64) {
        const unsigned long nodes = 1ul << node;
        constexpr int preferred = 1;  // MPOL_PREFERRED
        syscall(SYS_mbind, slots, most_lane, preferred, &nodes, 64, 0);
    }
    return slots;
}

void destroy_events(lane& of, unsigned count) {
    for (unsigned i = 0; i < count; ++i) destroy_event(of.events[i]);
}

bool create_events(lane& of) {
    constexpr unsigned without_times = 2;  // CU_EVENT_DISABLE_TIMING
    for (unsigned i = 0; i < most_slots; ++i) {
        if (create_event(&of.events[i], without_times) == driver::success) continue;
        destroy_events(of, i);
        return false;
    }
    return true;
}

// A piece never lies in two registrations: both begin at multiples of every piece.
bool grow(lane& one, std::size_t bytes) {
    constexpr unsigned portable = 1;  // CU_MEMHOSTREGISTER_PORTABLE
    if (pin(one.slots + one.bytes, bytes - one.bytes, portable) != driver::success) return false;
    one.bytes = bytes;
    return true;
}

bool attach_to(lane& one, const void* context, std::size_t bytes, int node) {
    if (!one.slots) one.slots = map_slots(node);
    if (!one.slots || !create_events(one)) return false;
    one.bytes = 0;
    if (!grow(one, bytes)) {
        destroy_events(one, most_slots);
        return false;
    }
    one.context = context;
    one.is_in_flight = false;
    return true;
}

bool is_idle(lane& one, driver::stream on) {
    if (!one.is_in_flight || one.last == on) return true;
    if (query_event(one.events[one.last_slot]) != driver::success) return false;
    one.is_in_flight = false;
    return true;
}

lane* find_lane(const void* context, driver::stream on, std::size_t bytes, int node) {
    for (unsigned i = 0; i < made; ++i)
        if (!lanes[i].is_used && lanes[i].context == context && is_idle(lanes[i], on))
            return &lanes[i];
    if (is_refused) return nullptr;
    lane* another = nullptr;
    for (unsigned i = 0; i < made; ++i)
        if (!lanes[i].is_used && !lanes[i].context) another = &lanes[i];
    if (!another && made < most_lanes) another = &lanes[made];
    if (!another) return nullptr;
    is_refused = !attach_to(*another, context, bytes, node);
    if (is_refused) return nullptr;
    if (another == &lanes[made]) __atomic_store_n(&made, made + 1, __ATOMIC_RELEASE);
    return another;
}

}  // namespace

lane* take_lane(const void* context, driver::stream on, std::size_t bytes, int node) {
    pthread_mutex_lock(&mutex);
    lane* found = find_lane(context, on, bytes, node);
    if (found) found->is_used = true;
    if (found && found->bytes < bytes && !is_refused) is_refused = !grow(*found, bytes);
    pthread_mutex_unlock(&mutex);
    return found;
}

void give_back(lane* used) {
    pthread_mutex_lock(&mutex);
    used->is_used = false;
    pthread_mutex_unlock(&mutex);
}

lane& lane_at(unsigned index) { return lanes[index]; }

unsigned lane_count() { return __atomic_load_n(&made, __ATOMIC_ACQUIRE); }

void forget_lanes(const void* context) {
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < made; ++i)
        if (lanes[i].context == context) lanes[i].context = nullptr;
    pthread_mutex_unlock(&mutex);
}

void forget_all_lanes() {
    mutex = PTHREAD_MUTEX_INITIALIZER;
    made = 0;
    is_refused = false;
    for (lane& one : lanes) one = {};
}

}  // namespace attach::staged
