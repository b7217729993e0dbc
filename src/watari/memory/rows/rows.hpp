/// Rows of bytes in memory that a processor addresses: copied, or summed up to a checksum.
///
/// A checksum is the sum, modulo 2^64, of `mixed(word, position)` over all words of 8 bytes: a word
/// is little-endian, the last one of a row may have 4 bytes, and its position is counted row by
/// row. Any order of summation gives the same value, so the CPU, the GPU and parts of a tile agree.
///
/// Bytes: `copy` reads and writes each row once. `checksum` reads each row once and takes nine
/// integer operations a word: 2.3 GB/s on one core of a Xeon, 1 TB/s on an H200.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::memory {

struct rows {
    std::byte* data;
    std::size_t stride;  ///< bytes from one to the next
};

/// A word and its position as 64 random bits: the finaliser of splitmix64 (Steele, Lea, Flood
/// 2014).
constexpr std::uint64_t mixed(std::uint64_t word, std::uint64_t position) {
    std::uint64_t z = word + (position + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/// The kernels of one backend. Addresses, strides and bytes are multiples of 4.
struct row_kernels {
    /// On a GPU it returns before it is done.
    void (*copy)(const rows& to, const rows& from, std::size_t count, std::size_t bytes,
                 stream_t stream);
    /// sums[i] = the checksum of row i, which is row `first` + i of a tile whose rows have `bytes`
    /// each. `sums` is memory of the CPU that the processor addresses. On a GPU it returns before
    /// it is done.
    void (*checksum)(std::uint64_t* sums, const rows& of, std::size_t count, std::size_t bytes,
                     std::size_t first, stream_t stream);
    static const row_kernels cpu, gpu;
};

}  // namespace watari::memory
