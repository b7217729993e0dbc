/// The hop for the directive styles: one site of hop_body.hpp, with arguments that OpenMP passes
/// one by one, and OpenACC reads from a declared variable. All functions are inlined, so GCC needs
/// no mark to compile them for the GPU.
#pragma once

#if defined(__clang__)
#define WATARI_UNROLLED _Pragma("unroll")
#else
#define WATARI_UNROLLED  // by measurement: GCC unrolls by itself in its code for a GPU
#endif

#include "../../kernels/edge_site.hpp"
#include "directive.hpp"

namespace watari::lattice::directive {

#define WATARI_ALWAYS [[gnu::always_inline]] inline

/// out = F^-1 M in, or diagonal - factor F^-1 M in, at the sites of a parity.
struct hop {
    unsigned parity;
    const number *links, *clover, *in, *diagonal;
    number* out;
    double factor;
};

/// The hop of a rank's part, and the half spinors of its faces.
struct rank_hop {
    geometry where;
    extents split{};  ///< ranks along each direction
    hop h{};
    number* sent = nullptr;
    const number* arrived = nullptr;
    unsigned faces = 0;  ///< sites of a parity in all faces
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

// GCC has vectors of two 64-bit words for these GPUs, but not of two doubles
using two_words = unsigned long __attribute__((vector_size(16)));

/// Loads of 16 bytes, one complex number each. All members are templates: GCC 12 crashes on others.
struct by_16_bytes {
    /// Copies member by member: GCC would keep a struct that is copied as a whole in memory.
    template <class Geometry>
    WATARI_ALWAYS static Geometry layout(const Geometry& given) {
        const extents& s = given.size;
        return {.size = {s.x, s.y, s.z, s.t}, .log2_lanes = given.log2_lanes};
    }
    /// Volatile: GCC would split the load into two.
    template <class Number>
    WATARI_ALWAYS static Number often(const Number* from) {
#if defined(__clang__)
        const two_words w = *reinterpret_cast<const two_words*>(from);
#else
        const two_words w = *reinterpret_cast<const volatile two_words*>(from);
#endif
        // Copied first: Clang 19 casts any element of a vector as the first one
        const unsigned long re = w[0], im = w[1];
        return {__builtin_bit_cast(double, re), __builtin_bit_cast(double, im)};
    }
    template <class Number>
    WATARI_ALWAYS static Number once(const Number* from) {
        return often(from);
    }
};

struct put {
    number* out;
    WATARI_ALWAYS void operator()(std::size_t e, const number& value) const {
        *reinterpret_cast<two_words*>(out + e) =
            two_words{__builtin_bit_cast(unsigned long, value.re),
                      __builtin_bit_cast(unsigned long, value.im)};
    }
};

WATARI_ALWAYS void hop_at_site(const hop_arguments<double>& a, unsigned n) {
    const cpu::one_site<link, by_16_bytes, double> site(a, n, 0);
    cpu::hop_of<link, by_16_bytes>(a, site, put{a.out});
}

/// A site of a rank's part. As kernels/edge_site.hpp, but without an array of pointers to faces,
/// which GCC would keep in memory.
struct site_of_part : cpu::one_site<link, by_16_bytes, double> {
    using inner = cpu::one_site<link, by_16_bytes, double>;
    extents split;
    const complex<double>* halo;  ///< half spinors of the neighbours

    WATARI_ALWAYS site_of_part(const hop_arguments<double>& a, const extents& ranks,
                               const complex<double>* from_others, unsigned n)
        : inner(a, n, 0), split{ranks.x, ranks.y, ranks.z, ranks.t}, halo(from_others) {}

    template <unsigned Direction, bool Forward>
    WATARI_ALWAYS bool beyond() const {
        return extent(split, Direction) > 1 &&
               at.at[Direction] == (Forward ? extent(where.size, Direction) - 1 : 0);
    }
    template <unsigned Direction, bool Forward>
    WATARI_ALWAYS bool arrived(complex<double> (&v)[2][3]) const {
        if (!beyond<Direction, Forward>()) return false;
        load<Direction, Forward>(v);
        return true;
    }
    template <unsigned Direction, bool Forward>
    WATARI_ALWAYS void load(complex<double> (&v)[2][3]) const {
        const std::size_t face = face_sites(where.size, Direction);
        const complex<double>* const from = halo +
                                            halo_begin(where.size, split, Direction, Forward) +
                                            face_number(where.size, Direction, at);
        for (unsigned c = 0; c < half_spinor; ++c)
            v[c / 3][c % 3] = by_16_bytes::once(from + c * face);
    }
};

/// A site of a face of a part that is divided along one direction. Which neighbour belongs to
/// another rank is known, so no branch keeps later loads waiting.
template <unsigned Divided, bool Above>
struct site_of_face : site_of_part {
    using site_of_part::site_of_part;

    template <unsigned Direction, bool Forward>
    WATARI_ALWAYS static constexpr bool beyond() {
        return Direction == Divided && Forward == Above;
    }
    template <unsigned Direction, bool Forward>
    WATARI_ALWAYS bool arrived(complex<double> (&v)[2][3]) const {
        if constexpr (beyond<Direction, Forward>()) load<Direction, Forward>(v);
        return beyond<Direction, Forward>();
    }
};

/// Whether a site has a neighbour that belongs to another rank along one of the first directions.
WATARI_ALWAYS bool is_at_edge(const extents& size, const extents& split, const point& p,
                              unsigned directions) {
    const auto ends = [&](unsigned ranks, unsigned at, unsigned sites) {
        return ranks > 1 && (at == 0 || at + 1 == sites);
    };
    return (directions > 0 && ends(split.x, p.at[0], size.x)) ||
           (directions > 1 && ends(split.y, p.at[1], size.y)) ||
           (directions > 2 && ends(split.z, p.at[2], size.z)) ||
           (directions > 3 && ends(split.t, p.at[3], size.t));
}

/// The same at a site all of whose neighbours are in the rank's part, which has `size`; leaves
/// others out.
WATARI_ALWAYS void hop_inside(const hop_arguments<double>& a, const extents& size,
                              const extents& split, unsigned n) {
    const cpu::one_site<link, by_16_bytes, double> site(a, n, 0);
    if (!is_at_edge(size, split, site.at, 4)) cpu::hop_of<link, by_16_bytes>(a, site, put{a.out});
}

/// The same at site n of the two faces of a direction, unless it is in a face of an earlier one.
/// `arrived` has the half spinors of neighbours that belong to another rank.
template <unsigned Direction>
WATARI_ALWAYS void hop_in_face(const hop_arguments<double>& a, const extents& split,
                               const number* arrived, unsigned n) {
    const extents& size = a.where.size;
    const auto face = static_cast<unsigned>(face_sites(size, Direction));
    const bool above = n >= face;
    const point p = face_point(size, Direction, above ? extent(size, Direction) - 1 : 0, a.parity,
                               above ? n - face : n);
    if (is_at_edge(size, split, p, Direction)) return;
    const site_of_part site(a, split, arrived, number_of(size, p));
    cpu::hop_of<link, by_16_bytes>(a, site, put{a.out});
}

/// The same if the part is divided along that direction alone.
template <unsigned Direction>
WATARI_ALWAYS void hop_in_only_face(const hop_arguments<double>& a, const extents& split,
                                    const number* arrived, unsigned n) {
    const extents& size = a.where.size;
    const auto face = static_cast<unsigned>(face_sites(size, Direction));
    if (n < face) {
        const point p = face_point(size, Direction, 0, a.parity, n);
        const site_of_face<Direction, false> site(a, split, arrived, number_of(size, p));
        cpu::hop_of<link, by_16_bytes>(a, site, put{a.out});
    } else {
        const point p =
            face_point(size, Direction, extent(size, Direction) - 1, a.parity, n - face);
        const site_of_face<Direction, true> site(a, split, arrived, number_of(size, p));
        cpu::hop_of<link, by_16_bytes>(a, site, put{a.out});
    }
}

/// Sites of a parity: `count` in runs of consecutive numbers, with `between` left out before the
/// first run and twice as many before each other one.
struct runs_of_sites {
    unsigned count, run, between;

    /// Of the n-th of them; scalars, as OpenMP passes them.
    WATARI_ALWAYS static unsigned number(unsigned n, unsigned run, unsigned between) {
        return n + between * (n / run * 2 + 1);
    }
};

/// Whether a part is divided along this direction and no other.
inline bool is_divided_along(const extents& split, unsigned direction) {
    return extent(split, direction) > 1 && extent(split, direction) == split.sites();
}

/// Those of a part without its faces, if it is divided along x, y or z alone and has sites between
/// them, else all: neighbours along t have alternating numbers.
inline runs_of_sites sites_inside(const extents& size, const extents& split) {
    const auto all = static_cast<unsigned>(size.half());
    const unsigned above[] = {size.y * size.z * size.row(), size.z * size.row(), size.row()};
    for (unsigned direction = 0; direction < 3; ++direction) {
        const unsigned sites = extent(size, direction);
        if (!is_divided_along(split, direction) || sites < 3) continue;
        return {all / sites * (sites - 2), above[direction] * (sites - 2), above[direction]};
    }
    return {all, all, 0};
}

/// Sites of a parity in all faces of a part.
inline unsigned sites_of_faces(const extents& size, const extents& split) {
    return static_cast<unsigned>(halo_numbers(size, split) / half_spinor);
}

/// Where a site of the faces of a part is: the faces of the divided directions follow each other,
/// the one below before the one above.
struct face_place {
    unsigned direction;
    bool above;
    unsigned number;  ///< in its face
};
WATARI_ALWAYS face_place place_of(const extents& size, const extents& split, unsigned n) {
    unsigned direction = 0;
    for (; direction < 3; ++direction) {
        if (extent(split, direction) == 1) continue;
        const auto both = static_cast<unsigned>(2 * face_sites(size, direction));
        if (n < both) break;
        n -= both;
    }
    const auto face = static_cast<unsigned>(face_sites(size, direction));
    return {direction, n >= face, n >= face ? n - face : n};
}

template <unsigned Direction>
WATARI_ALWAYS void pack_along(const hop_arguments<double>& a, const face_place& of, number* to) {
    if (of.above)
        cpu::pack_at<Direction, true, link>(a, 0, of.number, to);
    else
        cpu::pack_at<Direction, false, link>(a, 0, of.number, to);
}

/// Packs the half spinor of site n of the faces of a part for the neighbour beyond.
WATARI_ALWAYS void pack_in_faces(const hop_arguments<double>& a, const extents& split, unsigned n,
                                 number* sent) {
    const face_place of = place_of(a.where.size, split, n);
    number* const to = sent + halo_begin(a.where.size, split, of.direction, of.above);
    if (of.direction == 0) pack_along<0>(a, of, to);
    if (of.direction == 1) pack_along<1>(a, of, to);
    if (of.direction == 2) pack_along<2>(a, of, to);
    if (of.direction == 3) pack_along<3>(a, of, to);
}

}  // namespace watari::lattice::directive
