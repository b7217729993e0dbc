// A build without CUDA: only the CPU's kernels exist.
#include "watari/core/device.hpp"
#include "watari/gemm/realign.hpp"
#include "watari/gemm/rows.hpp"

namespace watari::gemm {

const realign_kernels& realign_on(processor who) {
    if (who.is_gpu()) device::use(who.number);  // throws unsupported
    return cpu::realign_table;
}

const row_kernels& rows_on(processor who) {
    if (who.is_gpu()) device::use(who.number);
    return cpu::row_table;
}

}  // namespace watari::gemm
