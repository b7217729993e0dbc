// Which backend's kernels a processor runs. One of dispatch.cpp and dispatch_absent.cpp is built.
#include "watari/core/device.hpp"
#include "watari/storage/sectors.hpp"
#include "watari/storage/transfers.hpp"

namespace watari::storage {

const sector_kernels& sectors_on(processor who) {
    if (!who.is_gpu()) return cpu::sector_table;
    device::use(who.number);
    return gpu::sector_table;
}

const transfer_kernels& transfers_on(processor who) {
    if (!who.is_gpu()) return cpu::transfer_table;
    device::use(who.number);
    return gpu::transfer_table;
}

}  // namespace watari::storage
