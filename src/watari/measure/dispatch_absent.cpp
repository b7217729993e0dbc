// A build without CUDA: only the CPU's kernels exist.
#include "watari/core/device.hpp"
#include "watari/measure/pattern.hpp"

namespace watari::measure {

const pattern_kernels& pattern_on(processor who) {
    if (who.is_gpu()) device::use(who.number);  // throws unsupported
    return cpu::pattern_table;
}

}  // namespace watari::measure
