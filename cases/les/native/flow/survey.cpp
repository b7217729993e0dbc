// Kernels for both backends; see core/backend.hpp.
#include "survey.hpp"

#include "momentum.hpp"
#include "watari/core/parallel/sums.hpp"
#include "watari/measure/pattern.hpp"

#include <cmath>
#include <cstring>

namespace watari::WATARI_BACKEND {

namespace {

using les::motion;

template <class Real>
void gather(const les::grid& g, const motion<Real>& now, unsigned normal,
            const std::uint32_t* cells, Real* packed, std::size_t count, stream_t stream) {
    const unsigned b = normal == 0 ? 1 : 0, c = normal == 2 ? 1 : 2;
    const Real *ub = now.velocity[b], *uc = now.velocity[c], *theta = now.theta;
    const std::size_t step_b = g.stride(b), step_c = g.stride(c);
    for_each(
        count,
        [=] WATARI_KERNEL(std::size_t n) {
            const std::size_t at = cells[n];
            const Real mean_b = Real(0.5) * (ub[at] + ub[at + step_b]);
            const Real mean_c = Real(0.5) * (uc[at] + uc[at + step_c]);
            packed[2 * n] = theta[at];
            packed[2 * n + 1] = square_root(mean_b * mean_b + mean_c * mean_c);
        },
        stream);
}

/// The sum of a survey over cells: sums, and the largest Courant number with its first place.
struct seen {
    les::condition of;

    [[gnu::always_inline]] constexpr seen& operator+=(const seen& other) {
        const les::condition& more = other.of;
        const bool larger = more.courant > of.courant;
        if (larger || (more.courant == of.courant && more.place < of.place))
            of.courant = more.courant, of.place = more.place;
        of.energy += more.energy;
        of.theta += more.theta;
        of.divergence2 += more.divergence2;
        of.cells += more.cells;
        return *this;
    }
};

template <class Real>
les::condition look(const les::grid& g, const motion<Real>& now, const std::uint8_t* flags,
                    const double (&dt_per_d)[3], const double (&per_d)[3], stream_t stream) {
    const Real *u = now.velocity[0], *v = now.velocity[1], *w = now.velocity[2], *theta = now.theta;
    const double dx = dt_per_d[0], dy = dt_per_d[1], dz = dt_per_d[2];
    const double px = per_d[0], py = per_d[1], pz = per_d[2];
    return sum<seen>(
               g.size.cells(),
               [=] WATARI_KERNEL(std::size_t n) {
                   const std::size_t i = n % g.size.x, row = n / g.size.x;
                   const std::size_t at = g.at(row / g.size.y, row % g.size.y, i);
                   const double a = u[at], b = v[at], c = w[at], t = theta[at];
                   const double fast = fabs(a) * dx + fabs(b) * dy + fabs(c) * dz;
                   const double div =
                       ((double(u[at + 1]) - a) * px + (double(v[at + g.row()]) - b) * py) +
                       (double(w[at + g.plane()]) - c) * pz;
                   const bool fluid = flags[at] & les::flag::fluid;
                   const bool sound = fast + fabs(t) < 1e30;
                   seen one{};
                   one.of.courant = sound ? float(fast) : INFINITY;
                   one.of.place = n;
                   one.of.energy = 0.5 * (a * a + b * b + c * c);
                   one.of.theta = t;
                   one.of.divergence2 = fluid ? div * div : 0;
                   one.of.cells = fluid ? 1 : 0;
                   return one;
               },
               stream)
        .of;
}

/// Sums over cells.
struct waves_seen {
    les::wave_energy of;

    constexpr waves_seen& operator+=(const waves_seen& other) {
        of.shortest += other.of.shortest;
        of.all += other.of.all;
        return *this;
    }
};

/// The third difference of four values in a row, (-1, 3, -3, 1) / 8, keeps all of a wave of two
/// cells, and of its square 0.42 with three cells, 0.125 with four and 0.016 with six. It is taken
/// of u, v and w along x, y and z, wherever the four are in the air of this part.
template <class Real>
les::wave_energy waves(const les::grid& g, const motion<Real>& now, const std::uint8_t* flags,
                       stream_t stream) {
    const les::grid box = g;
    const les::motion<Real> flow = now;
    return sum<waves_seen>(
               g.size.cells(),
               [=] WATARI_KERNEL(std::size_t n) {
                   const std::size_t i = n % box.size.x, row = n / box.size.x;
                   const std::size_t place[3] = {i, row % box.size.y, row / box.size.y};
                   const std::size_t at = box.at(place[2], place[1], place[0]);
                   const std::size_t last[3] = {box.size.x - 1, box.size.y - 1, box.size.z - 1};
                   waves_seen one{};
                   for (unsigned a = 0; a < 3; ++a) {
                       const Real* const u = flow.velocity[a];
                       one.of.all += double(u[at]) * u[at];
                       for (unsigned b = 0; b < 3; ++b) {
                           const std::size_t s = box.stride(b);
                           if (place[b] >= last[b]) continue;
                           const auto open = flags[at - s] & flags[at] & flags[at + s] &
                                             flags[at + 2 * s] & les::flag::low(a);
                           if (!open) continue;
                           const double third = (double(u[at + 2 * s]) - u[at - s]) +
                                                3 * (double(u[at]) - u[at + s]);
                           one.of.shortest += third * third / 64;
                       }
                   }
                   return one;
               },
               stream)
        .of;
}

template <class Real>
std::uint64_t fingerprint(const les::grid& g, const les::extents& whole, const Real* array,
                          stream_t stream) {
    return sum<std::uint64_t>(
               g.size.cells(),
               [=] WATARI_KERNEL(std::size_t n) {
                   const std::size_t i = n % g.size.x, row = n / g.size.x;
                   const std::size_t k = row / g.size.y, j = row % g.size.y;
                   const std::size_t place =
                       (k * whole.y + g.origin.y + j) * whole.x + g.origin.x + i;
                   std::uint32_t bits[sizeof(Real) / 4];
                   memcpy(bits, array + g.at(k, j, i), sizeof bits);
                   std::uint64_t mixed = 0;
                   for (std::size_t part = 0; part < sizeof(Real) / 4; ++part)
                       mixed += static_cast<std::uint64_t>(
                           measure::pattern(2 * place + part, bits[part]));
                   return mixed;
               },
               stream) %
           (std::uint64_t{1} << 53);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::les {

template <class Real>
const survey_kernels<Real> survey_kernels<Real>::WATARI_BACKEND{
    .gather = WATARI_BACKEND::gather<Real>,
    .look = WATARI_BACKEND::look<Real>,
    .fingerprint = WATARI_BACKEND::fingerprint<Real>,
    .waves = WATARI_BACKEND::waves<Real>};

template const survey_kernels<float> survey_kernels<float>::WATARI_BACKEND;
template const survey_kernels<double> survey_kernels<double>::WATARI_BACKEND;

}  // namespace watari::les
