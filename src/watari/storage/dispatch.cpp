// Which backend's kernels a processor runs. One of dispatch.cpp and dispatch_absent.cpp is built.
#include "watari/core/device.hpp"
#include "watari/storage/array_kernels.hpp"
#include "watari/storage/request_list.hpp"
#include "watari/storage/sectors.hpp"

namespace watari::storage {

const array_kernels& array_kernels_on(processor who) {
    if (!who.is_gpu()) return cpu::array_table;
    device::use(who.number);
    return gpu::array_table;
}

const request_kernels& request_kernels_on(processor who) {
    if (!who.is_gpu()) return cpu::request_table;
    device::use(who.number);
    return gpu::request_table;
}

const sector_kernels& sectors_on(processor who) {
    if (!who.is_gpu()) return cpu::sector_table;
    device::use(who.number);
    return gpu::sector_table;
}

}  // namespace watari::storage
