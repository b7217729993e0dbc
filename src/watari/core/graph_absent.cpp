// A build without CUDA has nothing to record.
#include "watari/core/graph.hpp"

#include "watari/core/error.hpp"

namespace watari::device {

void destroy_graph(CUgraphExec_st*) noexcept {}

graph::graph(const std::function<void(stream_t)>&) { throw unsupported(absent_reason()); }

void graph::launch(stream_t) const { throw unsupported(absent_reason()); }

}  // namespace watari::device
