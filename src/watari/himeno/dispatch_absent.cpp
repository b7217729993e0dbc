// A build without CUDA: only the CPU's kernels exist.
#include "watari/core/device.hpp"
#include "watari/himeno/himeno.hpp"

namespace watari::himeno {

const kernels& kernels_on(processor who) {
    if (who.is_gpu()) device::use(who.number);  // throws unsupported
    return cpu::himeno_table;
}

}  // namespace watari::himeno
