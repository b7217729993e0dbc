/// Writes an H-matrix leaf after leaf, into FILE.partial, which takes its name when all is durable.
///
/// A journal beside it has each completed segment (a run of leaves in whole pages), with the ranks
/// of its leaves and its checksum. The next writer of the same matrix reads these segments back,
/// and goes on after the last good one; a journal of another matrix is discarded.
///
/// Threads of their own write segments and sum them up, some at once: one thread sums up 2.3 GB/s,
/// which is less than a file system in memory takes.
#pragma once

#include "watari/files/aligned.hpp"
#include "watari/files/partial_file.hpp"
#include "watari/hmatrix/file/format.hpp"
#include "watari/hmatrix/tree/tree.hpp"

#include <deque>
#include <future>
#include <span>
#include <string>
#include <vector>

namespace watari::hmatrix {

/// What is written at once: at least one leaf, and at most segment_bytes of several.
struct segment {
    std::uint64_t offset, bytes;  ///< multiples of page_bytes
    std::uint64_t first_leaf, leaves;
    std::uint64_t checksum;
};
inline constexpr std::size_t segment_bytes = std::size_t{1} << 20;

class matrix_writer {
public:
    /// `leaves` are all leaves of the matrix, in their order. Throws file_error, usage_error (where
    /// another run writes the file).
    matrix_writer(const std::string& path, const identity& of, std::span<const block> leaves);

    /// Leaves that are in the file: those of an earlier run, and what `append` gave.
    std::size_t leaves() const { return index_.leaves.size(); }
    std::uint64_t bytes() const { return end_; }

    /// The next leaf, of this rank or `dense`, as the format has it. Throws file_error, for an
    /// earlier leaf too.
    void append(std::uint32_t rank, const std::byte* data);
    /// Completed segments become durable.
    void checkpoint();
    /// Writes the index and the head, and gives the file its name. Throws file_error.
    void finish(std::span<const std::uint32_t> order);

private:
    /// A segment on its way to the file; `sums` of its pages, once it is there.
    struct on_its_way {
        segment of;
        std::future<std::vector<std::uint64_t>> sums;
    };

    void resume();
    bool accept(const segment& of, std::span<const std::uint32_t> ranks);
    std::uint64_t add(std::span<const std::uint64_t> sums);
    void wait(std::size_t most);
    leaf_record placed(std::size_t leaf, std::uint32_t rank, std::uint64_t at) const;
    std::uint64_t size_of(const leaf_record& leaf) const;
    void close_segment();
    void write(std::uint64_t at, const void* data, std::size_t bytes) const;

    std::string path_;
    std::span<const block> blocks_;
    matrix_index index_;
    files::partial_file file_;
    files::descriptor journal_;
    std::string entries_;  ///< of the journal, that wait for their segments to be durable
    std::vector<std::byte> segment_;
    std::size_t segment_leaves_ = 0;
    std::uint64_t end_ = page_bytes;  ///< of the last completed segment
    std::deque<on_its_way> writing_;  // the last one: its end waits for the threads
};

}  // namespace watari::hmatrix
