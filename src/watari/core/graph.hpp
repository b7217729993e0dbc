/// Work of a GPU that is recorded once and launched as a whole: hundreds of short kernels then cost
/// the CPU one launch.
///
/// One of graph.cpp (CUDA) and graph_absent.cpp is built.
#pragma once

#include "watari/core/device.hpp"

#include <functional>

struct CUgraphExec_st;

namespace watari::device {

void destroy_graph(CUgraphExec_st* graph) noexcept;

class graph {
public:
    graph() = default;  ///< empty
    /// Records the work that `work` puts into its stream, without running it. `work` may only
    /// launch kernels and copies: a call that allocates or waits throws.
    explicit graph(const std::function<void(stream_t)>& work);

    explicit operator bool() const noexcept { return handle_.get() != nullptr; }
    /// Launches all of the work, in stream order.
    void launch(stream_t stream) const;

private:
    handle<CUgraphExec_st*, destroy_graph> handle_;
};

}  // namespace watari::device
