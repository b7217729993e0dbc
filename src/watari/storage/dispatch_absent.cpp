// A build without CUDA: only the CPU's kernels exist.
#include "watari/core/device.hpp"
#include "watari/storage/array_kernels.hpp"

namespace watari::storage {

const array_kernels& array_kernels_on(processor who) {
    if (who.is_gpu()) device::use(who.number);  // throws unsupported
    return cpu::array_table;
}

}  // namespace watari::storage
