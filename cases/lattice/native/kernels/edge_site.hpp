/// A site at the end of a rank's part, and the half spinors that the rank sends to its neighbours.
#pragma once

#include "site.hpp"

namespace watari::WATARI_BACKEND {

/// The spinor of site `number` of `in` and its link in a direction.
template <unsigned LinkElements, class Real>
WATARI_INLINE neighbour_site<plain, complex<Real>> own_site(const lattice::hop_arguments<Real>& a,
                                                            unsigned direction, unsigned number,
                                                            std::size_t system) {
    const std::size_t half = a.where.size.half();
    return {a.where.lanes(),
            a.in + system * half * lattice::spinor + a.where.first(lattice::spinor, number),
            a.links + ((1 - a.parity) * 4 + direction) * half * LinkElements +
                a.where.first(LinkElements, number)};
}

/// Packs the half spinor of site k of a face for the neighbour beyond: [component][site of the
/// face].
template <unsigned Direction, bool Above, unsigned LinkElements, class Real>
WATARI_INLINE void pack_at(const lattice::hop_arguments<Real>& a, std::size_t system, unsigned k,
                           complex<Real>* to) {
    const std::size_t face = lattice::face_sites(a.where.size, Direction);
    const unsigned at = Above ? lattice::extent(a.where.size, Direction) - 1 : 0;
    const lattice::point p = lattice::face_point(a.where.size, Direction, at, 1 - a.parity, k);
    const auto own =
        own_site<LinkElements>(a, Direction, lattice::number_of(a.where.size, p), system);
    complex<Real> v[2][3], g[2][3]{};
    project<Direction, !Above>(own, v);
    if constexpr (Above) transport<false, LinkElements>(own, v, g);
    for (unsigned c = 0; c < lattice::half_spinor; ++c)
        to[c * face + k] = Above ? g[c / 3][c % 3] : v[c / 3][c % 3];
}

/// A site at an edge of a part.
template <unsigned LinkElements, class Real>
struct edge_site : one_site<LinkElements, plain, Real> {
    using inner = one_site<LinkElements, plain, Real>;
    const lattice::edge_arguments<Real>* edges;

    WATARI_INLINE edge_site(const lattice::edge_arguments<Real>& given, unsigned number,
                            std::size_t which)
        : inner(given.hop, number, which), edges(&given) {}

    /// Whether a neighbour belongs to another rank.
    template <unsigned Direction, bool Forward>
    WATARI_INLINE bool beyond() const {
        const unsigned last = lattice::extent(this->where.size, Direction) - 1;
        return edges->halo[Direction][Forward] != nullptr &&
               this->at.at[Direction] == (Forward ? last : 0);
    }
    /// Reads the half spinor that the other rank has sent; false if the neighbour is in this part.
    template <unsigned Direction, bool Forward>
    WATARI_INLINE bool arrived(complex<Real> (&v)[2][3]) const {
        if (!beyond<Direction, Forward>()) return false;
        const lattice::extents& size = this->where.size;
        const std::size_t face = lattice::face_sites(size, Direction);
        const complex<Real>* const from = edges->halo[Direction][Forward] +
                                          this->system * lattice::half_spinor * face +
                                          lattice::face_number(size, Direction, this->at);
        for (unsigned c = 0; c < lattice::half_spinor; ++c) v[c / 3][c % 3] = from[c * face];
        return true;
    }
};

}  // namespace watari::WATARI_BACKEND
