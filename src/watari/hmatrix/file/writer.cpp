#include "watari/hmatrix/file/writer.hpp"

#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/files/file_state.hpp"
#include "watari/files/window.hpp"
#include "watari/storage/engines/guarded_copy.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

namespace watari::hmatrix {

namespace {

/// Two for each hardware thread, since some wait for a disk.
std::size_t own_threads() {
    constexpr std::size_t most = 16;
    return std::min(most, 2 * cpu::own_cpus().size());
}

std::uint64_t up(std::uint64_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// An entry of the journal: the segment, the ranks of its leaves, a checksum of both.
std::string entry_of(const segment& of, std::span<const std::uint32_t> ranks) {
    std::string text(reinterpret_cast<const char*>(&of), sizeof of);
    text.append(reinterpret_cast<const char*>(ranks.data()), ranks.size_bytes());
    text.resize(up(text.size(), 8));
    const std::uint64_t sum = checksum_of(text.data(), text.size());
    return text.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

/// Checksums of the pages of `data`, which begin at offset `at` of the file.
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

matrix_writer::matrix_writer(const matrix_paths& paths, const identity& of,
                             std::span<const block> leaves)
    : path_(paths.first()),
      blocks_(leaves),
      file_(paths.all, stripe_bytes),
      in_memory_(file_.count() == 1 && files::window::suits(files::partial_path(path_))),
      journal_(files::journal_path(path_), O_RDWR | O_CREAT | O_CLOEXEC),
      team_(own_threads()) {
    index_.head.of = of;
    index_.head.others = static_cast<std::uint32_t>(file_.count() - 1);
    try {
        resume();
        // an unfinished file has an empty head, which read_index refuses
        file_.allocate(end_, std::string(page_bytes, '\0'), index_.leaves.empty());
    } catch (...) {
        remove_if_useless();
        throw;
    }
}

matrix_writer::~matrix_writer() {
    if (!finished_) remove_if_useless();
}

/// Without an entry in the journal no segment is used again.
void matrix_writer::remove_if_useless() {
    struct stat status {};
    if (fstat(journal_.get(), &status) != 0 || status.st_size > 0) return;
    file_.remove();
    files::remove_own(files::journal_path(path_), journal_.get());
}

/// Accepts the journal's segments up to the first one that is not valid in the file.
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
    const std::string data = file_.read(of.offset, of.bytes);
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

/// Appends the checksums of the next pages; returns their sum.
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

void matrix_writer::append(std::span<const leaf_data> leaves) {
    std::vector<open_segment> complete;
    std::uint64_t begin = end_;
    for (const leaf_data& given : leaves) {
        leaf_record leaf = placed(index_.leaves.size(), given.rank, 0);
        const std::uint64_t size = size_of(leaf);
        if (open_.leaves > 0 && open_.bytes + size > segment_bytes) {
            begin += up(open_.bytes, page_bytes);
            complete.push_back(std::exchange(open_, {}));
        }
        leaf.offset = begin + open_.bytes;
        open_.pieces.emplace_back(given.bytes, leaf.elements() * index_.head.of.element_bytes);
        open_.bytes += size;
        ++open_.leaves;
        index_.leaves.push_back(leaf);
    }
    write(std::move(complete));
    std::vector<std::byte> kept(open_.bytes);
    collect(open_, kept);
    open_.kept = std::move(kept);
    open_.pieces = {open_.kept};
}

/// Copies leaf after leaf, each padded with zeros to a multiple of leaf_unit; fills the rest with
/// zeros.
void matrix_writer::collect(const open_segment& from, std::span<std::byte> to) {
    std::size_t at = 0;
    for (const std::span<const std::byte> piece : from.pieces) {
        if (!piece.empty()) std::memcpy(to.data() + at, piece.data(), piece.size());
        const std::size_t end = at + piece.size();
        at = up(end, leaf_unit);
        std::memset(to.data() + end, 0, at - end);
    }
    std::memset(to.data() + at, 0, to.size() - at);
}

/// Writes segments by several threads; file and journal have them in the order of their leaves.
void matrix_writer::write(std::vector<open_segment> complete) {
    std::vector<segment> own;
    std::size_t first = index_.leaves.size() - open_.leaves;
    for (const open_segment& one : complete) first -= one.leaves;
    for (const open_segment& one : complete) {
        own.push_back({end_, up(one.bytes, page_bytes), first, one.leaves, 0});
        end_ += own.back().bytes;
        first += one.leaves;
    }
    std::vector<std::vector<std::uint64_t>> sums(own.size());
    if (own.empty()) return;
    std::optional<files::window> all;
    const std::uint64_t begin = own.front().offset;
    if (in_memory_ && end_ > begin) all.emplace(file_.front().get(), path_, begin, end_ - begin);
    if (all)
        by_threads(all->large_pages(), [&](auto, std::size_t page) { all->ask_for_large(page); });
    std::vector<std::vector<std::byte>> buffers(team_.size());
    const storage::bus_guard guard;
    by_threads(own.size(), [&](std::size_t thread, std::size_t i) {
        std::vector<std::byte>& buffer = buffers[thread];
        buffer.resize(own[i].bytes);
        collect(complete[i], buffer);
        // of our memory, since another process may already have changed the file
        sums[i] = sums_of(own[i].offset, buffer.data(), buffer.size());
        if (!all)
            file_.write(own[i].offset, buffer.data(), buffer.size());
        else if (!storage::guarded_copy(all->part(own[i].offset - begin, own[i].bytes).data(),
                                        buffer.data(), buffer.size()))
            throw file_error(files::partial_path(path_) + " was cut while it was written");
    });
    for (std::size_t i = 0; i < own.size(); ++i) {
        own[i].checksum = add(sums[i]);
        std::vector<std::uint32_t> ranks;
        for (std::size_t leaf = 0; leaf < own[i].leaves; ++leaf)
            ranks.push_back(index_.leaves[own[i].first_leaf + leaf].rank);
        entries_ += entry_of(own[i], ranks);
    }
}

void matrix_writer::by_threads(std::size_t count,
                               const std::function<void(std::size_t thread, std::size_t i)>& work) {
    std::atomic<std::size_t> next{0};
    team_.run([&](std::size_t thread) {
        measure::unbind();
        for (std::size_t i; (i = next.fetch_add(1)) < count;) work(thread, i);
    });
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
    if (open_.leaves > 0) {
        std::vector<open_segment> last;
        last.push_back(std::exchange(open_, {}));
        write(std::move(last));
    }
    if (index_.leaves.size() != blocks_.size())
        throw file_error(path_ + ": not all leaves are there");
    file_.resize(end_);  // a window lengthened the file
    index_.order.assign(order.begin(), order.end());
    const std::string index = index_bytes(index_);
    file_head& head = index_.head;
    head.leaves = index_.leaves.size();
    head.index_offset = end_;
    head.index_bytes = index.size();
    head.index_checksum = checksum_of(index.data(), index.size());
    file_.write(end_, index.data(), index.size());
    file_.resize(end_ + index.size());
    file_.sync();
    const std::string bytes = head_bytes(head);
    file_.write(0, bytes.data(), bytes.size());
    file_.sync();
    file_.put_in_place();
    unlink(files::journal_path(path_).c_str());
    finished_ = true;
}

}  // namespace watari::hmatrix
