#include "watari/files/memory_file.hpp"

#include "watari/core/error.hpp"
#include "watari/files/file_error.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>

namespace watari::files {

descriptor memory_file(const std::string& name, std::uint64_t bytes) {
    descriptor file(memfd_create(name.c_str(), MFD_CLOEXEC));
    if (file.get() < 0) throw system_error("memfd_create", errno);
    if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) cannot_open(path_of(file), errno);
    return file;
}

std::string path_of(const descriptor& file) {
    return "/proc/self/fd/" + std::to_string(file.get());
}

}  // namespace watari::files
