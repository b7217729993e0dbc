// Selects the parts of memory that are read-mostly in a sampled launch: writes are detected there
// (sample.cpp). 64 MiB at most, since writes to such pages are slow: half a second for 64 MiB.
// Small allocations are selected first, as a whole, up to half of this limit. Of the others one
// block of 2 MiB in each stride is selected, in the order of their addresses; some of those smaller
// than a stride have none. Each launch of a kernel has other blocks: 16 launches cover half a GiB
// of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace watari::attach {

inline constexpr std::size_t block = std::size_t{2} << 20;   // granularity of the driver's hints
inline constexpr std::size_t most_read_mostly = 32 * block;  // and at most a block more
inline constexpr std::size_t turns = 16;                     // launches until the blocks repeat

using device_address = unsigned long long;  // CUdeviceptr

struct range {
    device_address begin;
    std::size_t size;
};

// Returns the read-mostly ranges by allocation; allocations without one are absent.
inline std::map<device_address, std::vector<range>> read_mostly(
    const std::map<device_address, std::size_t>& allocations, unsigned turn) {
    std::vector<std::pair<std::size_t, device_address>> by_size;
    std::size_t left = 0;  // bytes that have no part yet
    for (const auto& [begin, size] : allocations) {
        by_size.emplace_back(size, begin);
        left += size;
    }
    std::sort(by_size.begin(), by_size.end());
    std::map<device_address, std::vector<range>> parts;
    std::size_t whole = 0;
    for (const auto& [size, begin] : by_size) {
        if (left > most_read_mostly - whole && whole + size > most_read_mostly / 2) {
            break;
        }
        parts[begin] = {{begin, size}};
        whole += size;
        left -= size;
    }
    if (left == 0) {
        return parts;
    }
    const std::size_t room = most_read_mostly - whole;
    const std::size_t stride = (left + room - 1) / room * block;
    const std::size_t step = std::max(block, stride / turns / block * block);
    // offset of the next block from the begin of an allocation
    std::size_t next = (stride / 2 + turn * step) % stride;
    for (const auto& [begin, size] : allocations) {
        if (parts.count(begin)) {
            continue;
        }
        for (; next < size; next += stride) {
            const device_address at = (begin + next) / block * block;
            const device_address from = std::max(at, begin);
            const auto end = std::min<device_address>(at + block, begin + size);
            parts[begin].push_back({from, static_cast<std::size_t>(end - from)});
        }
        next -= size;
    }
    return parts;
}

}  // namespace watari::attach
