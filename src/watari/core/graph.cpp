#include "watari/core/graph.hpp"

#include "watari/core/cuda.hpp"

namespace watari::device {

namespace {

void destroy_recorded(CUgraph_st* graph) noexcept { cudaGraphDestroy(graph); }
using recorded = handle<CUgraph_st*, destroy_recorded>;

recorded end_of(stream_t stream) {
    CUgraph_st* graph = nullptr;
    check(cudaStreamEndCapture(stream, &graph));
    return recorded(graph);
}

}  // namespace

void destroy_graph(CUgraphExec_st* graph) noexcept { cudaGraphExecDestroy(graph); }

graph::graph(const std::function<void(stream_t)>& work) {
    const stream own;
    check(cudaStreamBeginCapture(own.get(), cudaStreamCaptureModeThreadLocal));
    recorded steps;
    try {
        work(own.get());
    } catch (...) {  // the stream must leave its capture before it is destroyed
        CUgraph_st* unfinished = nullptr;
        cudaStreamEndCapture(own.get(), &unfinished);
        if (unfinished != nullptr) cudaGraphDestroy(unfinished);
        cudaGetLastError();
        throw;
    }
    steps = end_of(own.get());
    CUgraphExec_st* made = nullptr;
    check(cudaGraphInstantiate(&made, steps.get(), 0));
    handle_ = handle<CUgraphExec_st*, destroy_graph>(made);
}

void graph::launch(stream_t stream) const { check(cudaGraphLaunch(handle_.get(), stream)); }

}  // namespace watari::device
