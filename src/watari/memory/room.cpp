#include "watari/memory/room.hpp"

#include "watari/core/error.hpp"
#include "watari/memory/host.hpp"

#include <string>

namespace watari::memory {

namespace {

/// Managed memory must fit into the GPU beside device memory.
bool on_gpu(const demand& d) { return d.kind == kind::device || d.kind == kind::managed; }

/// Bytes of a page of the kernel's pool from which the memory comes; 0: from none.
std::size_t pool_page(const demand& d) { return row(d.kind).placed ? d.how.page : 0; }

bool share(const demand& one, const demand& other) {
    if (!on_gpu(one)) return !on_gpu(other) && pool_page(one) == pool_page(other);
    return on_gpu(other) && one.how.device == other.how.device;
}

std::string within(const std::string& limit) { return limit.empty() ? "" : ", within " + limit; }

}  // namespace

void require_addresses(std::size_t bytes, const std::string& what, const std::string& advice) {
    if (const std::size_t left = host::addresses_left(); bytes > left)
        throw beyond_memory(what + within("ulimit -v (RLIMIT_AS)"), bytes, left, advice);
}

void require_room(std::span<const demand> demands, const std::string& advice) {
    for (const demand& one : demands) {
        const std::string name(row(one.kind).name);
        if (const std::string reason = row(one.kind).unsupported(one.how.device); !reason.empty())
            throw unsupported(name + " memory: " + reason);
        std::size_t sum = 0, pages = 0;
        for (const demand& other : demands)
            if (share(one, other)) {
                sum += other.bytes;
                pages += host::pages_for(other.bytes, other.how);
            }
        if (pool_page(one) > 0) {
            host::require_pool(pages, one.how);
            continue;
        }
        const host::room left =
            on_gpu(one) ? host::room{row(one.kind).available(one.how.device), ""} : host::left();
        if (sum > left.bytes && !one.how.oversubscribe)
            throw beyond_memory(name + " memory for all arrays" + within(left.limit), sum,
                                left.bytes, advice);
    }
}

}  // namespace watari::memory
