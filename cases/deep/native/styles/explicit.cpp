// Style `explicit`: the deep copy. Every node and every array gets its own allocation on the GPU.
// The pointers of a node are set to the copies of its children before the node itself is copied.
#include "../styles.hpp"
#include "watari/case/stopwatch.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

#include <cstdlib>

namespace watari::deep {

namespace {

node* copy_to_gpu(const node* host) {
    node made = *host;
    node* copied = nullptr;
    for (int side : {0, 1})
        if (host->child[side]) made.child[side] = copy_to_gpu(host->child[side]);
    const std::size_t bytes = host->count * sizeof(double);
    check(cudaMalloc(&made.data, bytes));
    check(cudaMemcpy(made.data, host->data, bytes, cudaMemcpyHostToDevice));
    check(cudaMalloc(&copied, sizeof made));
    check(cudaMemcpy(copied, &made, sizeof made, cudaMemcpyHostToDevice));
    return copied;
}

void copy_back(node* host, const node* copied) {
    node made{};
    check(cudaMemcpy(&made, copied, sizeof made, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(host->data, made.data, made.count * sizeof(double), cudaMemcpyDeviceToHost));
    for (int side : {0, 1})
        if (host->child[side]) copy_back(host->child[side], made.child[side]);
}

void free_on_gpu(node* copied) {
    node made{};
    check(cudaMemcpy(&made, copied, sizeof made, cudaMemcpyDeviceToHost));
    for (node* child : made.child)
        if (child) free_on_gpu(child);
    check(cudaFree(made.data));
    check(cudaFree(copied));
}

}  // namespace

measure::trial run_explicit(const parameters& p) {
    measure::trial result;
    prepare(result, p, memory::kind::pageable, memory::kind::device);
    cases::stopwatch watch(result);

    node* root = build(p.tree(), [](std::size_t bytes) { return std::malloc(bytes); });
    watch.lap("build");

    node* on_gpu = copy_to_gpu(root);
    watch.lap("transfer_in");

    iterate(result, p, on_gpu);
    watch.skip();

    copy_back(root, on_gpu);
    read_result(result, p, root);
    watch.lap("transfer_out");

    free_on_gpu(on_gpu);
    take_down(root, [](void* memory) { std::free(memory); });
    watch.lap("release");
    return result;
}

}  // namespace watari::deep
