// What both ways to read the topology share.
#include "watari/machine/topology.hpp"

#include <fstream>

#include <sys/utsname.h>

namespace watari::machine {

std::optional<std::string> read_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) {
        return std::nullopt;
    }
    return line;
}

std::string cpu_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "";
}

std::string architecture() {
    utsname names{};
    return uname(&names) == 0 ? names.machine : "";
}

}  // namespace watari::machine
