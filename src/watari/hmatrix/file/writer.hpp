/// Writes an H-matrix leaf after leaf, into FILE.partial, which takes its name when all is durable.
///
/// A journal beside it has each completed batch, with the ranks of its leaves and its checksum. The
/// next writer of the same matrix reads these batches back, and goes on after the last good one; a
/// journal of another matrix is discarded.
#pragma once

#include "watari/files/aligned.hpp"
#include "watari/files/partial_file.hpp"
#include "watari/hmatrix/file/format.hpp"
#include "watari/hmatrix/tree/tree.hpp"

#include <span>
#include <string>
#include <vector>

namespace watari::hmatrix {

class matrix_writer {
public:
    /// `leaves` are all leaves of the matrix, in their order. Throws file_error, usage_error (where
    /// another run writes the file).
    matrix_writer(const std::string& path, const identity& of, std::span<const block> leaves);

    /// Leaves that are in the file: those of an earlier run, and what `append` gave.
    std::size_t leaves() const { return index_.leaves.size(); }
    std::uint64_t bytes() const { return end_; }

    /// The next leaf, of this rank or `dense`, as the format has it. Throws file_error.
    void append(std::uint32_t rank, const std::byte* data);
    /// Completed batches become durable.
    void checkpoint();
    /// Writes the index and the head, and gives the file its name. Throws file_error.
    void finish(std::span<const std::uint32_t> order);

private:
    void resume();
    bool accept(const batch_record& batch, std::span<const std::uint32_t> ranks);
    leaf_record placed(std::size_t leaf, std::uint32_t rank, std::uint64_t at) const;
    std::uint64_t size_of(const leaf_record& leaf) const;
    void close_batch();
    void write(std::uint64_t at, const void* data, std::size_t bytes);

    std::string path_;
    std::span<const block> blocks_;
    matrix_index index_;
    files::partial_file file_;
    files::descriptor journal_;
    std::string entries_;  ///< of the journal, that wait for their batches to be durable
    std::vector<std::byte> batch_;
    std::size_t batch_leaves_ = 0;
    std::uint64_t end_ = batch_unit;  ///< of the last completed batch
};

}  // namespace watari::hmatrix
