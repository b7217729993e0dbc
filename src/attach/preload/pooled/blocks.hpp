// The blocks of GPU memory that may be kept: those in use by address, those that are kept by age.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../driver/driver.hpp"

namespace attach::pooled {

struct block {
    driver::device_pointer pointer;
    std::size_t bytes;
    const void* made_in;  // the context
    driver::device device;
    std::uint64_t nanoseconds;  // that the driver took to make it
    bool is_shared;

    bool contains(driver::device_pointer address) const { return address - pointer < bytes; }
};

// Blocks that the program uses. A table that doubles; the caller holds the lock (lock.hpp).
class used_blocks {
public:
    bool is_empty() const { return count == 0; }
    // Without memory for it, the block is not kept later.
    void add(const block& made);
    // Removes the block at this address. False: there is none.
    bool remove(driver::device_pointer pointer, block& removed);
    // Calls `act` on each block; one for which it returns false is removed.
    template <class Act>
    void each(Act act) {
        for (std::size_t i = 0; i < size; ++i)
            for (node** at = &buckets[i]; *at;) at = act((*at)->held) ? &(*at)->next : drop(at);
    }

private:
    struct node {
        block held;
        node* next;
    };
    node*& bucket(driver::device_pointer pointer);
    node** drop(node** at);
    bool grow();
    node** buckets = nullptr;
    node* spare = nullptr;  // nodes are used again, and never freed
    std::size_t size = 0, count = 0;
};

// Blocks that are kept, the oldest first. The caller holds the lock.
class kept_blocks {
public:
    static constexpr int most = 256;
    bool is_empty() const { return __atomic_load_n(&count, __ATOMIC_RELAXED) == 0; }
    bool is_full() const { return count == most; }
    void add(const block& freed);
    std::size_t bytes_of(driver::device device) const;
    // Removes the first block for which `is_it` is true. False: there is none.
    template <class IsIt>
    bool remove(IsIt is_it, block& removed) {
        for (int i = 0; i < count; ++i)
            if (is_it(blocks[i])) {
                removed = blocks[i];
                close_gap(i);
                return true;
            }
        return false;
    }

private:
    void close_gap(int at);
    block blocks[most];
    int count = 0;
};

}  // namespace attach::pooled
