#include "watari/gemm/product/read_back.hpp"

#include "watari/memory/rows.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

namespace watari::gemm {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 24;

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

/// Completed tiles of one tile row, read with all elements between the first and the last of them.
class band {
public:
    band(int file, const placement& where, tile_iterator first, tile_iterator last)
        : file_(file), where_(where), first_(first), last_(last) {
        const std::size_t end = std::prev(last)->first.second;
        left_ = column_of(first->first.second);
        width_ = column_of(end) + bytes_of(end) - left_;
    }

    /// Adds the tiles with a wrong checksum. Returns false if `goes_on` returned false.
    bool add_damaged(std::vector<tile_of_c>& damaged, const std::function<bool()>& goes_on) {
        const std::size_t rows = where_.tiles.rows_of(first_->first.first);
        const std::size_t step = std::clamp<std::size_t>(chunk_bytes / width_, 1, rows);
        std::vector<std::uint64_t> checksums(static_cast<std::size_t>(std::distance(first_, last_)),
                                             0);
        data_.resize(step * width_);
        sums_.resize(step);
        for (std::size_t row = 0; row < rows; row += step) {
            if (!goes_on()) return false;
            const std::size_t count = std::min(step, rows - row);
            read(row, count);
            std::size_t i = 0;
            for (tile_iterator tile = first_; tile != last_; ++tile)
                checksums[i++] += checksum(tile->first.second, row, count);
        }
        std::size_t i = 0;
        for (tile_iterator tile = first_; tile != last_; ++tile, ++i)
            if (tile->second && *tile->second != checksums[i]) damaged.push_back(tile->first);
        return true;
    }

private:
    std::size_t column_of(std::size_t j) const { return j * where_.tiles.tile * where_.element; }
    std::size_t bytes_of(std::size_t j) const {
        return where_.tiles.columns_of(j) * where_.element;
    }

    void read(std::size_t row, std::size_t count) {
        const std::uint64_t at = where_.first + left_ +
                                 (first_->first.first * where_.tiles.tile + row) * where_.row_bytes;
        const auto advise = [&](std::size_t r, std::size_t bytes, int advice) {
            posix_fadvise(file_, static_cast<off_t>(at + r * where_.row_bytes),
                          static_cast<off_t>(bytes), advice);
        };
        if (width_ == where_.row_bytes) {
            read_rows(file_, data_.data(), at, count * width_);
        } else {
            for (std::size_t r = 0; r < count; ++r) advise(r, width_, POSIX_FADV_WILLNEED);
            for (std::size_t r = 0; r < count; ++r)
                read_rows(file_, data_.data() + r * width_, at + r * where_.row_bytes, width_);
        }
        advise(0, count * where_.row_bytes, POSIX_FADV_DONTNEED);
    }

    std::uint64_t checksum(std::size_t j, std::size_t row, std::size_t count) {
        kernels_on<memory::row_kernels>(the_cpu).checksum(
            sums_.data(), {data_.data() + column_of(j) - left_, width_}, count, bytes_of(j), row,
            nullptr);
        return std::accumulate(sums_.begin(), sums_.begin() + static_cast<std::ptrdiff_t>(count),
                               std::uint64_t{0});
    }

    int file_;
    const placement& where_;
    tile_iterator first_, last_;
    std::size_t left_ = 0, width_ = 0;  ///< bytes of a row before the first tile, and to read
    std::vector<std::byte> data_;
    std::vector<std::uint64_t> sums_;  ///< checksums of rows
};

}  // namespace

std::vector<tile_of_c> damaged_tiles(int file, const placement& where, const completed_tiles& tiles,
                                     const std::function<bool()>& goes_on) {
    std::vector<tile_of_c> damaged;
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    for (auto first = tiles.begin(); first != tiles.end();) {
        const auto last = tiles.lower_bound({first->first.first + 1, 0});
        if (!band(file, where, first, last).add_damaged(damaged, goes_on)) break;
        first = last;
    }
    return damaged;
}

}  // namespace watari::gemm
