#include "watari/files/disk.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace watari::files {

std::optional<dev_t> disk_of(const std::string& path) {
    struct stat file {};
    struct statfs system {};
    if (stat(path.c_str(), &file) != 0 || statfs(path.c_str(), &system) != 0) return {};
    if (system.f_type == TMPFS_MAGIC) return {};
    return S_ISBLK(file.st_mode) ? file.st_rdev : file.st_dev;
}

}  // namespace watari::files
