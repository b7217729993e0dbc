/// Looking at the flow: what the facets ask, whether it is still sound, and its fingerprint.
#pragma once

#include "watari/cases/les/city/city.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::les {

/// What a look at the whole flow sees.
struct condition {
    float courant;         ///< the largest sum of |u| dt / d; infinite where a number is not finite
    std::size_t place;     ///< its cell, counted over the part
    double energy, theta;  ///< sums over cells: u^2 / 2 at low faces, theta
    double divergence2;    ///< sum of squares, 1/s^2
    double cells;          ///< of air
};

/// Means of a plane, as the CPU takes them from the fields.
struct profile {
    double u, v, w, theta, uu, vv, ww, uw, wt;
};

template <class Real>
struct survey_kernels {
    /// packed[2 n] = theta of a facet's cell, packed[2 n + 1] = speed along the facet, for the
    /// facets of a direction whose normal is an axis.
    void (*gather)(const les::grid& g, const motion<Real>& now, unsigned normal,
                   const std::uint32_t* cells, Real* packed, std::size_t count, stream_t stream);
    /// Waits. Courant's number times d: `dt_per_d` are dt / d.
    condition (*look)(const les::grid& g, const motion<Real>& now, const std::uint8_t* flags,
                      const double (&dt_per_d)[3], const double (&per_d)[3], stream_t stream);
    /// Of a mix of bits and places in the whole grid, modulo 2^53: equal for equal flows, however
    /// they are divided. Waits.
    std::uint64_t (*fingerprint)(const les::grid& g, const extents& whole, const Real* array,
                                 stream_t stream);
    static const survey_kernels cpu, gpu;
};

}  // namespace watari::les
