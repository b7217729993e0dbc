// A build without CUDA: only the CPU's kernels exist.
#include "watari/core/device.hpp"
#include "watari/storage/array_kernels.hpp"
#include "watari/storage/request_list.hpp"
#include "watari/storage/sectors.hpp"

namespace watari::storage {

const array_kernels& array_kernels_on(processor who) {
    if (who.is_gpu()) device::use(who.number);  // throws unsupported
    return cpu::array_table;
}

const request_kernels& request_kernels_on(processor who) {
    if (who.is_gpu()) device::use(who.number);
    return cpu::request_table;
}

const sector_kernels& sectors_on(processor who) {
    if (who.is_gpu()) device::use(who.number);
    return cpu::sector_table;
}

}  // namespace watari::storage
