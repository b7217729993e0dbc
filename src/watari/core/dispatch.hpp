/// Selects the table of kernels that a processor runs.
///
/// A table is a struct of functions with `static const table cpu, gpu;`. The file of its kernels
/// defines both, as `table::WATARI_BACKEND`.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"
#include "watari/core/with_cuda.hpp"

namespace watari {

/// The CPU's table, or the GPU's after making the GPU the current one. Throws unsupported. A build
/// without CUDA has no table of the GPU: the code names it but never uses it.
template <class Table>
const Table& kernels_on(processor who) {
    if (who.is_gpu()) {
        device::use(who.number);
        if constexpr (with_cuda) return Table::gpu;
    }
    return Table::cpu;
}

}  // namespace watari
