#include "store.hpp"

#include "watari/core/error.hpp"
#include "watari/files/disk.hpp"
#include "watari/files/file_error.hpp"
#include "watari/files/memory_file.hpp"
#include "watari/files/striped_piece.hpp"
#include "watari/memory/room.hpp"
#include "watari/storage/files/data_file.hpp"
#include "watari/storage/files/test_data.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <numeric>

namespace watari::gemm {

namespace {

constexpr std::uint64_t boundary = std::uint64_t{1} << 20;  ///< alignment of each matrix
constexpr std::size_t part_bytes = std::size_t{1} << 26;    ///< made or verified at once

std::string file_name(const store_options& o, std::size_t file) {
    const auto number = [](std::size_t value) { return std::to_string(value); };
    const bool tiled = o.layout == layout::tiled;
    const std::size_t files = o.folders.size();
    const std::string part = files == 1 ? "" : "-" + number(file + 1) + "of" + number(files);
    return o.folders[file] + "/watari-gemm-" + number(o.size.m) + "x" + number(o.size.n) + "x" +
           number(o.size.k) + (o.type == precision::single_precision ? "-single-" : "-double-") +
           (tiled ? "tiled-" + number(o.tile)
                  : "rows-" + number(row_unit(o.tile, element_bytes(o.type)))) +
           part + ".data";
}

/// Bytes of each file in turn: whole rows, or tiles, of every matrix, and whole requests.
std::size_t stripe_of(const store_options& o, const placement (&matrices)[3]) {
    if (o.medium != medium::file || o.folders.size() < 2) return boundary;
    constexpr std::size_t most = std::size_t{1} << 30;
    std::size_t stripe = most_block;
    for (const placement& one : matrices) {
        const std::size_t whole =
            one.layout == layout::tiled ? one.tiles.tile * one.row_bytes : one.row_bytes;
        if (whole > 0) stripe = std::lcm(stripe, whole);
        if (stripe > most)
            throw usage_error(
                "folder: stripes of whole rows of A, B and C exceed 1 GiB; choose "
                "layout=tiled, or n and k that are powers of two");
    }
    return std::max(stripe, (boundary + stripe - 1) / stripe * stripe);
}

void write_all(int file, const std::byte* data, std::size_t bytes, std::uint64_t offset,
               const std::string& path) {
    const ssize_t moved = pwrite(file, data, bytes, static_cast<off_t>(offset));
    if (moved != static_cast<ssize_t>(bytes))
        files::transfer_failed(files::direction::write, path, offset, bytes,
                               moved < 0 ? -errno : moved);
    // written data must not fill the page cache
    sync_file_range(file, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                    SYNC_FILE_RANGE_WRITE);
}

}  // namespace

store::store(const store_options& wanted) : wanted_(wanted), data_(wanted.size, wanted.type, seed) {
    for (const matrix which : {matrix::a, matrix::b, matrix::c})
        where_[static_cast<int>(which)] =
            placement::packed(tiling_of(which, wanted.size, wanted.tile),
                              element_bytes(wanted.type), wanted.layout, wanted.most);
    stripe_ = stripe_of(wanted, where_);
    static_assert(boundary >= storage::seal_bytes);  // the first stripe of each file has the seal
    std::uint64_t end = wanted.medium == medium::file ? wanted.folders.size() * stripe_ : 0;
    for (placement& own : where_) {
        own.first = (end + stripe_ - 1) / stripe_ * stripe_;
        end = own.bytes();
    }
    if (wanted.medium != medium::file) require_room_for(end);
    if (wanted.medium != medium::memory) {
        make_file(end);
        return;
    }
    memory_.emplace(
        wanted.kind, std::max<std::uint64_t>(end, 1),
        memory::placement{.thp = wanted.kind == memory::kind::pageable ? memory::huge_pages::always
                                                                       : memory::huge_pages::as_set,
                          .oversubscribe = wanted.oversubscribe});
    for (const matrix which : {matrix::a, matrix::b}) fill(which);
}

/// Also for a file in memory: without room the kernel kills the process that fills it.
void store::require_room_for(std::uint64_t bytes) const {
    const bool own = wanted_.medium == medium::memory;
    const memory::demand all[] = {{own ? wanted_.kind : memory::kind::pageable,
                                   bytes,
                                   {.oversubscribe = wanted_.oversubscribe}}};
    memory::require_room(all, "choose a smaller n, or oversubscribe=yes to try all the same");
}

void store::make_file(std::uint64_t bytes) {
    if (wanted_.medium == medium::memory_file) {
        files_.push_back(files::memory_file("watari-gemm", bytes));
        paths_ = {files::path_of(files_.front())};
        for (const matrix which : {matrix::a, matrix::b, matrix::c}) fill(which);
        return;
    }
    const std::size_t count = wanted_.folders.size();
    for (const std::string& folder : wanted_.folders) storage::make_folder(folder);
    for (std::size_t i = 0; i < count; ++i) paths_.push_back(file_name(wanted_, i));
    const std::uint64_t row = count * stripe_;
    const std::uint64_t each = count == 1 ? bytes : (bytes + row - 1) / row * stripe_;
    for (std::size_t i = 0; i < count; ++i)
        files_.push_back(
            storage::open_data_file(paths_[i], each, files::usage::alone, [&](int file) {
                if (ftruncate(file, static_cast<off_t>(each)) != 0)
                    files::cannot_open(paths_[i], errno);
                storage::write_seal(file, paths_[i]);
                for (const matrix which : {matrix::a, matrix::b, matrix::c}) fill(which, i, file);
            }).file);
}

std::vector<int> store::descriptors() const {
    std::vector<int> all;
    for (const files::descriptor& each : files_) all.push_back(each.get());
    return all;
}

std::string store::on_one_device() const {
    if (wanted_.medium != medium::file) return "";
    return files::on_one_device(descriptors(), wanted_.folders);
}

std::span<std::byte> store::memory() const {
    return memory_ ? std::span(memory_->data(), memory_->size()) : std::span<std::byte>();
}

template <class Visit>
void store::each_part(matrix which, const Visit& visit) const {
    const placement& in = where(which);
    const tiling& t = in.tiles;
    if (in.row_bytes == 0) return;
    const std::size_t leading = in.row_bytes / in.element;
    const std::size_t step = std::max<std::size_t>(1, part_bytes / in.row_bytes);
    if (in.layout == layout::tiled) {
        for (std::size_t i = 0; i < t.tile_rows(); ++i)
            for (std::size_t j = 0; j < t.tile_columns(); ++j)
                for (std::size_t row = 0; row < t.rows_of(i); row += step) {
                    const std::size_t rows = std::min(step, t.rows_of(i) - row);
                    visit(region{i * t.tile + row, rows, j * t.tile, t.columns_of(j)},
                          in.tile_at(i, j) + row * in.row_bytes, rows * in.row_bytes, leading);
                }
        return;
    }
    for (std::size_t row = 0; row < t.rows; row += step) {
        const std::size_t rows = std::min(step, t.rows - row);
        visit(region{row, rows, 0, t.columns}, in.first + row * in.row_bytes, rows * in.row_bytes,
              leading);
    }
}

/// Calls move(number of a file, offset there, bytes, bytes before) for the pieces of a part.
template <class Move>
void store::each_piece(std::uint64_t offset, std::size_t bytes, const Move& move) const {
    for (std::size_t done = 0; done < bytes;) {
        const files::striped_piece at =
            files::piece_of(offset + done, bytes - done, paths_.size(), stripe_);
        move(at.file, at.offset, at.bytes, done);
        done += at.bytes;
    }
}

void store::fill(matrix which) {
    if (memory_)
        return each_part(
            which, [&](const region& here, std::uint64_t offset, std::size_t, std::size_t leading) {
                data_.fill_rows(which, here, memory_->data() + offset, leading);
            });
    for (std::size_t i = 0; i < files_.size(); ++i) fill(which, i, files_[i].get());
}

void store::fill(matrix which, std::size_t number, int file) {
    std::vector<std::byte> part;
    each_part(which, [&](const region& here, std::uint64_t offset, std::size_t bytes,
                         std::size_t leading) {
        part.resize(bytes);
        data_.fill_rows(which, here, part.data(), leading);
        each_piece(offset, bytes,
                   [&](std::size_t in, std::uint64_t at, std::size_t some, std::size_t done) {
                       if (in == number) write_all(file, part.data() + done, some, at, paths_[in]);
                   });
    });
}

void store::fill_c() {
    fill(matrix::c);
    for (std::size_t i = 0; i < files_.size(); ++i) {
        if (fdatasync(files_[i].get()) != 0) files::sync_failed(paths_[i], errno);
        posix_fadvise(files_[i].get(), 0, 0, POSIX_FADV_DONTNEED);
    }
}

std::size_t store::wrong_elements(double alpha, double beta) const {
    std::size_t wrong = 0;
    std::vector<std::byte> part;
    each_part(matrix::c, [&](const region& here, std::uint64_t offset, std::size_t bytes,
                             std::size_t leading) {
        const std::byte* data = memory_ ? memory_->data() + offset : nullptr;
        if (!memory_) {
            part.resize(bytes);
            data = part.data();
            each_piece(offset, bytes,
                       [&](std::size_t in, std::uint64_t at, std::size_t some, std::size_t done) {
                           const ssize_t moved = pread(files_[in].get(), part.data() + done, some,
                                                       static_cast<off_t>(at));
                           if (moved != static_cast<ssize_t>(some))
                               files::transfer_failed(files::direction::read, paths_[in], at, some,
                                                      moved < 0 ? -errno : moved);
                       });
        }
        wrong += data_.wrong_elements(alpha, beta, here, data, leading);
    });
    return wrong;
}

}  // namespace watari::gemm
