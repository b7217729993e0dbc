// The hop for a CPU: the lanes of a vector are consecutive sites along t. Along x, y and z the
// neighbours of a vector are one vector. Along t they lie in the same row, and depending on the
// parity they are shifted by one lane.
//
// Stores bypass the caches if a hop moves more bytes than the caches hold. Otherwise a core would
// read each line of `out` before it writes the line: 2304 bytes per site in double instead of 2112.
#include "hop.hpp"

#include "hop_body.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/streaming_stores.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace watari::cpu {

namespace {

template <class Real, unsigned Width>
struct lanes_of {
    using type [[gnu::vector_size(Width * sizeof(Real))]] = Real;
};
template <class Real>
struct lanes_of<Real, 1> {
    using type = Real;
};
template <class Real, unsigned Width>
using lanes = typename lanes_of<Real, Width>::type;

/// One complex number per lane.
template <class Real, unsigned Width>
using wide_number = complex<lanes<Real, Width>>;

template <class Real, unsigned Width>
[[gnu::always_inline]] inline wide_number<Real, Width> load(const complex<Real>* from) {
    if constexpr (Width == 1) {
        return *from;
    } else {
        using vector = lanes<Real, Width>;
        vector first, second;
        std::memcpy(&first, from, sizeof first);
        std::memcpy(&second, reinterpret_cast<const std::byte*>(from) + sizeof first,
                    sizeof second);
        return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            return wide_number<Real, Width>{__builtin_shufflevector(first, second, 2 * I...),
                                            __builtin_shufflevector(first, second, (2 * I + 1)...)};
        }
        (std::make_integer_sequence<int, int{Width}>());
    }
}

template <class Real, unsigned Width>
[[gnu::always_inline]] inline void store(complex<Real>* to, const wide_number<Real, Width>& value,
                                         bool streams) {
    if constexpr (Width == 1) {
        *to = value;
    } else {
        using vector = lanes<Real, Width>;
        constexpr int width = Width;
        [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            const vector first =
                __builtin_shufflevector(value.re, value.im, (I % 2 * width + I / 2)...);
            const vector second =
                __builtin_shufflevector(value.re, value.im, (I % 2 * width + width / 2 + I / 2)...);
            std::byte* const next = reinterpret_cast<std::byte*>(to) + sizeof first;
            if (streams) {
                stream<sizeof first>(to, &first);
                stream<sizeof second>(next, &second);
            } else {
                std::memcpy(static_cast<void*>(to), &first, sizeof first);
                std::memcpy(next, &second, sizeof second);
            }
        }
        (std::make_integer_sequence<int, width>());
    }
}

/// Turn > 0: lanes 1, 2, ... of a and lane 0 of b. Otherwise: the last lane of b and all lanes of a
/// but the last.
template <int Turn, class Vector, unsigned Width>
[[gnu::always_inline]] inline Vector turned(const Vector& a, const Vector& b) {
    if constexpr (Width == 1) {
        return b;
    } else {
        constexpr int width = Width;
        return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            if constexpr (Turn > 0)
                return __builtin_shufflevector(a, b, (I + 1)...);
            else
                return __builtin_shufflevector(b, a, (I + width - 1)...);
        }
        (std::make_integer_sequence<int, width>());
    }
}

/// Index of component a of a site, the first of Width contiguous elements. Width > 1 is the number
/// of lanes of the layout: the compiler then knows all of the index but the site.
template <unsigned Width>
[[gnu::always_inline]] inline std::size_t element_of(const lattice::geometry& where,
                                                     unsigned components, unsigned site,
                                                     unsigned a) {
    if constexpr (Width == 1) return where.element(components, site, a);
    return std::size_t{site} * components + a * Width;
}

/// Blocks of Width sites to prefetch ahead: a core's own lookahead reaches no further than the
/// arithmetic of one block.
constexpr unsigned blocks_ahead = 2;

template <unsigned Width, class Real>
[[gnu::always_inline]] inline void ask_early(const complex<Real>* from) {
    constexpr std::size_t line = 64 / sizeof(complex<Real>);
    for (std::size_t i = 0; i < Width; i += line) __builtin_prefetch(from + i);
}

/// Width sites, whose lanes may come from two vectors of a row.
template <class Real, unsigned Width>
struct vector_at {
    unsigned first, second;
    int turn;  ///< 0: `first` alone; 1 and -1: as `turned`

    [[gnu::always_inline]] wide_number<Real, Width> read(const lattice::geometry& where,
                                                         const complex<Real>* field,
                                                         unsigned components, unsigned a) const {
        const complex<Real>* const at = field + element_of<Width>(where, components, first, a);
        ask_early<Width>(at + blocks_ahead * components * Width);
        const auto own = load<Real, Width>(at);
        if (turn == 0) return own;
        const auto next =
            load<Real, Width>(field + element_of<Width>(where, components, second, a));
        using vector = lanes<Real, Width>;
        if (turn > 0)
            return {turned<1, vector, Width>(own.re, next.re),
                    turned<1, vector, Width>(own.im, next.im)};
        return {turned<-1, vector, Width>(own.re, next.re),
                turned<-1, vector, Width>(own.im, next.im)};
    }
};

template <unsigned LinkElements, class Real, unsigned Width>
struct neighbours {
    lattice::geometry where;
    const complex<Real>*spinors, *links;
    vector_at<Real, Width> other, owner;

    [[gnu::always_inline]] wide_number<Real, Width> spinor(unsigned a) const {
        return other.read(where, spinors, lattice::spinor, a);
    }
    [[gnu::always_inline]] wide_number<Real, Width> link(unsigned a) const {
        return owner.read(where, links, LinkElements, a);
    }
};

template <unsigned LinkElements, class Real, unsigned Width>
struct sites {
    const lattice::hop_arguments<Real>& a;
    unsigned number;
    std::size_t system;
    lattice::point at;

    std::size_t half() const { return a.where.size.half(); }

    template <unsigned Direction, bool Forward>
    [[gnu::always_inline]] vector_at<Real, Width> beside() const {
        const lattice::extents& size = a.where.size;
        if constexpr (Direction < 3) {
            const unsigned n =
                lattice::number_of(size, lattice::moved(size, at, Direction, Forward));
            return {n, n, 0};
        } else {  // t = 2 h + (0 or 1)
            const bool odd = at.at[3] % 2 != 0;
            if (odd != Forward) return {number, number, 0};
            const unsigned h = at.at[3] / 2, row = size.row(), begin = number - h;
            return {number, begin + (h + (Forward ? Width : row - Width)) % row, Forward ? 1 : -1};
        }
    }

    template <unsigned Direction, bool Forward>
    [[gnu::always_inline]] auto neighbour() const {
        const vector_at<Real, Width> own{number, number, 0}, other = beside<Direction, Forward>();
        const unsigned parity = Forward ? a.parity : 1 - a.parity;
        return neighbours<LinkElements, Real, Width>{
            a.where, a.in + system * half() * lattice::spinor,
            a.links + (parity * 4 + Direction) * half() * LinkElements, other,
            Forward ? own : other};
    }
    [[gnu::always_inline]] wide_number<Real, Width> clover(unsigned n) const {
        const complex<Real>* const at =
            a.clover + element_of<Width>(a.where, lattice::packed, number, n);
        ask_early<Width>(at + blocks_ahead * lattice::packed * Width);
        return load<Real, Width>(at);
    }
    /// Rounds products before others are added to them: GCC could fuse either of the two.
    [[gnu::always_inline]] void round(wide_number<Real, Width> (&products)[6]) const {
        asm volatile("" : "+m"(products));
    }
    std::size_t element(unsigned n) const {
        return system * half() * lattice::spinor +
               element_of<Width>(a.where, lattice::spinor, number, n);
    }
};

/// Sums of each lane.
template <class Real, unsigned Width>
struct lane_sums {
    lanes<Real, Width> of[lattice::all_sums]{};

    void add_to(double (&total)[lattice::all_sums]) const {
        Real each[lattice::all_sums][Width];
        std::memcpy(each, of, sizeof each);
        for (unsigned k = 0; k < lattice::all_sums; ++k)
            for (const Real one : each[k]) total[k] += one;
    }
};

/// Adds a component of `Width` sites.
template <unsigned Width, class Real>
[[gnu::always_inline]] inline void add_sums(lane_sums<Real, Width>& sums,
                                            const lattice::hop_arguments<Real>& a, std::size_t e,
                                            const wide_number<Real, Width>& value) {
    const auto left = load<Real, Width>(a.left + e);
    a.other ? add_all_sums(sums.of, left, value, load<Real, Width>(a.other + e))
            : add_few_sums(sums.of, left, value);
}

template <unsigned LinkElements, unsigned Width, class Real>
[[gnu::always_inline]] inline void advance(const lattice::hop_arguments<Real>& a, unsigned number,
                                           std::size_t system, bool streams,
                                           double (&total)[lattice::all_sums]) {
    using wide = wide_number<Real, Width>;
    const sites<LinkElements, Real, Width> here{a, number, system,
                                                lattice::point_of(a.where.size, a.parity, number)};
    wide up[2][3]{}, low[2][3]{};
    sum_neighbours<LinkElements>(here, up, low);
    if (a.clover) multiply_clover(here, up, low);
    lane_sums<Real, Width> sums;
    for (unsigned n = 0; n < lattice::spinor; ++n) {
        const std::size_t e = here.element(n);
        wide value = n < 6 ? up[n / 3][n % 3] : low[n / 3 - 2][n % 3];
        if (a.diagonal) {
            const wide own = load<Real, Width>(a.diagonal + e);
            value = {own.re - a.factor * value.re, own.im - a.factor * value.im};
        }
        store<Real, Width>(a.out + e, value, streams);
        if (a.partials) add_sums(sums, a, e, value);
    }
    if (a.partials) sums.add_to(total);
}

constexpr std::size_t pieces_of(std::size_t sites) {
    return (sites + lattice::piece_sites - 1) / lattice::piece_sites;
}

/// Computes the sites of one piece for all systems: links stay in the cache from one system to the
/// next.
template <unsigned LinkElements, unsigned Width, class Real>
[[gnu::always_inline]] inline void advance_piece(const lattice::hop_arguments<Real>& a,
                                                 std::size_t piece, bool streams) {
    const std::size_t half = a.where.size.half();
    const auto first = static_cast<unsigned>(piece * lattice::piece_sites);
    const auto last =
        static_cast<unsigned>(std::min<std::size_t>(half, first + lattice::piece_sites));
    const std::size_t pieces = pieces_of(half);
    for (std::size_t s = 0; s < a.systems; ++s) {
        double total[lattice::all_sums]{};
        for (unsigned n = first; n < last; n += Width)
            advance<LinkElements, Width>(a, n, s, streams, total);
        if (a.partials)
            std::copy_n(total, a.width(), a.partials + a.width() * (s * pieces + piece));
    }
}

/// The sums of one piece, of what lies in `out`: reads two vectors, or three with `other`.
template <unsigned Width, class Real>
[[gnu::always_inline]] inline void sum_piece(const lattice::hop_arguments<Real>& a,
                                             std::size_t pieces, std::size_t piece) {
    const std::size_t half = a.where.size.half();
    const auto first = static_cast<unsigned>(piece * lattice::piece_sites);
    const auto last =
        static_cast<unsigned>(std::min<std::size_t>(half, first + lattice::piece_sites));
    for (std::size_t s = 0; s < a.systems; ++s) {
        double total[lattice::all_sums]{};
        for (unsigned site = first; site < last; site += Width) {
            lane_sums<Real, Width> sums;
            for (unsigned n = 0; n < lattice::spinor; ++n) {
                const std::size_t e = s * half * lattice::spinor +
                                      element_of<Width>(a.where, lattice::spinor, site, n);
                add_sums(sums, a, e, load<Real, Width>(a.out + e));
            }
            sums.add_to(total);
        }
        std::copy_n(total, a.width(), a.partials + a.width() * (s * pieces + piece));
    }
}

// One function for each width, so that the program selects the processor's vectors at start.
#define WATARI_PIECES(name, Real, Elements, Width)                                \
    WATARI_CLONES void name(const lattice::hop_arguments<Real>& a, std::size_t i, \
                            std::size_t last, bool streams) {                     \
        for (; i < last; ++i) advance_piece<Elements, Width>(a, i, streams);      \
    }
WATARI_PIECES(double_18_8, double, 9, 8)
WATARI_PIECES(double_18_1, double, 9, 1)
WATARI_PIECES(double_12_8, double, 6, 8)
WATARI_PIECES(double_12_1, double, 6, 1)
WATARI_PIECES(float_18_8, float, 9, 8)
WATARI_PIECES(float_18_1, float, 9, 1)
WATARI_PIECES(float_12_8, float, 6, 8)
WATARI_PIECES(float_12_1, float, 6, 1)
#undef WATARI_PIECES

// For the same vectors: a processor with fused products must fuse the same ones.
#define WATARI_SUMS(name, Real, Width)                                                 \
    WATARI_CLONES void name(const lattice::hop_arguments<Real>& a, std::size_t pieces, \
                            std::size_t piece) {                                       \
        sum_piece<Width>(a, pieces, piece);                                            \
    }
WATARI_SUMS(double_8, double, 8)
WATARI_SUMS(double_1, double, 1)
WATARI_SUMS(float_8, float, 8)
WATARI_SUMS(float_1, float, 1)
#undef WATARI_SUMS

template <class Real>
using pieces_function = void (*)(const lattice::hop_arguments<Real>&, std::size_t, std::size_t,
                                 bool);

/// [width: 8, 1][numbers of a link: 18, 12].
template <class Real>
constexpr pieces_function<Real> functions[2][2]{};
template <>
constexpr pieces_function<double> functions<double>[2][2] = {{double_18_8, double_12_8},
                                                             {double_18_1, double_12_1}};
template <>
constexpr pieces_function<float> functions<float>[2][2] = {{float_18_8, float_12_8},
                                                           {float_18_1, float_12_1}};

template <class Real>
bool has_edge(const lattice::edge_arguments<Real>& a, std::size_t piece) {
    const std::size_t first = piece * lattice::piece_sites;
    for (std::size_t n = first; n < first + lattice::piece_sites; ++n)
        if (n < a.hop.where.size.half() &&
            is_at_edge(a,
                       lattice::point_of(a.hop.where.size, a.hop.parity, static_cast<unsigned>(n))))
            return true;
    return false;
}

template <class Real>
using sums_function = void (*)(const lattice::hop_arguments<Real>&, std::size_t, std::size_t);

/// [width: 8, 1].
template <class Real>
constexpr sums_function<Real> sums_functions[2]{};
template <>
constexpr sums_function<double> sums_functions<double>[2] = {double_8, double_1};
template <>
constexpr sums_function<float> sums_functions<float>[2] = {float_8, float_1};

/// Bytes of the arrays of a hop, without `other`.
template <class Real>
std::size_t bytes_of(const lattice::hop_arguments<Real>& a) {
    const std::size_t shared = 8 * a.link_elements + (a.clover ? lattice::packed : 0);
    const std::size_t vectors = 2 + (a.diagonal != nullptr) + (a.partials != nullptr);
    return a.where.size.half() * (shared + a.systems * vectors * lattice::spinor) *
           sizeof(complex<Real>);
}

}  // namespace

template <class Real>
void tuned_hop(const lattice::hop_arguments<Real>& a, stream_t) {
    const std::size_t pieces = pieces_of(a.where.size.half());
    const auto work = functions<Real>[a.where.lanes() != 8][a.link_elements == 6];
    const bool streams = beyond_caches(bytes_of(a)) && can_stream(a.out);
    for_each_part(pieces, [&](std::size_t first, std::size_t last) {
        work(a, first, last, streams);
        end_streams();
    });
}

template <class Real>
void sum_edges(const lattice::edge_arguments<Real>& a, stream_t) {
    const std::size_t pieces = pieces_of(a.hop.where.size.half());
    const auto work = sums_functions<Real>[a.hop.where.lanes() != 8];
    for_each_part(pieces, [&](std::size_t first, std::size_t last) {
        for (std::size_t piece = first; piece < last; ++piece)
            if (has_edge(a, piece)) work(a.hop, pieces, piece);
    });
}

template void tuned_hop(const lattice::hop_arguments<float>&, stream_t);
template void tuned_hop(const lattice::hop_arguments<double>&, stream_t);
template void sum_edges(const lattice::edge_arguments<float>&, stream_t);
template void sum_edges(const lattice::edge_arguments<double>&, stream_t);

}  // namespace watari::cpu
