/// Which backend's table of kernels a processor runs.
///
/// A table is a struct of functions with `static const table cpu, gpu;`, each of which is defined
/// in the file of its kernels, as `table::WATARI_BACKEND`.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"
#include "watari/core/with_cuda.hpp"

namespace watari {

/// The CPU's table or the GPU's, whose device is then in use. Throws unsupported. A build without
/// CUDA has no table of the GPU: it is named here and never used.
template <class Table>
const Table& kernels_on(processor who) {
    if (who.is_gpu()) {
        device::use(who.number);
        if constexpr (with_cuda) return Table::gpu;
    }
    return Table::cpu;
}

}  // namespace watari
