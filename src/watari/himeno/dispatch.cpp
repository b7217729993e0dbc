// Which backend's kernels a processor runs. One of dispatch.cpp and dispatch_absent.cpp is built.
#include "watari/core/device.hpp"
#include "watari/himeno/himeno.hpp"

namespace watari::himeno {

const kernels& kernels_on(processor who) {
    if (!who.is_gpu()) return cpu::himeno_table;
    device::use(who.number);
    return gpu::himeno_table;
}

}  // namespace watari::himeno
