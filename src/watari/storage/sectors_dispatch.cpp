// Which backend's kernels a processor runs. One of sectors_dispatch.cpp and
// sectors_dispatch_absent.cpp is built.
#include "watari/core/device.hpp"
#include "watari/storage/sectors.hpp"

namespace watari::storage {

const sector_kernels& sectors_on(processor who) {
    if (!who.is_gpu()) return cpu::sector_table;
    device::use(who.number);
    return gpu::sector_table;
}

}  // namespace watari::storage
