#include "store.hpp"

#include "watari/core/error.hpp"
#include "watari/files/file_error.hpp"
#include "watari/memory/room.hpp"
#include "watari/storage/files/data_file.hpp"
#include "watari/storage/files/test_data.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace watari::gemm {

namespace {

constexpr std::uint64_t boundary = std::uint64_t{1} << 20;  ///< alignment of each matrix
constexpr std::size_t part_bytes = std::size_t{1} << 26;    ///< made or verified at once

std::string file_name(const store_options& o) {
    const auto number = [](std::size_t value) { return std::to_string(value); };
    const bool tiled = o.layout == layout::tiled;
    return o.folder + "/watari-gemm-" + number(o.size.m) + "x" + number(o.size.n) + "x" +
           number(o.size.k) + (o.type == precision::single_precision ? "-single-" : "-double-") +
           (tiled ? "tiled-" + number(o.tile)
                  : "rows-" + number(row_unit(o.tile, element_bytes(o.type)))) +
           ".data";
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
    std::uint64_t end = wanted.medium == medium::file ? storage::seal_bytes : 0;
    for (const matrix which : {matrix::a, matrix::b, matrix::c}) {
        placement& own = where_[static_cast<int>(which)];
        own = placement::packed(tiling_of(which, wanted.size, wanted.tile),
                                element_bytes(wanted.type), wanted.layout, wanted.most);
        own.first = (end + boundary - 1) / boundary * boundary;
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
    for (const matrix which : {matrix::a, matrix::b}) fill(which, -1);
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
    const auto fill_all = [&](int file) {
        for (const matrix which : {matrix::a, matrix::b, matrix::c}) fill(which, file);
    };
    if (wanted_.medium == medium::memory_file) {
        const int made = memfd_create("watari-gemm", MFD_CLOEXEC);
        path_ = "/proc/self/fd/" + std::to_string(made);
        if (made < 0) throw system_error("memfd_create", errno);
        file_.emplace(made);
        if (ftruncate(made, static_cast<off_t>(bytes)) != 0) files::cannot_open(path_, errno);
        fill_all(made);
        return;
    }
    storage::make_folder(wanted_.folder);
    path_ = file_name(wanted_);
    const auto fill_sealed = [&](int file) {
        storage::write_seal(file, path_);
        fill_all(file);
    };
    file_ = storage::open_data_file(path_, bytes, files::usage::alone, fill_sealed).file;
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

/// Fills a matrix in the file, or in memory if `file` is -1.
void store::fill(matrix which, int file) {
    std::vector<std::byte> part;
    each_part(which, [&](const region& here, std::uint64_t offset, std::size_t bytes,
                         std::size_t leading) {
        if (file < 0) return data_.fill_rows(which, here, memory_->data() + offset, leading);
        part.resize(bytes);
        data_.fill_rows(which, here, part.data(), leading);
        write_all(file, part.data(), bytes, offset, path_);
    });
}

void store::fill_c() {
    fill(matrix::c, file_ ? file_->get() : -1);
    if (!file_) return;
    if (fdatasync(file_->get()) != 0) files::sync_failed(path_, errno);
    posix_fadvise(file_->get(), 0, 0, POSIX_FADV_DONTNEED);
}

std::size_t store::wrong_elements(double alpha, double beta) const {
    std::size_t wrong = 0;
    std::vector<std::byte> part;
    each_part(matrix::c, [&](const region& here, std::uint64_t offset, std::size_t bytes,
                             std::size_t leading) {
        const std::byte* data = file_ ? nullptr : memory_->data() + offset;
        if (file_) {
            part.resize(bytes);
            data = part.data();
            const ssize_t moved =
                pread(file_->get(), part.data(), bytes, static_cast<off_t>(offset));
            if (moved != static_cast<ssize_t>(bytes))
                files::transfer_failed(files::direction::read, path_, offset, bytes,
                                       moved < 0 ? -errno : moved);
        }
        wrong += data_.wrong_elements(alpha, beta, here, data, leading);
    });
    return wrong;
}

}  // namespace watari::gemm
