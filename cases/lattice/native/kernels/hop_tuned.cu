// The hop for a GPU. A warp computes 32 contiguous sites, so each of its loads reads 512 contiguous
// bytes (in double). With one right-hand side a hop reads links and F^-1 once: these loads are
// marked (ld.global.cs), and L2 keeps spinors, which eight sites read. Several right-hand sides use
// the tiles of hop_tile.hpp. If tiles do not fit, one launch computes each right-hand side
// separately.
#include "hop.hpp"

#include "hop_tile.hpp"
#include "site.hpp"
#include "watari/core/cache_hints_gpu.hpp"
#include "watari/core/loops.hpp"

namespace watari::gpu {

namespace {

/// Stream: `once` marks its loads. Side32: 32 sites are contiguous, so offsets are compile-time
/// constants.
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

/// Adds up and stores the sums of a warp's sites.
template <unsigned Count, class Real>
__device__ void put_sums(const lattice::hop_arguments<Real>& a, const double (&own)[2][Count],
                         std::size_t slot) {
    for (unsigned k = 0; k < Count; ++k) {
        double value = own[0][k] + own[1][k];
        for (unsigned half = row_lanes / 2; half > 0; half /= 2)
            value += __shfl_down_sync(~0u, value, half);
        if (threadIdx.x == 0) a.partials[Count * slot + k] = value;
    }
}

/// The work of a warp: 32 sites of one system. Sums follow the stores, so that all their loads are
/// in flight at once.
template <unsigned LinkElements, class Load, class Real>
struct warp_of_sites {
    const lattice::hop_arguments<Real>& a;
    std::size_t group, groups, system;

    __device__ void operator()() const {
        const auto site = static_cast<unsigned>(group * row_lanes + threadIdx.x);
        const bool inside = site < a.where.size.half();
        complex<Real> values[lattice::spinor]{};
        std::size_t elements[lattice::spinor]{};
        unsigned n = 0;
        if (inside)
            hop_at<LinkElements, Load>(a, site, system,
                                       [&](std::size_t e, const complex<Real>& value) {
                                           a.out[e] = value;
                                           elements[n] = e;
                                           values[n++] = value;
                                       });
        if (a.partials) sum(inside, elements, values);
    }

    /// The sums of what lies in `out`, if a site of the warp is at an edge: reads two vectors, or
    /// three with `other`.
    __device__ void sum_edges(const lattice::edge_arguments<Real>& edges) const {
        const auto site = static_cast<unsigned>(group * row_lanes + threadIdx.x);
        const bool inside = site < a.where.size.half();
        const lattice::point at = lattice::point_of(a.where.size, a.parity, site);
        if (!__ballot_sync(~0u, inside && lattice::is_at_edge(edges, at))) return;
        complex<Real> values[lattice::spinor]{};
        std::size_t elements[lattice::spinor]{};
        const std::size_t first = system * a.where.size.half() * lattice::spinor;
        for (unsigned n = 0; inside && n < lattice::spinor; ++n) {
            elements[n] = first + Load::layout(a.where).element(lattice::spinor, site, n);
            values[n] = load_often(a.out + elements[n]);
        }
        sum(inside, elements, values);
    }

private:
    __device__ void sum(bool inside, const std::size_t (&elements)[lattice::spinor],
                        const complex<Real> (&values)[lattice::spinor]) const {
        a.other ? sum<lattice::all_sums>(inside, elements, values)
                : sum<lattice::few_sums>(inside, elements, values);
    }
    /// Adds spins 0 and 2 and spins 1 and 3 separately, like the two threads of half_site.hpp.
    template <unsigned Count>
    __device__ void sum(bool inside, const std::size_t (&elements)[lattice::spinor],
                        const complex<Real> (&values)[lattice::spinor]) const {
        double sums[2][Count]{};
        if (inside)
            for (unsigned n = 0; n < lattice::spinor; ++n) {
                const auto left = widen(load_often(a.left + elements[n]));
                if constexpr (Count == lattice::all_sums)
                    add_all_sums(sums[n / 3 % 2], left, widen(values[n]),
                                 widen(load_often(a.other + elements[n])));
                else
                    add_few_sums(sums[n / 3 % 2], left, widen(values[n]));
            }
        put_sums(a, sums, system * groups + group);
    }
};

/// A warp computes a group of sites of one system. Blocks of the same sites are consecutive, one
/// per system: all systems but the first read links and F^-1 from L2.
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
                warp_of_sites<LinkElements, cached<!Several, Side32>, Real>{a, group, groups,
                                                                            system}();
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

template <class Real>
void sum_edges(const lattice::edge_arguments<Real>& given, stream_t stream) {
    constexpr unsigned warps = 4;
    const lattice::edge_arguments<Real> a = given;
    const std::size_t groups = (a.hop.where.size.half() + row_lanes - 1) / row_lanes;
    launch<warps * row_lanes, 2>(
        (groups * a.hop.systems + warps - 1) / warps, dim3(row_lanes, warps),
        [=] __device__() {
            const std::size_t n = blockIdx.x * std::size_t{warps} + threadIdx.y;
            if (n < groups * a.hop.systems)
                warp_of_sites<9, cached<false, false>, Real>{a.hop, n % groups, groups, n / groups}
                    .sum_edges(a);
        },
        stream);
}

template void tuned_hop(const lattice::hop_arguments<float>&, stream_t);
template void tuned_hop(const lattice::hop_arguments<double>&, stream_t);
template void sum_edges(const lattice::edge_arguments<float>&, stream_t);
template void sum_edges(const lattice::edge_arguments<double>&, stream_t);

}  // namespace watari::gpu
