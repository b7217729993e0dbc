/// The requests by which ranges of an object are read: ranges with small gaps between them are one
/// request, and a long one is several, so that they are in flight together.
///
/// With N requests in flight, each of which takes s seconds before its first byte, and R bytes per
/// second in all, n requests for b bytes take n s / N + b / R. So one request less is worth
///
///     g = R s / N     bytes
///
/// that are received for nothing: the gap (object_set.hpp has its values).
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
    std::vector<iovec> into;  ///< a piece without a place: bytes between two ranges
};

/// Whether bytes that begin at `offset` continue a request that ends at `end` and has room for
/// `room` bytes: after a gap only as a whole, since a part of them saves no request.
constexpr bool continues(std::uint64_t end, std::size_t room, std::uint64_t offset,
                         std::size_t bytes, std::size_t gap) {
    if (offset == end) return room > 0;
    return offset > end && offset - end <= gap && offset - end + bytes <= room;
}

/// Plans the ranges in the order of their offsets; empty ones need no request.
std::vector<planned_read> plan_reads(std::span<const range> ranges, std::size_t longest,
                                     std::size_t gap);

}  // namespace watari::objects
