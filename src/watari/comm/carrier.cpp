#include "watari/comm/carrier.hpp"

#include <chrono>

namespace watari::comm {

void carrier::pack(const faces& f, const float* field, buffers to, stream_t stream) const {
    if (!on_gpu() || !f.contiguous()) return kernels_->pack(f, field, to, stream);
    // a copy engine leaves the multiprocessors to the kernels of other streams
    for (const int side : {0, 1})
        if (f.ranks[side] != nobody)
            device::copy(to[side], field + f.inner[side], f.points() * sizeof(float), stream);
}

void carrier::unpack(const faces& f, float* field, buffers from, stream_t stream) const {
    if (!on_gpu() || !f.contiguous()) return kernels_->unpack(f, field, from, stream);
    for (const int side : {0, 1})
        if (f.ranks[side] != nobody)
            device::copy(field + f.outer[side], from[side], f.points() * sizeof(float), stream);
}

void carrier::send(const faces& f, const float* const (&own)[2], buffers others) {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    options_.ranks->exchange(f.ranks, {own[0], own[1]}, {others[0], others[1]},
                             f.points() * sizeof(float));
    seconds_ += std::chrono::duration<double>(clock::now() - start).count();
}

}  // namespace watari::comm
