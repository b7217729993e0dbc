// Which backend's kernels a processor runs. One of dispatch.cpp and dispatch_absent.cpp is built.
#include "watari/core/device.hpp"
#include "watari/measure/pattern.hpp"

namespace watari::measure {

const pattern_kernels& pattern_on(processor who) {
    if (!who.is_gpu()) return cpu::pattern_table;
    device::use(who.number);
    return gpu::pattern_table;
}

}  // namespace watari::measure
