/// One site, as hop_body.hpp uses it, and its loads.
#pragma once

#include "../problem/fields.hpp"
#include "hop_body.hpp"

namespace watari::WATARI_BACKEND {

/// Plain loads, for any layout.
struct plain {
    WATARI_INLINE static lattice::geometry layout(const lattice::geometry& given) { return given; }
    template <class Number>
    WATARI_INLINE static Number often(const Number* from) {
        return *from;
    }
    template <class Number>
    WATARI_INLINE static Number once(const Number* from) {
        return *from;
    }
};

/// The neighbour of a site: its spinor, and the link between the two sites.
template <class Load, class Number>
struct neighbour_site {
    unsigned lanes;
    const Number *spinors, *links;  ///< component 0

    WATARI_INLINE Number spinor(unsigned a) const { return Load::often(spinors + a * lanes); }
    WATARI_INLINE Number link(unsigned a) const { return Load::once(links + a * lanes); }
};

/// A site of one system.
template <unsigned LinkElements, class Load, class Real>
struct one_site {
    const lattice::hop_arguments<Real>* a;
    lattice::geometry where;
    unsigned number;
    std::size_t system, half;
    lattice::point at;

    using number_type = complex<Real>;

    WATARI_INLINE one_site(const lattice::hop_arguments<Real>& given, unsigned site,
                           std::size_t which)
        : a(&given),
          where(Load::layout(given.where)),
          number(site),
          system(which),
          half(given.where.size.half()),
          at(lattice::point_of(given.where.size, given.parity, site)) {}

    template <unsigned Direction, bool Forward>
    WATARI_INLINE auto neighbour() const {
        const unsigned other =
            lattice::number_of(where.size, lattice::moved(where.size, at, Direction, Forward));
        const unsigned parity = Forward ? a->parity : 1 - a->parity;
        return neighbour_site<Load, complex<Real>>{
            where.lanes(),
            a->in + system * half * lattice::spinor + where.first(lattice::spinor, other),
            a->links + (parity * 4 + Direction) * half * LinkElements +
                where.first(LinkElements, Forward ? number : other)};
    }
    WATARI_INLINE complex<Real> clover(unsigned n) const {
        return Load::once(a->clover + where.element(lattice::packed, number, n));
    }
    WATARI_INLINE std::size_t element(unsigned n) const {
        return system * half * lattice::spinor + where.element(lattice::spinor, number, n);
    }
};

/// Computes out at one site: M, then F^-1 and the diagonal if given. Calls visit(element, value)
/// for each component.
template <unsigned LinkElements, class Load, class Real, class Site, class Visit>
WATARI_INLINE void hop_of(const lattice::hop_arguments<Real>& a, const Site& site,
                          const Visit& visit) {
    complex<Real> up[2][3]{}, low[2][3]{};
    sum_neighbours<LinkElements>(site, up, low);
    if (a.clover) multiply_clover(site, up, low);
    const auto component = [&](unsigned n) -> complex<Real>& {
        return n < 6 ? up[n / 3][n % 3] : low[n / 3 - 2][n % 3];
    };
    if (a.diagonal) {
        const complex<Real> factor(a.factor);
        WATARI_UNROLLED
        for (unsigned n = 0; n < lattice::spinor; ++n)
            component(n) = Load::often(a.diagonal + site.element(n)) - factor * component(n);
    }
    WATARI_UNROLLED
    for (unsigned n = 0; n < lattice::spinor; ++n) visit(site.element(n), component(n));
}

/// The same for site `number` of `system`.
template <unsigned LinkElements, class Load, class Real, class Visit>
WATARI_INLINE void hop_at(const lattice::hop_arguments<Real>& a, unsigned number,
                          std::size_t system, const Visit& visit) {
    hop_of<LinkElements, Load>(a, one_site<LinkElements, Load, Real>(a, number, system), visit);
}

}  // namespace watari::WATARI_BACKEND
