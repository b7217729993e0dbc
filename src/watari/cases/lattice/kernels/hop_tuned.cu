// The hop for a GPU. A warp has 32 sites that lie side by side, so that each of its loads is one
// run of 512 bytes. Links and F^-1 of one right-hand side are read once in a hop: they are marked
// so (ld.global.cs), and L2 keeps spinors, which eight sites read. Several right-hand sides go
// through tiles of hop_tile.hpp. Where those do not fit, each is computed as one alone, in one
// launch.
#include "watari/cases/lattice/kernels/hop.hpp"

#include "watari/cases/lattice/kernels/hop_tile.hpp"
#include "watari/cases/lattice/kernels/site.hpp"
#include "watari/cases/lattice/kernels/vector_loads.hpp"
#include "watari/core/loops.hpp"

namespace watari::gpu {

namespace {

/// Side32: 32 sites lie side by side, so that offsets are known when this is compiled.
template <bool Stream, bool Side32>
struct cached {
    WATARI_INLINE static lattice::geometry layout(const lattice::geometry& given) {
        return {given.size, Side32 ? 5 : given.log2_lanes};
    }
    template <class Real>
    WATARI_INLINE static complex<Real> often(const complex<Real>* from) {
        return load_often(from);
    }
    template <class Real>
    WATARI_INLINE static complex<Real> once(const complex<Real>* from) {
        return Stream ? load_once(from) : load_often(from);
    }
};

/// Of a site: spins 0 and 2, spins 1 and 3. They are added apart, as by the two threads of
/// half_site.hpp.
using spin_sums = double[2][lattice::all_sums];

/// The sums of a warp's sites.
template <class Real>
__device__ void put_sums(const lattice::hop_arguments<Real>& a, const spin_sums& own,
                         std::size_t slot) {
    for (unsigned k = 0; k < lattice::all_sums; ++k) {
        if (k == lattice::few_sums && !a.other) return;
        double value = own[0][k] + own[1][k];
        for (unsigned half = row_lanes / 2; half > 0; half /= 2)
            value += __shfl_down_sync(~0u, value, half);
        if (threadIdx.x == 0) a.partials[a.width() * slot + k] = value;
    }
}

/// What a warp does: 32 sites of one system.
template <unsigned LinkElements, class Load, class Real>
__device__ void advance(const lattice::hop_arguments<Real>& a, std::size_t group,
                        std::size_t groups, std::size_t system) {
    const auto site = static_cast<unsigned>(group * row_lanes + threadIdx.x);
    spin_sums sums{};
    unsigned n = 0;
    if (site < a.where.size.half())
        hop_at<LinkElements, Load>(a, site, system, [&](std::size_t e, const complex<Real>& value) {
            double* const to = sums[n++ / 3 % 2];
            a.out[e] = value;
            if (!a.partials) return;
            a.other ? add_all_sums(to, widen(a.left[e]), widen(value), widen(a.other[e]))
                    : add_few_sums(to, widen(a.left[e]), widen(value));
        });
    if (a.partials) put_sums(a, sums, system * groups + group);
}

/// A warp has a group of sites of one system. Blocks of the same sites follow each other, system by
/// system: links and F^-1 come from L2 for all but the first.
template <unsigned LinkElements, bool Several, bool Side32, class Real>
void run_sites(const lattice::hop_arguments<Real>& a, stream_t stream) {
    constexpr unsigned warps = 4;
    const std::size_t groups = (a.where.size.half() + row_lanes - 1) / row_lanes;
    const unsigned systems = Several ? static_cast<unsigned>(a.systems) : 1;
    launch<warps * row_lanes, 2>(
        (groups + warps - 1) / warps * systems, dim3(row_lanes, warps),
        [=] __device__() {
            const unsigned part = Several ? blockIdx.x / systems : blockIdx.x;
            const unsigned system = Several ? blockIdx.x % systems : 0;
            const std::size_t group = part * std::size_t{warps} + threadIdx.y;
            if (group < groups)
                advance<LinkElements, cached<!Several, Side32>>(a, group, groups, system);
        },
        stream);
}

template <tile_form Form, unsigned LinkElements, bool Side32, class Real>
void run_several(const lattice::hop_arguments<Real>& a, stream_t stream) {
    using tile = tile_hop<Form, LinkElements, Real>;
    tiles_fit<tile>(a, device::current_limits()) ? run_tiles<tile>(a, stream)
                                                 : run_sites<LinkElements, true, Side32>(a, stream);
}

template <unsigned LinkElements, bool Side32, class Real>
void run(const lattice::hop_arguments<Real>& a, stream_t stream) {
    if (a.systems == 1)
        run_sites<LinkElements, false, Side32>(a, stream);
    else if (a.other)
        run_several<tile_form::all_sums, LinkElements, Side32>(a, stream);
    else if (a.partials)
        run_several<tile_form::few_sums, LinkElements, Side32>(a, stream);
    else if (a.diagonal)
        run_several<tile_form::diagonal, LinkElements, Side32>(a, stream);
    else
        run_several<tile_form::inverse, LinkElements, Side32>(a, stream);
}

template <unsigned LinkElements, class Real>
void choose(const lattice::hop_arguments<Real>& a, stream_t stream) {
    a.where.log2_lanes == 5 ? run<LinkElements, true>(a, stream)
                            : run<LinkElements, false>(a, stream);
}

}  // namespace

template <class Real>
void tuned_hop(const lattice::hop_arguments<Real>& a, stream_t stream) {
    a.link_elements == 6 ? choose<6>(a, stream) : choose<9>(a, stream);
}

template void tuned_hop(const lattice::hop_arguments<float>&, stream_t);
template void tuned_hop(const lattice::hop_arguments<double>&, stream_t);

}  // namespace watari::gpu
