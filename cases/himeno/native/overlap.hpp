/// An iteration that exchanges the halo while the inner points are computed: on a GPU, for a part
/// with neighbours along i only.
///
/// A second stream computes first the planes that the neighbours need, and then exchanges them. The
/// planes between are computed meanwhile. A slab of planes of `fields` is a `fields` with other
/// pointers: the kernels are the same, and so are the bits.
#pragma once

#include "himeno.hpp"
#include "watari/memory/buffer.hpp"

#include <vector>

namespace watari::himeno {

class overlap {
public:
    /// Parts of the field with separate sums of gosa: the inner part, then one for each edge.
    static constexpr std::size_t parts = 3;

    overlap(const part& p, double* gosa, stream_t stream);

    /// Enqueues one iteration, after which p is in f.p. gosa is the sum of `parts` summands, which
    /// must be 0 before: a part without planes writes none. Returns before the GPU is done.
    void iterate(fields& f, double* summands);

private:
    void fused(const fields& f, double* summands);
    void two_kernel(const fields& f, double* summands);

    const part* part_;
    const kernels* run_;
    double* gosa_;
    stream_t stream_;
    std::vector<std::size_t> edges_;  ///< planes that neighbours need
    std::size_t first_, count_;       ///< the planes between them
    memory::buffer<double> edge_gosa_;
    device::stream halo_{device::priority::urgent};
    device::event begun_, exchanged_;
};

}  // namespace watari::himeno
