// Which backend's kernels a processor runs. One of dispatch.cpp and dispatch_absent.cpp is built.
#include "watari/bench/kernels.hpp"
#include "watari/core/device.hpp"

namespace watari::bench {

const kernels& kernels_on(processor who) {
    if (!who.is_gpu()) return cpu::bench_table;
    device::use(who.number);
    return gpu::bench_table;
}

}  // namespace watari::bench
