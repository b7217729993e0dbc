/// The hop for the directive styles: one site of hop_body.hpp, with arguments that a compiler of
/// directives passes one by one. All is inlined: so GCC needs no mark that it is code for the GPU.
#pragma once

#include "watari/cases/lattice/kernels/edge_site.hpp"
#include "watari/cases/lattice/styles/directive.hpp"

namespace watari::lattice::directive {

#define WATARI_ALWAYS [[gnu::always_inline]] inline

/// out = F^-1 M in, or diagonal - factor F^-1 M in, at the sites of a parity.
struct hop {
    unsigned parity;
    const number *links, *clover, *in, *diagonal;
    number* out;
    double factor;
};

WATARI_ALWAYS hop_arguments<double> arguments(const geometry& where, unsigned parity,
                                              const number* links, const number* clover,
                                              const number* in, number* out) {
    hop_arguments<double> a;
    a.where.size = where.size;
    a.where.log2_lanes = where.log2_lanes;
    a.parity = parity;
    a.link_elements = link;
    a.links = links;
    a.clover = clover + parity * where.size.half() * packed;
    a.in = in;
    a.out = out;
    return a;
}

struct put {
    number* out;
    WATARI_ALWAYS void operator()(std::size_t e, const number& value) const { out[e] = value; }
};

WATARI_ALWAYS void hop_at_site(const hop_arguments<double>& a, unsigned n) {
    const cpu::one_site<link, cpu::plain, double> site(a, n, 0);
    cpu::hop_of<link, cpu::plain>(a, site, put{a.out});
}

/// The same where neighbours may be another rank's, whose half spinors have arrived.
WATARI_ALWAYS void hop_at_edge(const hop_arguments<double>& a, const extents& split,
                               const number* arrived, unsigned n) {
    edge_arguments<double> edges;
    edges.hop = a;
    for (unsigned d = 0; d < 4; ++d) {
        if (extent(split, d) == 1) continue;
        edges.halo[d][0] = arrived + halo_begin(a.where.size, split, d, false);
        edges.halo[d][1] = arrived + halo_begin(a.where.size, split, d, true);
    }
    const cpu::edge_site<link, double> site(edges, n, 0);
    cpu::hop_of<link, cpu::plain>(a, site, put{a.out});
}

}  // namespace watari::lattice::directive
