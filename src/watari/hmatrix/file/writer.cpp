#include "watari/hmatrix/file/writer.hpp"

#include "watari/core/error.hpp"
#include "watari/files/file_state.hpp"
#include "watari/measure/thread_team.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <numeric>

namespace watari::hmatrix {

namespace {

constexpr std::size_t segments_at_once = 4;

std::uint64_t up(std::uint64_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// An entry of the journal: the segment, the ranks of its leaves, a checksum of both.
std::string entry_of(const segment& of, std::span<const std::uint32_t> ranks) {
    std::string text(reinterpret_cast<const char*>(&of), sizeof of);
    text.append(reinterpret_cast<const char*>(ranks.data()), ranks.size_bytes());
    text.resize(up(text.size(), 8));
    const std::uint64_t sum = checksum_of(text.data(), text.size());
    return text.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

/// Checksums of the pages from `at` on.
std::vector<std::uint64_t> sums_of(std::uint64_t at, const void* data, std::size_t bytes) {
    const auto* const from = static_cast<const std::byte*>(data);
    std::vector<std::uint64_t> sums;
    for (std::size_t page = 0; page < bytes; page += page_bytes)
        sums.push_back(checksum_of(from + page, page_bytes, (at + page) / 8));
    return sums;
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
    if (data.size() != of.bytes || add(sums_of(end_, data.data(), data.size())) != of.checksum) {
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

/// Of the pages behind those that have theirs; returns their sum.
std::uint64_t matrix_writer::add(std::span<const std::uint64_t> sums) {
    index_.sums.insert(index_.sums.end(), sums.begin(), sums.end());
    return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
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
    const segment own{end_, segment_.size(), first, segment_leaves_, 0};
    wait(segments_at_once - 1);
    writing_.push_back(
        {own, std::async(std::launch::async, [this, at = end_, data = std::move(segment_)] {
             measure::unbind();
             write(at, data.data(), data.size());
             return sums_of(at, data.data(), data.size());
         })});
    segment_ = {};
    segment_.reserve(segment_bytes);
    segment_leaves_ = 0;
    end_ += own.bytes;
}

/// Until at most so many segments are on their way. Throws what writing one of the others threw.
void matrix_writer::wait(std::size_t most) {
    while (writing_.size() > most) {
        on_its_way first = std::move(writing_.front());
        writing_.pop_front();
        first.of.checksum = add(first.sums.get());
        std::vector<std::uint32_t> ranks;
        for (std::size_t i = 0; i < first.of.leaves; ++i)
            ranks.push_back(index_.leaves[first.of.first_leaf + i].rank);
        entries_ += entry_of(first.of, ranks);
    }
}

void matrix_writer::checkpoint() {
    wait(0);
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
    wait(0);
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

void matrix_writer::write(std::uint64_t at, const void* data, std::size_t bytes) const {
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
