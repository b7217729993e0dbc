#include "watari/files/direct_unit.hpp"

#include "watari/core/error.hpp"
#include "watari/files/aligned.hpp"
#include "watari/files/descriptor.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>

namespace watari::files {

namespace {

std::optional<std::size_t> as_reported(int file) {
    // by hand, since older headers lack these fields: stx_mask at 0, stx_dio_offset_align at 156
    constexpr unsigned dio_align = 0x2000;
    std::array<unsigned char, 256> reported{};
    std::uint32_t mask = 0, unit = 0;
    if (syscall(SYS_statx, file, "", AT_EMPTY_PATH, dio_align, reported.data()) != 0) return {};
    std::memcpy(&mask, reported.data(), sizeof mask);
    std::memcpy(&unit, reported.data() + 156, sizeof unit);
    if (!(mask & dio_align)) return {};
    return unit;
}

/// The smallest block that a read accepts. A fallback: some kernels accept any block where a file
/// has a hole.
std::size_t as_tried(int file, const std::string& path) {
    const aligned_bytes block(65536);
    const off_t end = lseek(file, 0, SEEK_END);  // works for block devices too
    for (std::size_t size = 512; size <= block.size(); size *= 2) {
        const off_t twice = static_cast<off_t>(2 * size);
        if (pread(file, block.data(), size, end >= twice ? twice / 2 : 0) >= 0) return size;
        if (errno != EINVAL) throw system_error("pread " + path, errno);
    }
    return 0;
}

}  // namespace

std::size_t direct_unit_of(int file, const std::string& path) {
    const std::optional<std::size_t> reported = as_reported(file);
    return reported ? *reported : as_tried(file, path);
}

std::size_t direct_unit_of(const std::string& path) {
    const descriptor file(open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
    return file.get() < 0 ? 0 : direct_unit_of(file.get(), path);
}

}  // namespace watari::files
