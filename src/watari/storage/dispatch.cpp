// Which backend's kernels a processor runs. One of dispatch.cpp and dispatch_absent.cpp is built.
#include "watari/core/device.hpp"
#include "watari/storage/array_kernels.hpp"

namespace watari::storage {

const array_kernels& array_kernels_on(processor who) {
    if (!who.is_gpu()) return cpu::array_table;
    device::use(who.number);
    return gpu::array_table;
}

}  // namespace watari::storage
