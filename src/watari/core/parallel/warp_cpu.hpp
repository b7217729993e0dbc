/// core/parallel/warp.hpp for the CPU: a group is one thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

namespace watari::cpu {

struct group {
    static group active() { return {}; }
    static group together(const void*) { return {}; }
    constexpr unsigned rank() const { return 0; }
    constexpr unsigned size() const { return 1; }
    constexpr bool leads() const { return true; }
    template <class Value>
    constexpr Value broadcast(Value value, unsigned = 0) const {
        return value;
    }
    template <class Value>
    constexpr Value sum(Value value) const {
        return value;
    }
    constexpr bool all(bool condition) const { return condition; }
    /// Number of consecutive threads, from rank 0 on, whose condition is true.
    constexpr unsigned leading(bool condition) const { return condition; }
    constexpr void sync() const {}
};

/// Loads that a thread keeps in flight at once: the processor looks ahead by itself.
inline constexpr unsigned loads_under_way = 1;

/// Whether other threads know this memory by the same address.
inline bool is_global(const void*) { return true; }

/// Copies bytes with all threads of a group, which pass the same values.
inline void copy_bytes(const group&, void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
}

/// Makes the copy of each thread of a group, with all of its threads.
inline void copy_each(const group&, void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
}

/// A number of this warp, used to spread work.
inline unsigned warp_number() {
    static std::atomic<unsigned> next{0};
    thread_local const unsigned own = next.fetch_add(1, std::memory_order_relaxed);
    return own;
}

}  // namespace watari::cpu
