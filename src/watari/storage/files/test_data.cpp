#include "watari/storage/files/test_data.hpp"

#include "watari/files/file_error.hpp"
#include "watari/storage/verify/sector.hpp"

#include <unistd.h>
#include <array>
#include <cerrno>

namespace watari::storage {

namespace {

using words = std::array<std::uint64_t, sector_words>;

constexpr std::uint64_t seal_address = no_address - 1;
constexpr std::uint64_t looked_at = 16;  ///< sectors that are checked

words sector_at(int file, std::uint64_t number, const std::string& path) {
    words found{};
    const std::uint64_t offset = number * sector_bytes;
    const ssize_t moved = pread(file, found.data(), sector_bytes, static_cast<off_t>(offset));
    if (moved != static_cast<ssize_t>(sector_bytes))
        files::transfer_failed(files::direction::read, path, offset, sector_bytes,
                               moved < 0 ? -errno : moved);
    return found;
}

bool is_whole(const words& sector) {
    return cpu::sector_is(sector.data(), sector.front(), any_generation);
}

/// Number of whole sectors among those that are checked; all of them if the file is sealed.
std::uint64_t whole_sectors(int file, std::uint64_t bytes, const std::string& path) {
    if (bytes < sector_bytes) return 0;
    const std::uint64_t last = bytes / sector_bytes - 1;
    std::uint64_t whole = 0;
    for (std::uint64_t i = 0; i < looked_at; ++i) {
        const words sector = sector_at(file, last * i / (looked_at - 1), path);
        if (!is_whole(sector)) continue;
        if (i == 0 && sector.front() == seal_address) return looked_at;
        ++whole;
    }
    return whole;
}

}  // namespace

void write_seal(int file, const std::string& path) {
    words seal;
    cpu::write_sector(seal.data(), seal_address, 0);
    const ssize_t moved = pwrite(file, seal.data(), sector_bytes, 0);
    if (moved != static_cast<ssize_t>(sector_bytes))
        files::transfer_failed(files::direction::write, path, 0, sector_bytes,
                               moved < 0 ? -errno : moved);
}

bool is_test_data(int file, std::uint64_t bytes, const std::string& path) {
    return bytes == 0 || whole_sectors(file, bytes, path) == looked_at;
}

bool is_foreign(int file, std::uint64_t bytes, const std::string& path) {
    return bytes > 0 && whole_sectors(file, bytes, path) == 0;
}

}  // namespace watari::storage
