#include "watari/machine/hardware_queues.hpp"

#include <cstdlib>

namespace watari::machine {

namespace {
constexpr int usual_connections = 8;
}

bool copies_pass_kernels() {
    const char* connections = std::getenv(connections_variable);
    return !connections || std::atoi(connections) >= usual_connections;
}

}  // namespace watari::machine
