#include "watari/files/page_cache.hpp"

#include "watari/core/error.hpp"
#include "watari/files/file_error.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

namespace watari::files {

namespace {

/// Brings all of a file into the page cache.
void read_through(int file, const std::string& path) {
    std::vector<std::byte> into(std::size_t{1} << 20);
    ssize_t moved = 0;
    for (off_t at = 0; (moved = pread(file, into.data(), into.size(), at)) != 0; at += moved)
        if (moved < 0)
            transfer_failed(direction::read, path, static_cast<std::uint64_t>(at), into.size(),
                            -errno);
}

/// Drops a file from the page cache, synced first, since dirty pages would stay.
void drop(int file, const std::string& path) {
    if (fdatasync(file) != 0) sync_failed(path, errno);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace

std::size_t cached_bytes(const striped_files& files) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = files.file_bytes();
    std::size_t pages = 0;
    for (std::size_t i = 0; i < files.count(); ++i) {
        void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, files.descriptor_of(i), 0);
        if (mapped == MAP_FAILED) throw system_error("mmap of " + files.path(i), errno);
        std::vector<unsigned char> resident((bytes + page - 1) / page);
        mincore(mapped, bytes, resident.data());
        munmap(mapped, bytes);
        pages += static_cast<std::size_t>(
            std::count_if(resident.begin(), resident.end(), [](auto r) { return r & 1; }));
    }
    return pages * page;
}

void prepare_page_cache(const striped_files& files) {
    const bool warm = files.cache() == cache_state::warm;
    const std::size_t all = files.file_bytes() * files.count();
    // pages that are only just read may be dropped again: a second pass brings them back
    for (int pass = 0; pass < 3; ++pass) {
        for (std::size_t i = 0; i < files.count(); ++i)
            warm ? read_through(files.descriptor_of(i), files.path(i))
                 : drop(files.descriptor_of(i), files.path(i));
        if (!warm || cached_bytes(files) == all) break;
    }
    const std::size_t held = cached_bytes(files);
    if (warm && held < all / 100 * 99)
        throw unsupported("cache=warm: the page cache holds " + bytes_text(held) + " of " +
                          bytes_text(all) + "; choose a smaller size");
    if (!warm && held > all / 100)
        throw unsupported(
            std::string(files.cache() == cache_state::cold ? "cache=cold: " : "cache=none: ") +
            bytes_text(held) + " of " + files.path(0) +
            " stay in the page cache, as in a file system in memory, whatever it "
            "says of direct I/O; choose another folder=DIR, or cache=warm");
}

}  // namespace watari::files
