#include "managed.hpp"

#include <cstdlib>

#include "../driver/device.hpp"
#include "../log/lock.hpp"
#include "settings.hpp"

namespace attach::managed {
namespace {

allocation* rows;
std::size_t count, room, bytes_of_all;

bool has_room() {
    if (count < room) return true;
    const std::size_t wanted = room ? room * 2 : 64;
    auto* more = static_cast<allocation*>(std::realloc(rows, wanted * sizeof(allocation)));
    if (!more) return false;
    rows = more;
    room = wanted;
    return true;
}

template <class IsGone>
void remove(IsGone is_gone) {
    if (!is_on() || !__atomic_load_n(&count, __ATOMIC_RELAXED)) return;
    const guard hold;
    for (std::size_t i = 0; i < count;)
        if (is_gone(rows[i])) {
            __atomic_sub_fetch(&bytes_of_all, rows[i].bytes, __ATOMIC_RELAXED);
            rows[i] = rows[--count];
        } else {
            ++i;
        }
}

}  // namespace

bool is_on() {
    const changes& chosen = settings().changes;
    return chosen.prefetched || chosen.pooled;
}

void add(driver::device_pointer pointer, std::size_t bytes, std::uint32_t site) {
    if (!is_on()) return;
    const void* context = current_context();
    const guard hold;
    if (!has_room()) return;
    rows[count++] = {pointer, bytes, site, context};
    __atomic_add_fetch(&bytes_of_all, bytes, __ATOMIC_RELAXED);
}

void forget(driver::device_pointer pointer) {
    remove([&](const allocation& one) { return one.pointer == pointer; });
}

void forget_context(const void* context) {
    remove([&](const allocation& one) { return one.made_in == context; });
}

bool holds_any() { return __atomic_load_n(&count, __ATOMIC_RELAXED) > 0; }

std::size_t total() { return __atomic_load_n(&bytes_of_all, __ATOMIC_RELAXED); }

std::size_t of_site(std::uint32_t site, allocation* found, std::size_t most) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count && kept < most; ++i)
        if (rows[i].site == site) found[kept++] = rows[i];
    return kept;
}

}  // namespace attach::managed
