#include "watari/storage/files/open_files.hpp"
#include "watari/files/file_error.hpp"

#include "watari/core/error.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/memory/host.hpp"

#include <sys/mman.h>
#include <algorithm>

namespace watari::storage {

namespace {

[[noreturn]] void no_direct(const std::string& path) {
    throw unsupported("cache=none: no direct I/O of " + path +
                      " (a file system in memory has none); choose another folder=DIR, or "
                      "cache=warm for the page cache");
}

files::descriptor open_direct(const std::string& path, int flags) {
    const int tried = open(path.c_str(), flags | O_DIRECT);
    if (tried < 0 && errno == EINVAL) no_direct(path);
    if (tried >= 0) close(tried);
    return files::descriptor(path, flags | O_DIRECT);
}

/// Brings all of a file into the page cache.
void read_through(int file, const std::string& path) {
    std::vector<std::byte> into(stripe_bytes);
    ssize_t moved = 0;
    for (off_t at = 0; (moved = pread(file, into.data(), into.size(), at)) != 0; at += moved)
        if (moved < 0)
            files::transfer_failed(files::direction::read, path, static_cast<std::uint64_t>(at),
                                   into.size(), -errno);
}

void make_durable(int file, const std::string& path) {
    if (fdatasync(file) != 0) files::sync_failed(path, errno);
}

/// Takes a file out of the page cache; dirty pages would stay.
void drop(int file, const std::string& path) {
    make_durable(file, path);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace

open_files::open_files(const file_set& files, files::direction direction, cache_state cache)
    : files_(&files), cache_(cache) {
    const int flags = (direction == files::direction::read ? O_RDONLY : O_RDWR) | O_CLOEXEC;
    for (std::size_t i = 0; i < files.paths().size(); ++i) {
        descriptors_.push_back(cache == cache_state::none ? open_direct(path(i), flags)
                                                          : files::descriptor(path(i), flags));
        files::require_same_file(descriptor_of(i), files.in_use(i), path(i));
    }
}

std::size_t open_files::direct_unit() const {
    std::size_t unit = 1;
    for (std::size_t i = 0; i < descriptors_.size(); ++i) {
        const std::size_t own = files::direct_unit_of(descriptor_of(i), path(i));
        if (own == 0) no_direct(path(i));
        unit = std::max(unit, own);
    }
    return unit;
}

void open_files::require_block(std::size_t bytes) const {
    if (cache_ != cache_state::none) return;
    if (const std::size_t unit = direct_unit(); bytes % unit != 0)
        throw unsupported("block=" + std::to_string(bytes) + ": direct I/O of " + path(0) +
                          " moves whole units of " + std::to_string(unit) + " bytes");
}

void open_files::prepare() const {
    // pages that are only just read may be dropped again: a second pass brings them back
    for (int pass = 0; pass < 3; ++pass) {
        for (std::size_t i = 0; i < descriptors_.size(); ++i)
            cache_ == cache_state::warm ? read_through(descriptor_of(i), path(i))
                                        : drop(descriptor_of(i), path(i));
        if (cache_ != cache_state::warm || cached() == files_->bytes()) break;
    }
    const std::size_t held = cached(), all = files_->bytes();
    if (cache_ == cache_state::warm && held < all / 100 * 99)
        throw unsupported("cache=warm: the page cache holds " + bytes_text(held) + " of " +
                          bytes_text(all) + "; choose a smaller size");
    if (cache_ != cache_state::warm && held > all / 100)
        throw unsupported(
            std::string(cache_ == cache_state::cold ? "cache=cold: " : "cache=none: ") +
            bytes_text(held) + " of " + path(0) +
            " stay in the page cache, as in a file system in memory, whatever it "
            "says of direct I/O; choose another folder=DIR, or cache=warm");
}

std::size_t open_files::cached() const {
    const std::size_t page = memory::host::page_size(), bytes = files_->file_bytes();
    std::size_t pages = 0;
    for (std::size_t i = 0; i < descriptors_.size(); ++i) {
        void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor_of(i), 0);
        if (mapped == MAP_FAILED) throw system_error("mmap of " + path(i), errno);
        std::vector<unsigned char> resident((bytes + page - 1) / page);
        mincore(mapped, bytes, resident.data());
        munmap(mapped, bytes);
        pages += static_cast<std::size_t>(
            std::count_if(resident.begin(), resident.end(), [](auto r) { return r & 1; }));
    }
    return pages * page;
}

void open_files::sync() const {
    for (std::size_t i = 0; i < descriptors_.size(); ++i) make_durable(descriptor_of(i), path(i));
}

}  // namespace watari::storage
