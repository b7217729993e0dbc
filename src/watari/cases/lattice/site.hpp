/// One site as hop_body.hpp sees it, and how it loads what it reads.
#pragma once

#include "watari/cases/lattice/fields.hpp"
#include "watari/cases/lattice/hop_body.hpp"

namespace watari::WATARI_BACKEND {

/// Plain loads.
struct plain {
    template <class Number>
    WATARI_INLINE static Number often(const Number* from) {
        return *from;
    }
    template <class Number>
    WATARI_INLINE static Number once(const Number* from) {
        return *from;
    }
};

/// The neighbour of a site: its spinor, and the link between them.
template <unsigned LinkElements, class Load, class Number>
struct neighbour_site {
    lattice::geometry where;
    const Number *spinors, *links;
    std::size_t number, owner;  ///< of the neighbour; of the site whose link it is

    WATARI_INLINE Number spinor(unsigned a) const {
        return Load::often(spinors + where.element(lattice::spinor, number, a));
    }
    WATARI_INLINE Number link(unsigned a) const {
        return Load::once(links + where.element(LinkElements, owner, a));
    }
};

/// A site of one system.
template <unsigned LinkElements, class Load, class Real>
struct one_site {
    const lattice::hop_arguments<Real>* a;
    std::size_t number, system, half;
    lattice::point at;

    using number_type = complex<Real>;

    WATARI_INLINE one_site(const lattice::hop_arguments<Real>& given, std::size_t site,
                           std::size_t which)
        : a(&given),
          number(site),
          system(which),
          half(given.where.size.half()),
          at(lattice::point_of(given.where.size, given.parity, site)) {}

    template <unsigned Direction, bool Forward>
    WATARI_INLINE auto neighbour() const {
        const std::size_t other =
            lattice::number_of(a->where.size, lattice::moved(a->where.size, at, Direction, Forward));
        const unsigned parity = Forward ? a->parity : 1 - a->parity;
        return neighbour_site<LinkElements, Load, complex<Real>>{
            a->where, a->in + system * half * lattice::spinor,
            a->links + (parity * 4 + Direction) * half * LinkElements, other,
            Forward ? number : other};
    }
    WATARI_INLINE complex<Real> clover(unsigned n) const {
        return Load::once(a->clover + a->where.element(lattice::packed, number, n));
    }
    WATARI_INLINE std::size_t element(unsigned n) const {
        return system * half * lattice::spinor + a->where.element(lattice::spinor, number, n);
    }
};

/// out at one site: M, F^-1 and the diagonal as asked. visit(element, value) for each component.
template <unsigned LinkElements, class Load, class Real, class Visit>
WATARI_INLINE void hop_at(const lattice::hop_arguments<Real>& a, std::size_t number,
                          std::size_t system, const Visit& visit) {
    const one_site<LinkElements, Load, Real> site(a, number, system);
    complex<Real> up[2][3]{}, low[2][3]{};
    sum_neighbours<LinkElements>(site, up, low);
    if (a.clover) multiply_clover(site, up, low);
    for (unsigned n = 0; n < lattice::spinor; ++n) {
        const std::size_t e = site.element(n);
        complex<Real> value = n < 6 ? up[n / 3][n % 3] : low[n / 3 - 2][n % 3];
        if (a.diagonal) value = Load::often(a.diagonal + e) - complex<Real>(a.factor) * value;
        visit(e, value);
    }
}

}  // namespace watari::WATARI_BACKEND
