/// Writes an H-matrix leaf after leaf into FILE.partial, which is renamed to FILE when all is
/// durable; of a striped matrix into such a file of each.
///
/// A journal beside the file has each completed segment (a run of leaves in whole pages), with the
/// ranks of its leaves and its checksum. The next writer of the same matrix reads these segments
/// back, and resumes after the last valid one. The journal of another matrix is discarded.
///
/// finish() does not read the file back: every reader compares each page with its checksum
/// (format.hpp), which was computed from our memory.
///
/// Several threads collect, write and checksum the segments, each one segment at a time. One thread
/// does each of these at 2 to 4 GB/s, less than a GPU makes and a file system in memory takes.
#pragma once

#include "watari/files/aligned.hpp"
#include "watari/files/partial/partial_stripes.hpp"
#include "watari/hmatrix/file/format.hpp"
#include "watari/hmatrix/tree/tree.hpp"
#include "watari/measure/thread_team.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace watari::hmatrix {

/// Leaves that are written at once: one, or several in at most segment_bytes.
struct segment {
    std::uint64_t offset, bytes;  ///< multiples of page_bytes
    std::uint64_t first_leaf, leaves;
    std::uint64_t checksum;
};
inline constexpr std::size_t segment_bytes = std::size_t{1} << 20;

/// A leaf in the format of the file.
struct leaf_data {
    std::uint32_t rank;  ///< or `dense`
    const std::byte* bytes;
};

class matrix_writer {
public:
    /// `leaves` are all leaves of the file, in their order. Throws file_error, and usage_error if
    /// another run writes the file.
    matrix_writer(const matrix_paths& paths, const identity& of, std::span<const block> leaves);
    matrix_writer(const matrix_writer&) = delete;
    matrix_writer& operator=(const matrix_writer&) = delete;
    /// Keeps an unfinished file from which the next run can resume, and removes any other.
    ~matrix_writer();

    /// Leaves so far: those of an earlier run, and those that were appended.
    std::size_t leaves() const { return index_.leaves.size(); }
    std::uint64_t bytes() const { return end_; }

    /// Appends the next leaves: writes the segments that they complete, and copies the remaining
    /// leaves. Throws file_error.
    void append(std::span<const leaf_data> leaves);
    /// Makes the completed segments durable.
    void checkpoint();
    /// Writes the index and the head, and gives the file its name. Throws file_error.
    void finish(std::span<const std::uint32_t> order);

private:
    /// A segment that is not complete. Its leaves lie in the caller's memory, or in `kept` if an
    /// earlier call appended them.
    struct open_segment {
        std::uint64_t bytes = 0, leaves = 0;  ///< so far
        std::vector<std::span<const std::byte>> pieces{};
        std::vector<std::byte> kept{};
    };

    void resume();
    void remove_if_useless();
    bool accept(const segment& of, std::span<const std::uint32_t> ranks);
    std::uint64_t add(std::span<const std::uint64_t> sums);
    leaf_record placed(std::size_t leaf, std::uint32_t rank, std::uint64_t at) const;
    std::uint64_t size_of(const leaf_record& leaf) const;
    static void collect(const open_segment& from, std::span<std::byte> to);
    void write(std::vector<open_segment> complete);
    /// Calls work(thread, i) for each i < count, by the team.
    void by_threads(std::size_t count,
                    const std::function<void(std::size_t thread, std::size_t i)>& work);

    std::string path_;  ///< of the first file
    std::span<const block> blocks_;
    matrix_index index_;
    files::partial_stripes file_;
    bool in_memory_;
    files::descriptor journal_;
    measure::thread_team team_;
    std::string entries_;  ///< of the journal; written once their segments are durable
    open_segment open_;
    std::uint64_t end_ = page_bytes;  ///< of the last completed segment
    bool finished_ = false;
};

}  // namespace watari::hmatrix
