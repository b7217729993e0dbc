// A build without CUDA: only the CPU's kernels exist.
#include "watari/core/device.hpp"
#include "watari/storage/sectors.hpp"
#include "watari/storage/transfers.hpp"

namespace watari::storage {

const sector_kernels& sectors_on(processor who) {
    if (who.is_gpu()) device::use(who.number);  // throws unsupported
    return cpu::sector_table;
}

const transfer_kernels& transfers_on(processor who) {
    if (who.is_gpu()) device::use(who.number);
    return cpu::transfer_table;
}

}  // namespace watari::storage
