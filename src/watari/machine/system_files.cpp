// Shared by both readers of the topology.
#include "watari/machine/topology.hpp"

#include "watari/core/text_file.hpp"

#include <sys/utsname.h>

namespace watari::machine {

std::optional<std::string> read_line(const std::string& path) { return line_of(path); }

std::string cpu_name() {
    const std::string line = line_of("/proc/cpuinfo", "model name").value_or("");
    const auto colon = line.find(": ");
    return colon != std::string::npos ? line.substr(colon + 2) : "";
}

std::string architecture() {
    utsname names{};
    return uname(&names) == 0 ? names.machine : "";
}

}  // namespace watari::machine
