#include "watari/files/uring/uring_reason.hpp"

#include "watari/core/text_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace watari::files {

std::string io_uring_reason(int error, std::optional<int> disabled) {
    if (error == ENOSYS) return "the kernel has no io_uring (ENOSYS)";
    if (error == EPERM && disabled.value_or(0) != 0)
        return "switched off by kernel.io_uring_disabled = " + std::to_string(*disabled);
    if (error == EPERM) return "forbidden (EPERM), as Docker's default seccomp profile does";
    if (error == ENOMEM) return "not enough lockable memory (ENOMEM): see ulimit -l";
    return std::string("io_uring_setup fails: ") + std::strerror(error);
}

std::string io_uring_reason(int error) {
    std::optional<int> disabled;
    if (const auto line = line_of("/proc/sys/kernel/io_uring_disabled"))
        disabled = std::atoi(line->c_str());
    return io_uring_reason(error, disabled);
}

}  // namespace watari::files
