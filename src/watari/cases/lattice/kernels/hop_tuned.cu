// The hop for a GPU. A warp has 32 sites that lie side by side, so that each of its loads is one
// run of 512 bytes; with several right-hand sides the warps of a block have the same sites, and
// links and F^-1 come from its L1 for all but the first. Links and F^-1 of one right-hand side are
// read once in a hop: they are marked so (ld.global.cs), and L2 keeps spinors, which eight sites
// read.
#include "watari/cases/lattice/kernels/hop.hpp"

#include "watari/cases/lattice/kernels/site.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/parallel/warp.hpp"

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

/// Side32: 32 sites lie side by side, so that offsets are known when this is compiled.
template <bool Stream, bool Side32>
struct cached {
    WATARI_INLINE static lattice::geometry layout(const lattice::geometry& given) {
        return {given.size, Side32 ? 5 : given.log2_lanes};
    }
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

/// What a warp does: 32 sites of one system.
template <unsigned LinkElements, class Load, class Real>
__device__ void advance(const lattice::hop_arguments<Real>& a, std::size_t group,
                        std::size_t groups, std::size_t system) {
    const auto site = static_cast<unsigned>(group * row_lanes + threadIdx.x);
    double sums[3]{};
    if (site < a.where.size.half())
        hop_at<LinkElements, Load>(a, site, system, [&](std::size_t e, const complex<Real>& value) {
            a.out[e] = value;
            if (!a.partials) return;
            const complex<Real> left = a.left[e];
            sums[0] += double(left.re) * value.re + double(left.im) * value.im;
            sums[1] += double(left.re) * value.im - double(left.im) * value.re;
            sums[2] += double(value.re) * value.re + double(value.im) * value.im;
        });
    if (a.partials) put_sums(a, sums, system * groups + group);
}

/// One system: a warp has a group of sites, one after the other.
template <unsigned LinkElements, bool Side32, class Real>
void run_one(const lattice::hop_arguments<Real>& a, stream_t stream) {
    constexpr unsigned warps = 4;
    const std::size_t groups = (a.where.size.half() + row_lanes - 1) / row_lanes;
    launch<warps * row_lanes, 2>(
        (groups + warps - 1) / warps, dim3(row_lanes, warps),
        [=] __device__() {
            const std::size_t group = blockIdx.x * std::size_t{warps} + threadIdx.y;
            if (group < groups) advance<LinkElements, cached<true, Side32>>(a, group, groups, 0);
        },
        stream);
}

/// Several: the eight warps of a block have two systems, of the same sites, and four columns of
/// sites along z that are neighbours along y. The block goes along the columns, a group at a time:
/// what neighbours along z, t and y is in its L1 then, and links and F^-1 are for two. L2 is the
/// limit: it is asked for some 1,700 bytes a site and system.
template <unsigned LinkElements, bool Side32, class Real>
void run_several(const lattice::hop_arguments<Real>& a, stream_t stream) {
    constexpr unsigned most = 2, beside = 4;
    const lattice::extents& size = a.where.size;
    const std::size_t groups = (size.half() + row_lanes - 1) / row_lanes;
    const unsigned column_sites = size.z * size.row();
    const bool whole = column_sites % row_lanes == 0 && size.y % beside == 0;
    const unsigned column = whole ? column_sites / row_lanes : 1, columns = whole ? beside : 1;
    const auto systems = static_cast<unsigned>(a.systems < most ? a.systems : most);
    const std::size_t parts = (a.systems + systems - 1) / systems;
    const std::size_t each = std::size_t{column} * columns;
    launch<most * beside * row_lanes, 1>(
        (groups + each - 1) / each * parts, dim3(row_lanes, systems, columns),
        [=] __device__() {
            const std::size_t system = blockIdx.x % parts * systems + threadIdx.y;
            const std::size_t first = blockIdx.x / parts * each + threadIdx.z * column;
            if (system >= a.systems) return;
            for (std::size_t group = first; group < first + column && group < groups; ++group)
                advance<LinkElements, cached<false, Side32>>(a, group, groups, system);
        },
        stream);
}

template <unsigned LinkElements, bool Side32, class Real>
void run(const lattice::hop_arguments<Real>& a, stream_t stream) {
    a.systems == 1 ? run_one<LinkElements, Side32>(a, stream)
                   : run_several<LinkElements, Side32>(a, stream);
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
