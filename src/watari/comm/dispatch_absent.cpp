// A build without CUDA: only the CPU's kernels exist.
#include "watari/comm/planes.hpp"

namespace watari::comm {

const plane_kernels& planes_on(processor who) {
    if (who.is_gpu()) device::use(who.number);  // throws unsupported
    return cpu::planes_table;
}

}  // namespace watari::comm
