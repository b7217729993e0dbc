// The hop for a GPU. A warp has 32 sites that lie side by side, so that each of its loads is one run
// of 512 bytes; with several right-hand sides the warps of a block have the same sites, and links
// and F^-1 come from its L1 for all but the first. Links and F^-1 of one right-hand side are read
// once in a hop: they are marked so (ld.global.cs), and L2 keeps spinors, which eight sites read.
#include "watari/cases/lattice/hop.hpp"

#include "watari/cases/lattice/site.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/warp.hpp"

namespace watari::gpu {

namespace {

template <class Real>
struct vector_of;
template <>
struct vector_of<double> {
    using type = double2;
};
template <>
struct vector_of<float> {
    using type = float2;
};

template <bool Stream>
struct cached {
    template <class Real>
    WATARI_INLINE static complex<Real> often(const complex<Real>* from) {
        const auto v = __ldg(reinterpret_cast<const typename vector_of<Real>::type*>(from));
        return {v.x, v.y};
    }
    template <class Real>
    WATARI_INLINE static complex<Real> once(const complex<Real>* from) {
        const auto* const at = reinterpret_cast<const typename vector_of<Real>::type*>(from);
        const auto v = Stream ? __ldcs(at) : __ldg(at);
        return {v.x, v.y};
    }
};

/// <left, out> and |out|^2 of a warp's sites.
template <class Real>
__device__ void put_sums(const lattice::hop_arguments<Real>& a, const double (&own)[3],
                         std::size_t slot) {
    const group warp = group::active();
    for (unsigned k = 0; k < 3; ++k) {
        double value = own[k];
        for (unsigned half = row_lanes / 2; half > 0; half /= 2)
            value += __shfl_down_sync(~0u, value, half);
        if (warp.leads()) a.partials[3 * slot + k] = value;
    }
}

/// Blocks of `Warps` warps: of one system's sites, or of as many systems' same sites.
template <unsigned LinkElements, unsigned Warps, unsigned BlocksAtOnce, bool Several, class Real>
void run(const lattice::hop_arguments<Real>& a, stream_t stream) {
    const std::size_t half = a.where.size.half();
    const std::size_t groups = (half + row_lanes - 1) / row_lanes;
    const unsigned warps = Several ? static_cast<unsigned>(a.systems) : Warps;
    launch<Warps * row_lanes, BlocksAtOnce>(
        Several ? groups : (groups + warps - 1) / warps, dim3(row_lanes, warps),
        [=] __device__() {
            const std::size_t system = Several ? threadIdx.y : 0;
            const std::size_t own =
                Several ? blockIdx.x : blockIdx.x * std::size_t{Warps} + threadIdx.y;
            if (own >= groups) return;
            const std::size_t site = own * row_lanes + threadIdx.x;
            double sums[3]{};
            if (site < half)
                hop_at<LinkElements, cached<!Several>>(
                    a, site, system, [&](std::size_t e, const complex<Real>& value) {
                        a.out[e] = value;
                        if (!a.partials) return;
                        const complex<Real> left = a.left[e];
                        sums[0] += double(left.re) * value.re + double(left.im) * value.im;
                        sums[1] += double(left.re) * value.im - double(left.im) * value.re;
                        sums[2] += double(value.re) * value.re + double(value.im) * value.im;
                    });
            if (a.partials) put_sums(a, sums, system * groups + own);
        },
        stream);
}

template <unsigned LinkElements, class Real>
void choose(const lattice::hop_arguments<Real>& a, stream_t stream) {
    if (a.systems == 1)
        run<LinkElements, 4, 3, false>(a, stream);
    else
        run<LinkElements, 12, 1, true>(a, stream);
}

}  // namespace

template <class Real>
void tuned_hop(const lattice::hop_arguments<Real>& a, stream_t stream) {
    a.link_elements == 6 ? choose<6>(a, stream) : choose<9>(a, stream);
}

template void tuned_hop(const lattice::hop_arguments<float>&, stream_t);
template void tuned_hop(const lattice::hop_arguments<double>&, stream_t);

}  // namespace watari::gpu
