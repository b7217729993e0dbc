#include "overlap.hpp"

#include "loop.hpp"

#include <utility>

namespace watari::himeno {

namespace {

/// `count` inner planes of f from plane `first` on, with the plane on either side.
fields slab(const fields& f, std::size_t first, std::size_t count) {
    fields result = f;
    result.size.i = count + 2;
    for (float** array : pointers(result)) *array += (first - 1) * f.size.j * f.size.k;
    return result;
}

grid edge_size(const part& p) { return {3, p.size.j, p.size.k}; }

/// Planes of which a neighbour needs a copy; a plane that both need appears once.
std::vector<std::size_t> edges_of(const part& p) {
    const comm::faces& along_i = p.exchanged->part().axes[0];
    std::vector<std::size_t> edges;
    if (along_i.ranks[0] != comm::nobody) edges.push_back(1);
    if (along_i.ranks[1] != comm::nobody && (edges.empty() || p.size.i > 3))
        edges.push_back(p.size.i - 2);
    return edges;
}

}  // namespace

overlap::overlap(const part& p, double* gosa, stream_t stream)
    : part_(&p),
      run_(&kernels_on<kernels>(p.processor)),
      gosa_(gosa),
      stream_(stream),
      edges_(edges_of(p)),
      first_(!edges_.empty() && edges_.front() == 1 ? 2 : 1),
      count_(p.size.i - 2 - edges_.size()),
      edge_gosa_(memory::kind::device, 2 * gosa_scratch(edge_size(p)),
                 {.device = p.processor.number}) {}

void overlap::iterate(fields& f, double* summands) {
    if (part_->form == form::fused) {
        fused(f, summands);
        part_->exchanged->exchange(f.wrk2, halo_.get());
        std::swap(f.p, f.wrk2);
    } else {
        two_kernel(f, summands);
        part_->exchanged->exchange(f.p, halo_.get());
    }
    exchanged_.record(halo_.get());
    exchanged_.make_wait(stream_);
}

/// Enqueues all kernels before the exchange, in which the host may wait.
void overlap::fused(const fields& f, double* summands) {
    begun_.record(stream_);
    begun_.make_wait(halo_.get());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        double* gosa = edge_gosa_.data() + e * gosa_scratch(edge_size(*part_));
        run_->fused(slab(f, edges_[e], 1), part_->kernel, gosa, halo_.get());
        device::copy(summands + 1 + e, gosa, sizeof(double), halo_.get());
    }
    if (count_ == 0) return;
    run_->fused(slab(f, first_, count_), part_->kernel, gosa_, stream_);
    device::copy(summands, gosa_, sizeof(double), stream_);
}

void overlap::two_kernel(const fields& f, double* summands) {
    run_->step(f, part_->kernel, gosa_, stream_);
    device::copy(summands, gosa_, sizeof(double), stream_);
    begun_.record(stream_);
    begun_.make_wait(halo_.get());
    for (const std::size_t edge : edges_) run_->update(slab(f, edge, 1), halo_.get());
    if (count_ > 0) run_->update(slab(f, first_, count_), stream_);
}

}  // namespace watari::himeno
