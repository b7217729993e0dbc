#include "watari/files/disk.hpp"

#include "watari/core/error.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <cerrno>
#include <map>

namespace watari::files {

std::optional<dev_t> disk_of(const std::string& path) {
    struct stat file {};
    struct statfs system {};
    if (stat(path.c_str(), &file) != 0 || statfs(path.c_str(), &system) != 0) return {};
    if (system.f_type == TMPFS_MAGIC) return {};
    return S_ISBLK(file.st_mode) ? file.st_rdev : file.st_dev;
}

std::string on_one_device(const std::vector<int>& files, const std::vector<std::string>& folders) {
    std::map<dev_t, std::string> first;
    for (std::size_t i = 0; i < folders.size(); ++i) {
        struct stat found {};
        if (fstat(files[i], &found) != 0) throw system_error("fstat in " + folders[i], errno);
        const auto [at, is_new] = first.try_emplace(found.st_dev, folders[i]);
        if (!is_new && at->second != folders[i]) return at->second + " and " + folders[i];
    }
    return "";
}

}  // namespace watari::files
