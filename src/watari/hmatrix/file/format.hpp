/// An H-matrix in a file.
///
///     0           head: what it is, where the index lies; 4096 bytes
///     4096        batches, each a run of consecutive leaves, from a multiple of 4096 on, the end
///                 filled with zeros; a leaf begins at a multiple of 16
///     after them  index: the order of the tree, the leaves, the batches with their checksums
///
/// All numbers are little-endian, all offsets have 64 bits and count from the file's first byte.
/// A dense leaf is its entries row by row. A low-rank leaf is U V: V first, `rank` rows of
/// `columns`, then U, `rows` rows of `rank`: a row of either is what one sum reads. A checksum is
/// that of memory/rows.hpp.
#pragma once

#include "watari/core/precision.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace watari::hmatrix {

inline constexpr std::size_t batch_unit = 4096, leaf_unit = 16;
inline constexpr std::uint32_t format_version = 1;
inline constexpr std::uint32_t dense = ~std::uint32_t{0};  ///< as the rank of a leaf

/// What a matrix is made of: with equal identities the files are equal, byte by byte.
struct identity {
    std::uint64_t surface = 0;    ///< fingerprint
    std::uint64_t triangles = 0;  ///< rows and columns
    double eps = 0, eta = 0;
    std::uint64_t batch_bytes = 0;  ///< a batch has at least one leaf, and else at most these
    std::uint32_t element_bytes = 8, recompressed = 1;

    bool operator==(const identity&) const = default;
};

struct leaf_record {
    std::uint64_t offset;
    std::uint32_t row, rows, column, columns;
    std::uint32_t rank;  ///< or `dense`
    std::uint32_t batch;

    std::uint64_t elements() const {
        return rank == dense ? std::uint64_t{rows} * columns
                             : std::uint64_t{rank} * (std::uint64_t{rows} + columns);
    }
};

struct batch_record {
    std::uint64_t offset, bytes;  ///< multiples of batch_unit
    std::uint64_t first_leaf, leaves;
    std::uint64_t checksum;
};

struct file_head {
    std::array<char, 8> magic{'W', 'A', 'T', 'A', 'R', 'I', 'H', 'M'};
    std::uint32_t version = format_version, reserved = 0;
    identity of{};
    std::uint64_t leaves = 0, batches = 0;
    std::uint64_t index_offset = 0, index_bytes = 0, index_checksum = 0;
    std::uint64_t checksum = 0;  ///< of what stands before
};

/// The head and the index of a file.
struct matrix_index {
    file_head head;
    std::vector<std::uint32_t> order;
    std::vector<leaf_record> leaves;
    std::vector<batch_record> batches;

    precision type() const {
        return head.of.element_bytes == 4 ? precision::single_precision
                                          : precision::double_precision;
    }
    std::uint64_t batch_bytes() const;  ///< of all batches: what a product reads
};

/// The checksum of a range whose size is a multiple of 8.
std::uint64_t checksum_of(const void* data, std::size_t bytes);

/// The first 4096 bytes of a file, and its index.
std::string head_bytes(file_head head);
std::string index_bytes(const matrix_index& index);

/// Reads head and index. Throws file_error for what is no H-matrix, another version, a file that is
/// shorter than its index says, a checksum that is not right.
matrix_index read_index(const std::string& path);

}  // namespace watari::hmatrix
