// Which backend's kernels a processor runs. One of dispatch.cpp and dispatch_absent.cpp is built.
#include "watari/core/device.hpp"
#include "watari/gemm/realign.hpp"
#include "watari/gemm/rows.hpp"

namespace watari::gemm {

const realign_kernels& realign_on(processor who) {
    if (!who.is_gpu()) return cpu::realign_table;
    device::use(who.number);
    return gpu::realign_table;
}

const row_kernels& rows_on(processor who) {
    if (!who.is_gpu()) return cpu::row_table;
    device::use(who.number);
    return gpu::row_table;
}

}  // namespace watari::gemm
