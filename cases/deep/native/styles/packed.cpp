// Style `packed`: the program lays out the tree in one block, nodes before arrays, with the
// addresses of the GPU; then one copy moves the block. Few calls, and much code.
#include "../styles.hpp"
#include "watari/case/stopwatch.hpp"
#include "watari/core/cuda.hpp"

#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>

namespace watari::deep {

namespace {

struct block {
    node* nodes;
    double* data;
};

block laid_out(void* memory, const shape& s) {
    auto* nodes = static_cast<node*>(memory);
    return {nodes, reinterpret_cast<double*>(nodes + s.nodes())};
}

void pack(const node* root, const shape& s, const block& staged, const block& gpu) {
    for (std::size_t n = 1; n <= s.nodes(); ++n) {
        const node* host = walk(root, n);
        node& made = staged.nodes[n - 1];
        made = *host;
        for (std::size_t side : {0u, 1u})
            if (host->child[side]) made.child[side] = gpu.nodes + 2 * n + side - 1;
        made.data = gpu.data + (n - 1) * s.each;
        std::memcpy(staged.data + (n - 1) * s.each, host->data, s.each * sizeof(double));
    }
}

void unpack(node* root, const shape& s, const block& staged) {
    for (std::size_t n = 1; n <= s.nodes(); ++n)
        std::memcpy(walk(root, n)->data, staged.data + (n - 1) * s.each, s.each * sizeof(double));
}

}  // namespace

measure::trial run_packed(const parameters& p) {
    measure::trial result;
    prepare(result, p, memory::kind::pinned, memory::kind::device);
    const shape s = p.tree();
    const std::size_t bytes = s.nodes() * sizeof(node) + s.bytes();
    void *staged = nullptr, *gpu = nullptr;
    cases::stopwatch watch(result);

    node* root = build(s, [](std::size_t bytes) { return std::malloc(bytes); });
    watch.lap("build");

    check(cudaMallocHost(&staged, bytes));
    check(cudaMalloc(&gpu, bytes));
    pack(root, s, laid_out(staged, s), laid_out(gpu, s));
    check(cudaMemcpy(gpu, staged, bytes, cudaMemcpyHostToDevice));
    watch.lap("transfer_in");

    iterate(result, p, laid_out(gpu, s).nodes);
    watch.skip();

    check(cudaMemcpy(staged, gpu, bytes, cudaMemcpyDeviceToHost));
    unpack(root, s, laid_out(staged, s));
    read_result(result, p, root);
    watch.lap("transfer_out");

    check(cudaFree(gpu));
    check(cudaFreeHost(staged));
    take_down(root, [](void* memory) { std::free(memory); });
    watch.lap("release");
    return result;
}

}  // namespace watari::deep
