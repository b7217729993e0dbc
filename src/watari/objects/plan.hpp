/// The requests by which ranges of an object are read: ranges that follow each other are one
/// request, and a long one is several, so that they are in flight together.
#pragma once

#include <sys/uio.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace watari::objects {

/// Bytes of the largest request that reads.
inline constexpr std::size_t longest_read = std::size_t{8} << 20;

struct range {
    std::uint64_t offset;
    std::span<std::byte> into;
};

struct planned_read {
    std::uint64_t offset;
    std::size_t bytes;
    std::vector<iovec> into;
};

/// Plans the ranges in their order; empty ones need no request.
std::vector<planned_read> plan_reads(std::span<const range> ranges,
                                     std::size_t longest = longest_read);

}  // namespace watari::objects
