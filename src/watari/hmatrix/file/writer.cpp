#include "watari/hmatrix/file/writer.hpp"

#include "watari/core/error.hpp"
#include "watari/files/file_state.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace watari::hmatrix {

namespace {

std::uint64_t up(std::uint64_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// An entry of the journal: the segment, the ranks of its leaves, a checksum of both.
std::string entry_of(const segment& of, std::span<const std::uint32_t> ranks) {
    std::string text(reinterpret_cast<const char*>(&of), sizeof of);
    text.append(reinterpret_cast<const char*>(ranks.data()), ranks.size_bytes());
    text.resize(up(text.size(), 8));
    const std::uint64_t sum = checksum_of(text.data(), text.size());
    return text.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

std::string beginning_of(const identity& of) {
    std::string text(reinterpret_cast<const char*>(&of), sizeof of);
    const std::uint64_t sum = checksum_of(text.data(), text.size()) ^ format_version;
    return text.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

}  // namespace

matrix_writer::matrix_writer(const std::string& path, const identity& of,
                             std::span<const block> leaves)
    : path_(path),
      blocks_(leaves),
      file_(path),
      journal_(files::journal_path(path), O_RDWR | O_CREAT | O_CLOEXEC) {
    index_.head.of = of;
    resume();
    // the head of a file that is not finished is empty: read_index refuses it
    file_.allocate(end_, std::string(page_bytes, '\0'), index_.leaves.empty());
}

/// Takes over the segments of the journal as long as they are in the file.
void matrix_writer::resume() {
    const int journal = journal_.get();
    const std::string text = files::bytes_of(journal, 0, files::file_state::of(journal).bytes);
    const std::string begin = beginning_of(index_.head.of);
    std::size_t at = begin.size();
    if (text.starts_with(begin)) {
        segment next;
        while (at + sizeof next <= text.size()) {
            std::memcpy(&next, text.data() + at, sizeof next);
            if (next.leaves > blocks_.size() - index_.leaves.size()) break;
            const std::size_t size = up(sizeof next + 4 * next.leaves, 8) + 8;
            if (at + size > text.size()) break;
            std::vector<std::uint32_t> ranks(next.leaves);
            std::memcpy(ranks.data(), text.data() + at + sizeof next, 4 * next.leaves);
            if (text.compare(at, size, entry_of(next, ranks)) != 0 || !accept(next, ranks)) break;
            at += size;
        }
    }
    const bool resumed = at > begin.size();
    if (ftruncate(journal, resumed ? static_cast<off_t>(at) : 0) != 0)
        throw file_error(files::journal_path(path_) + ": " + std::strerror(errno));
    if (!resumed) entries_ = begin;
}

bool matrix_writer::accept(const segment& of, std::span<const std::uint32_t> ranks) {
    if (of.offset != end_ || of.first_leaf != index_.leaves.size() || of.leaves == 0 ||
        of.bytes % page_bytes != 0)
        return false;
    const std::string data = files::bytes_of(file_.get(), of.offset, of.bytes);
    if (data.size() != of.bytes || add_sums(data.data(), data.size()) != of.checksum) {
        index_.sums.resize((end_ - page_bytes) / page_bytes);
        return false;
    }
    std::uint64_t in_segment = 0;
    for (const std::uint32_t rank : ranks) {
        index_.leaves.push_back(placed(index_.leaves.size(), rank, end_ + in_segment));
        in_segment += size_of(index_.leaves.back());
    }
    end_ += of.bytes;
    return true;
}

/// Checksums of the pages behind the last segment; returns their sum.
std::uint64_t matrix_writer::add_sums(const void* data, std::size_t bytes) {
    std::uint64_t all = 0;
    for (std::size_t at = 0; at < bytes; at += page_bytes) {
        const auto* const page = static_cast<const std::byte*>(data) + at;
        index_.sums.push_back(checksum_of(page, page_bytes, (end_ + at) / 8));
        all += index_.sums.back();
    }
    return all;
}

leaf_record matrix_writer::placed(std::size_t leaf, std::uint32_t rank, std::uint64_t at) const {
    const block& b = blocks_[leaf];
    return {at, b.row, b.rows, b.column, b.columns, rank};
}

std::uint64_t matrix_writer::size_of(const leaf_record& leaf) const {
    return up(leaf.elements() * index_.head.of.element_bytes, leaf_unit);
}

void matrix_writer::append(std::uint32_t rank, const std::byte* data) {
    leaf_record leaf = placed(index_.leaves.size(), rank, 0);
    const std::uint64_t size = size_of(leaf);
    if (!segment_.empty() && segment_.size() + size > segment_bytes) close_segment();
    leaf.offset = end_ + segment_.size();
    const std::uint64_t given = leaf.elements() * index_.head.of.element_bytes;
    segment_.insert(segment_.end(), data, data + given);
    segment_.resize(leaf.offset - end_ + size);
    index_.leaves.push_back(leaf);
    ++segment_leaves_;
}

void matrix_writer::close_segment() {
    segment_.resize(up(segment_.size(), page_bytes));
    const std::size_t first = index_.leaves.size() - segment_leaves_;
    write(end_, segment_.data(), segment_.size());
    const std::uint64_t sum = add_sums(segment_.data(), segment_.size());
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = first; i < index_.leaves.size(); ++i)
        ranks.push_back(index_.leaves[i].rank);
    entries_ += entry_of({end_, segment_.size(), first, segment_leaves_, sum}, ranks);
    end_ += segment_.size();
    segment_.clear();
    segment_leaves_ = 0;
}

void matrix_writer::checkpoint() {
    file_.sync();
    const off_t at = lseek(journal_.get(), 0, SEEK_END);
    const auto size = static_cast<ssize_t>(entries_.size());
    if (pwrite(journal_.get(), entries_.data(), entries_.size(), at) != size ||
        fsync(journal_.get()) != 0)
        throw file_error(files::journal_path(path_) +
                         ": cannot be written: " + std::strerror(errno));
    entries_.clear();
}

void matrix_writer::finish(std::span<const std::uint32_t> order) {
    if (!segment_.empty()) close_segment();
    if (index_.leaves.size() != blocks_.size())
        throw file_error(path_ + ": not all leaves are there");
    index_.order.assign(order.begin(), order.end());
    const std::string index = index_bytes(index_);
    file_head& head = index_.head;
    head.leaves = index_.leaves.size();
    head.index_offset = end_;
    head.index_bytes = index.size();
    head.index_checksum = checksum_of(index.data(), index.size());
    write(end_, index.data(), index.size());
    file_.sync();
    const std::string bytes = head_bytes(head);
    write(0, bytes.data(), bytes.size());
    file_.sync();
    file_.put_in_place();
    unlink(files::journal_path(path_).c_str());
}

void matrix_writer::write(std::uint64_t at, const void* data, std::size_t bytes) {
    const auto* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t done = pwrite(file_.get(), from, bytes, static_cast<off_t>(at));
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) throw file_error(path_ + ": cannot be written: " + std::strerror(errno));
        from += done;
        at += static_cast<std::uint64_t>(done);
        bytes -= static_cast<std::size_t>(done);
    }
}

}  // namespace watari::hmatrix
