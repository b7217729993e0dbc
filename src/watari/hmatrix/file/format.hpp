/// An H-matrix in a file.
///
///     0           head: identity of the matrix, offset of the index; 4096 bytes
///     4096        the leaves in their order, in whole pages of 4096 bytes, padded with zeros;
///                 a leaf begins at a multiple of 16
///     after them  index: the order of the tree, the leaves, a checksum of each page
///
/// All numbers are little-endian. All offsets have 64 bits and count from the file's first byte. A
/// dense leaf holds its entries in strips of rows (strips.hpp). A low-rank leaf U V holds V, `rank`
/// rows of `columns` elements, row by row, then U in strips; kernels.hpp gives the reason. A
/// checksum is that of memory/rows/rows.hpp. Positions count from the file's first byte; those of
/// the index from its own.
///
/// The file may be striped over several (matrix_files.hpp): offsets are those of all together.
///
/// A batch is a run of consecutive leaves, of any size, that is read at once. The file does not
/// define batches, so the same file serves every budget. Two neighbouring batches may share a page.
#pragma once

#include "watari/core/precision.hpp"
#include "watari/hmatrix/file/matrix_files.hpp"
#include "watari/hmatrix/file/strips.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace watari::hmatrix {

inline constexpr std::size_t page_bytes = 4096, leaf_unit = 16;
inline constexpr std::uint32_t format_version = 4;
inline constexpr std::uint32_t dense = ~std::uint32_t{0};  ///< rank of a dense leaf

/// The inputs of a matrix. With equal identities CPUs build equal files, byte by byte; the file of
/// a GPU has the same precision.
struct identity {
    std::uint64_t surface = 0;    ///< fingerprint
    std::uint64_t triangles = 0;  ///< rows and columns
    double eps = 0, eta = 0;
    std::uint32_t element_bytes = 8, recompressed = 1;
    std::uint32_t first_row = 0, rows = 0;  ///< rows in the file: all, or those of a rank

    bool operator==(const identity&) const = default;
};

struct leaf_record {
    std::uint64_t offset;
    std::uint32_t row, rows, column, columns;
    std::uint32_t rank;  ///< or `dense`
    std::uint32_t reserved = 0;

    leaf_rows strips() const { return {row, rows}; }
    std::uint64_t elements() const {
        return rank == dense ? std::uint64_t{rows} * columns
                             : std::uint64_t{rank} * (std::uint64_t{rows} + columns);
    }
};

/// Consecutive leaves, and the pages that have them.
struct batch {
    std::uint64_t offset, bytes;  ///< multiples of page_bytes
    std::size_t first_leaf, leaves;
};

struct file_head {
    std::array<char, 8> magic{'W', 'A', 'T', 'A', 'R', 'I', 'H', 'M'};
    std::uint32_t version = format_version;
    std::uint32_t others = 0;  ///< files over which the matrix is striped, besides the first
    identity of{};
    std::uint64_t leaves = 0;
    std::uint64_t index_offset = 0, index_bytes = 0, index_checksum = 0;
    std::uint64_t checksum = 0;  ///< of the fields before
};

/// The head and the index of a file.
struct matrix_index {
    file_head head;
    std::vector<std::uint32_t> order;
    std::vector<leaf_record> leaves;
    std::vector<std::uint64_t> sums;  ///< checksums of the pages that have leaves

    precision type() const {
        return head.of.element_bytes == 4 ? precision::single_precision
                                          : precision::double_precision;
    }
    /// Bytes of all pages that have leaves.
    std::uint64_t data_bytes() const { return head.index_offset - page_bytes; }
    /// The checksum that the index has for the page at an offset of the file.
    std::uint64_t sum_of(std::uint64_t offset) const { return sums[offset / page_bytes - 1]; }
    /// Throws file_error unless the page at this offset has its checksum `sum`.
    void require(const std::string& path, std::uint64_t offset, std::uint64_t sum) const;
};

/// Cuts the leaves into batches of at most `bytes` bytes; a larger leaf is a batch of its own. The
/// batches cover all leaves.
std::vector<batch> batches_of(const matrix_index& index, std::uint64_t bytes);

/// The checksum of a range whose size is a multiple of 8. `first` is the position of its first word
/// of 8 bytes.
std::uint64_t checksum_of(const void* data, std::size_t bytes, std::uint64_t first = 0);

/// Reads the bytes of a leaf. Throws file_error for a page with a wrong checksum.
std::string leaf_bytes(const matrix_files& from, const matrix_index& index,
                       const leaf_record& leaf);

/// The first 4096 bytes of a file, and its index.
std::string head_bytes(file_head head);
std::string index_bytes(const matrix_index& index);

/// Reads head and index. Throws file_error for a file that is not an H-matrix, another version, a
/// truncated file, another number of files, or a wrong checksum.
matrix_index read_index(const matrix_paths& paths);

}  // namespace watari::hmatrix
