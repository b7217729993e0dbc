// A build without CUDA: only the CPU's kernels exist.
#include "watari/core/device.hpp"
#include "watari/storage/sectors.hpp"

namespace watari::storage {

const sector_kernels& sectors_on(processor who) {
    if (who.is_gpu()) device::use(who.number);  // throws unsupported
    return cpu::sector_table;
}

}  // namespace watari::storage
