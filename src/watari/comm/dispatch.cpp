// Which backend's kernels a processor runs. One of dispatch.cpp and dispatch_absent.cpp is built.
#include "watari/comm/planes.hpp"

namespace watari::comm {

const plane_kernels& planes_on(processor who) {
    if (!who.is_gpu()) return cpu::planes_table;
    device::use(who.number);
    return gpu::planes_table;
}

}  // namespace watari::comm
