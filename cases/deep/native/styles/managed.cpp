// Style `managed`: every node and every array is a separate allocation of managed memory, and the
// GPU follows the same pointers. Only the allocation differs from the CPU's program; nothing is
// copied.
#include "../styles.hpp"
#include "watari/case/stopwatch.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

namespace watari::deep {

namespace {

void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMallocManaged(&memory, bytes));
    return memory;
}

}  // namespace

measure::trial run_managed(const parameters& p) {
    measure::trial result;
    prepare(result, p, memory::kind::managed);
    cases::stopwatch watch(result);

    node* root = build(p.tree(), allocate);
    watch.lap("build");

    iterate(result, p, root);
    watch.skip();

    read_result(result, p, root);
    watch.lap("transfer_out");

    take_down(root, [](void* memory) { check(cudaFree(memory)); });
    watch.lap("release");
    return result;
}

}  // namespace watari::deep
