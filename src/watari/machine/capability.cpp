#include "watari/machine/capability.hpp"

#include "watari/machine/topology.hpp"

namespace watari::machine {

std::vector<capability> capabilities() {
    if (hwloc_available()) {
        return {
            {.name = "hwloc", .available = true, .reason = "", .detail = "API " + hwloc_version()}};
    }
    return {{.name = "hwloc",
             .available = false,
             .reason = "built without hwloc: processors are read from sysfs",
             .detail = ""}};
}

}  // namespace watari::machine
