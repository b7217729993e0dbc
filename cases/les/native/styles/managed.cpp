// Style `managed`: one pointer for both processors; the driver migrates a page when a processor
// touches it. Neither a step nor a touch has code that manages memory.
#include "../loop.hpp"
#include "../styles.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

#include <array>

namespace watari::les {

measure::trial run_managed(const parameters& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::managed});
    fields f;
    const auto all = arrays(f, p);
    stopwatch watch(result);

    for (const auto& [pointer, bytes] : all) check(cudaMallocManaged(pointer, bytes));
    watch.lap("allocate");

    initialise(f, p);
    watch.skip();

    simulate(result, p, f, {}, true);
    watch.skip();

    read_result(result, p, swapped(p) ? f.next : f.flow);
    watch.lap("transfer_out");

    for (const auto& [pointer, bytes] : all) check(cudaFree(*pointer));
    watch.lap("release");
    return result;
}

}  // namespace watari::les
