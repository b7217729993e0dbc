/// The arrays of a solve, and the kernels that fill and use them.
#pragma once

#include "watari/cases/lattice/lattice.hpp"
#include "watari/core/complex.hpp"
#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <utility>

namespace watari::lattice {

inline constexpr unsigned spinor = 12;       ///< complex components: spin 0..3 x colour 0..2
inline constexpr unsigned packed = 36;       ///< of F^-1 at a site: two Hermitian 6x6 blocks
inline constexpr unsigned piece_sites = 32;  ///< whose sums are taken together
inline constexpr std::size_t piece = piece_sites * spinor;
inline constexpr unsigned few_sums = 3, all_sums = 7;  ///< doubles that a hop sums at a site

/// The arrays that a style allocates. links and source are written by the CPU, the others by the
/// processor; only solution is read by the CPU. `work` holds vectors that the solver needs.
struct fields {
    std::byte *links{}, *source{}, *clover{}, *solution{}, *work{};
};

/// An array, and its bytes.
using array = std::pair<std::byte**, std::size_t>;

/// All of them, links and source first.
std::array<array, 5> arrays(fields& f, const parameters& p);

/// Those that the CPU writes.
inline std::span<const array> inputs(const std::array<array, 5>& all) { return {all.data(), 2}; }

/// The layout that the kernels of a processor want.
geometry geometry_of(const parameters& p);

/// What a hop reads and writes. `links` are those of all directions and both parities:
/// [parity][direction][site].
template <class Real>
struct hop_arguments {
    geometry where;
    unsigned parity = 0;  ///< of the sites that are written
    unsigned link_elements = 9;
    const complex<Real>* links = nullptr;
    const complex<Real>* clover = nullptr;    ///< F^-1 of this parity, halved; null: M alone
    const complex<Real>* in = nullptr;        ///< [system] spinors of the other parity
    complex<Real>* out = nullptr;             ///< [system] spinors of this parity
    const complex<Real>* diagonal = nullptr;  ///< out = diagonal - factor x result; null: result
    Real factor = 1;
    std::size_t systems = 1;
    const complex<Real>* left = nullptr;   ///< with partials: <left, out> and |out|^2
    const complex<Real>* other = nullptr;  ///< not null: also <other, out> and <other, left>
    double* partials = nullptr;            ///< [system][piece][width()]; of tuned kernels alone

    /// Doubles that are summed at a site.
    constexpr unsigned width() const { return other ? all_sums : few_sums; }
};

/// The sites at the ends of a part, whose neighbours beyond are other ranks'. What arrives from
/// there is half a spinor a site, [system][component][site of the face]: from above (1 - g) psi,
/// which is still to be multiplied by the link of this side; from below U^+ (1 + g) psi.
template <class Real>
struct edge_arguments {
    hop_arguments<Real> hop;
    const complex<Real>* halo[4][2]{};  ///< [direction][below, above]; null: it is not divided
};

/// Kernels of one backend. On a GPU they return before they are done.
template <class Real>
struct kernels {
    void (*hop)(const hop_arguments<Real>& a, stream_t stream);
    void (*tuned_hop)(const hop_arguments<Real>& a, stream_t stream);
    void (*draw_links)(geometry where, unsigned elements, complex<Real>* links, stream_t stream);
    void (*draw_source)(geometry where, unsigned parity, complex<Real>* to, stream_t stream);
    /// F^-1 of both parities. sums: log det F in [0], with room for scratch(p) doubles.
    void (*make_clover)(geometry where, unsigned elements, const complex<Real>* links,
                        complex<Real>* clover, double* sums, stream_t stream);
    /// Sums over sites: of Re tr of six plaquettes, of the elements of all links (re, im).
    void (*sum_links)(geometry where, unsigned elements, const complex<Real>* links, double* sums,
                      stream_t stream);
    /// to = from, in less precision.
    void (*narrow)(std::size_t count, const complex<double>* from, complex<Real>* to,
                   stream_t stream);
    /// What the neighbour above or below needs of `in`, as edge_arguments has it.
    void (*pack_face)(const hop_arguments<Real>& a, unsigned direction, bool above,
                      complex<Real>* to, stream_t stream);
    /// The hop at the edges, once more, with what has arrived.
    void (*hop_edges)(const edge_arguments<Real>& a, stream_t stream);
    /// |v|^2 in sums[0].
    void (*norm)(std::size_t length, const complex<Real>* v, double* sums, stream_t stream);
    static const kernels cpu, gpu;
};

/// Doubles that `sums` of kernels need.
std::size_t scratch(const parameters& p);

}  // namespace watari::lattice
