#include "watari/gemm/product/read_back.hpp"

#include "watari/core/threads.hpp"
#include "watari/measure/thread_team.hpp"
#include "watari/memory/rows/rows.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>

namespace watari::gemm {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20, pieces_at_once = 4;

/// Reads bytes of a file; bytes that cannot be read become 0.
void read_rows(int file, std::byte* to, std::uint64_t at, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t more = pread(file, to + done, bytes - done, static_cast<off_t>(at + done));
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        done += static_cast<std::size_t>(more);
    }
    std::memset(to + done, 0, bytes - done);
}

using tile_iterator = completed_tiles::const_iterator;

/// Completed tiles of one tile row, with all elements between the first and the last of them; and
/// some rows of these tiles.
struct piece {
    tile_iterator first, last;
    std::size_t row, rows;
    std::size_t left, width;  ///< bytes of a row before the first tile, and to read
};

std::vector<piece> pieces_of(const placement& where, const completed_tiles& tiles) {
    std::vector<piece> all;
    for (auto first = tiles.begin(); first != tiles.end();) {
        const auto [row, column] = first->first;
        const auto last = tiles.lower_bound({row + 1, 0});
        const std::size_t end = std::prev(last)->first.second;
        const std::size_t left = column * where.tiles.tile * where.element;
        const std::size_t width =
            (end * where.tiles.tile + where.tiles.columns_of(end)) * where.element - left;
        const std::size_t rows = where.tiles.rows_of(row);
        const std::size_t step = std::clamp<std::size_t>(piece_bytes / width, 1, rows);
        for (std::size_t r = 0; r < rows; r += step)
            all.push_back({first, last, r, std::min(step, rows - r), left, width});
        first = last;
    }
    return all;
}

/// One thread's memory, and the checksums of its pieces.
class piece_reader {
public:
    piece_reader(const tile_reader& by, const placement& where) : by_(by), where_(where) {}

    void add(const piece& of) {
        data_.resize(of.rows * of.width);
        sums_.resize(of.rows);
        read(of);
        for (tile_iterator tile = of.first; tile != of.last; ++tile)
            checksums_[tile->first] += checksum(of, tile->first.second);
    }
    const std::map<tile_of_c, std::uint64_t>& checksums() const { return checksums_; }

private:
    void read(const piece& of) {
        const std::uint64_t at =
            where_.first + of.left +
            (of.first->first.first * where_.tiles.tile + of.row) * where_.row_bytes;
        const bool is_one_run = of.width == where_.row_bytes;
        const std::size_t runs = is_one_run ? 1 : of.rows;
        const std::size_t bytes = is_one_run ? of.rows * of.width : of.width;
        const auto advise = [&](std::size_t run, std::size_t count, int advice) {
            posix_fadvise(by_.file, static_cast<off_t>(at + run * where_.row_bytes),
                          static_cast<off_t>(count), advice);
        };
        for (std::size_t run = 0; run < runs; ++run) advise(run, bytes, POSIX_FADV_WILLNEED);
        for (std::size_t run = 0; run < runs; ++run)
            read_rows(by_.file, data_.data() + run * bytes, at + run * where_.row_bytes, bytes);
        if (by_.from == read_from::disk) advise(0, of.rows * where_.row_bytes, POSIX_FADV_DONTNEED);
    }

    std::uint64_t checksum(const piece& of, std::size_t j) {
        const std::size_t skip = j * where_.tiles.tile * where_.element - of.left;
        kernels_on<memory::row_kernels>(the_cpu).checksum(
            sums_.data(), {data_.data() + skip, of.width}, of.rows,
            where_.tiles.columns_of(j) * where_.element, of.row, nullptr);
        return std::accumulate(sums_.begin(), sums_.end(), std::uint64_t{0});
    }

    tile_reader by_;
    const placement& where_;
    std::vector<std::byte> data_{};
    std::vector<std::uint64_t> sums_{};  ///< checksums of rows
    std::map<tile_of_c, std::uint64_t> checksums_{};
};

}  // namespace

std::vector<tile_of_c> damaged_tiles(const tile_reader& by, const placement& where,
                                     const completed_tiles& tiles,
                                     const std::function<bool()>& goes_on) {
    if (by.from == read_from::disk) posix_fadvise(by.file, 0, 0, POSIX_FADV_DONTNEED);
    const std::vector<piece> pieces = pieces_of(where, tiles);
    measure::thread_team team(std::min(by.threads, pieces.size()));
    std::vector<piece_reader> readers(team.size(), piece_reader(by, where));
    for (std::size_t begin = 0, end = 0; begin < pieces.size(); begin = end) {
        if (!goes_on()) return {};
        end = std::min(begin + pieces_at_once * team.size(), pieces.size());
        std::atomic<std::size_t> next{begin};
        team.run([&](std::size_t thread) {
            cpu::set_threads(1);  // for the checksums of this thread
            for (std::size_t i; (i = next.fetch_add(1)) < end;) readers[thread].add(pieces[i]);
        });
    }
    std::map<tile_of_c, std::uint64_t> checksums;
    for (const piece_reader& each : readers)
        for (const auto& [at, checksum] : each.checksums()) checksums[at] += checksum;
    std::vector<tile_of_c> damaged;
    for (const auto& [at, checksum] : tiles)
        if (checksum && *checksum != checksums.at(at)) damaged.push_back(at);
    return damaged;
}

}  // namespace watari::gemm
