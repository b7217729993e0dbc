// A build without CUDA: only the CPU's kernels exist.
#include "watari/bench/kernels.hpp"
#include "watari/core/device.hpp"

namespace watari::bench {

const kernels& kernels_on(processor who) {
    if (who.is_gpu()) device::use(who.number);  // throws unsupported
    return cpu::bench_table;
}

}  // namespace watari::bench
