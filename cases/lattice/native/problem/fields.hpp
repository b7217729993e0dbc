/// The arrays of a solve, and the kernels that fill and use them.
#pragma once

#include "../lattice.hpp"
#include "watari/core/complex.hpp"
#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <utility>

namespace watari::lattice {

inline constexpr unsigned spinor = 12;       ///< complex components: spin 0..3 x colour 0..2
inline constexpr unsigned packed = 36;       ///< numbers of F^-1: two Hermitian 6x6 blocks
inline constexpr unsigned piece_sites = 32;  ///< sites of a piece, which has one partial sum
inline constexpr std::size_t piece = piece_sites * spinor;
inline constexpr unsigned few_sums = 3, all_sums = 7;  ///< doubles that a hop sums at a site

/// The arrays that a style allocates. The CPU writes links and source, the processor writes the
/// others. After the solve the CPU reads only solution. `work` holds the solver's memory
/// (solver/work.hpp).
struct fields {
    std::byte *links{}, *source{}, *clover{}, *solution{}, *work{};
};

/// The pointer of an array, and its bytes.
using array = std::pair<std::byte**, std::size_t>;

/// All arrays, links and source first.
std::array<array, 5> arrays(fields& f, const parameters& p);

/// The arrays that the CPU writes.
inline std::span<const array> inputs(const std::array<array, 5>& all) { return {all.data(), 2}; }

/// The layout that the kernels of the processor use.
geometry geometry_of(const parameters& p);

/// The arrays that a hop reads and writes. `links` holds all directions and both parities:
/// [parity][direction][site].
template <class Real>
struct hop_arguments {
    geometry where;
    unsigned parity = 0;  ///< parity of the sites that are written
    unsigned link_elements = 9;
    const complex<Real>* links = nullptr;
    const complex<Real>* clover = nullptr;    ///< F^-1 of this parity, halved; null: M alone
    const complex<Real>* in = nullptr;        ///< [system] spinors of the other parity
    complex<Real>* out = nullptr;             ///< [system] spinors of this parity
    const complex<Real>* diagonal = nullptr;  ///< out = diagonal - factor x result; null: result
    Real factor = 1;
    std::size_t systems = 1;
    const complex<Real>* left = nullptr;   ///< if partials: sums <left, out> and |out|^2
    const complex<Real>* other = nullptr;  ///< not null: also <other, out> and <other, left>
    double* partials = nullptr;  ///< [system][piece][width()]; only tuned kernels write them

    /// Doubles that are summed at a site.
    constexpr unsigned width() const { return other ? all_sums : few_sums; }
};

/// Arguments of the hop at the ends of a part, where neighbours belong to other ranks. A neighbour
/// sends one half spinor per site, [system][component][site of the face]. From above it is
/// (1 - g) psi, which this rank multiplies by its own link; from below it is U^+ (1 + g) psi.
template <class Real>
struct edge_arguments {
    hop_arguments<Real> hop;
    const complex<Real>* halo[4][2]{};  ///< [direction][below, above]; null: not divided
};

/// Whether a site has a neighbour of another rank along one of the first `directions`.
template <class Real>
[[gnu::always_inline]] constexpr bool is_at_edge(const edge_arguments<Real>& a, const point& p,
                                                 unsigned directions = 4) {
    for (unsigned d = 0; d < directions; ++d)
        if (a.halo[d][0] != nullptr && (p.at[d] == 0 || p.at[d] + 1 == extent(a.hop.where.size, d)))
            return true;
    return false;
}

/// Kernels of one backend. On a GPU they return before they are done.
template <class Real>
struct kernels {
    void (*hop)(const hop_arguments<Real>& a, stream_t stream);
    void (*tuned_hop)(const hop_arguments<Real>& a, stream_t stream);
    void (*draw_links)(geometry where, unsigned elements, complex<Real>* links, stream_t stream);
    void (*draw_source)(geometry where, unsigned parity, complex<Real>* to, stream_t stream);
    /// Computes F^-1 of both parities. sums[0] = log det F; `sums` has room for scratch(p) doubles.
    void (*make_clover)(geometry where, unsigned elements, const complex<Real>* links,
                        complex<Real>* clover, double* sums, stream_t stream);
    /// Sums over sites: sums[0] = Re tr of six plaquettes, sums[1] and sums[2] = re and im of the
    /// elements of all links.
    void (*sum_links)(geometry where, unsigned elements, const complex<Real>* links, double* sums,
                      stream_t stream);
    /// to = from, converted to Real.
    void (*narrow)(std::size_t count, const complex<double>* from, complex<Real>* to,
                   stream_t stream);
    /// Packs the half spinors of `in` that the neighbour above or below needs, as edge_arguments
    /// describes.
    void (*pack_face)(const hop_arguments<Real>& a, unsigned direction, bool above,
                      complex<Real>* to, stream_t stream);
    /// Computes the hop at the edges again, with the half spinors that have arrived.
    void (*hop_edges)(const edge_arguments<Real>& a, stream_t stream);
    /// Computes the partial sums of tuned_hop again, for the pieces that hop_edges has changed.
    void (*sum_edges)(const edge_arguments<Real>& a, stream_t stream);
    /// sums[0] = |v|^2.
    void (*norm)(std::size_t length, const complex<Real>* v, double* sums, stream_t stream);
    static const kernels cpu, gpu;
};

/// Doubles that the argument `sums` of a kernel needs.
std::size_t scratch(const parameters& p);

}  // namespace watari::lattice
