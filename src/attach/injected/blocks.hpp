// Which parts of all memory are read-mostly in a sampled launch: writes are seen there
// (sample.cpp). 64 MiB at most, since writes to such pages are slow: half a second for these. Small
// allocations come first, as a whole, up to half of that. Of the others a block of 2 MiB in each
// stride is read-mostly, in the order of their addresses; of those smaller than a stride some have
// none. Each launch of a kernel has its own: 16 of them see all of memory up to half a GiB.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace watari::attach {

inline constexpr std::size_t block = std::size_t{2} << 20;   // the driver keeps its hints by such
inline constexpr std::size_t most_read_mostly = 32 * block;  // and at most a block more
inline constexpr std::size_t turns = 16;                     // until blocks are where they were

using device_address = unsigned long long;  // CUdeviceptr

struct range {
    device_address begin;
    std::size_t size;
};

// By allocation; nothing of one that has no read-mostly part.
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
    // of the next block, from the begin of an allocation
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
