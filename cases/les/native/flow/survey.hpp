/// Surveys of the flow: the air at facets, the soundness of the flow, and its fingerprint.
#pragma once

#include "../city/city.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::les {

/// The result of a survey of the whole flow.
struct condition {
    float courant;         ///< the largest sum of |u| dt / d; infinite where a number is not finite
    std::size_t place;     ///< cell of this sum, counted over the part
    double energy, theta;  ///< sums over cells: u^2 / 2 at low faces, theta
    double divergence2;    ///< sum of squares, 1/s^2
    double cells;          ///< number of cells of air
};

/// Sums over a plane of u v w theta and of their products, which the CPU takes from the fields.
struct profile {
    double u, v, w, theta, uu, vv, ww, uw, wt;
};

/// Sums of squares of velocities: of all, and of the part in the shortest waves (survey.cpp).
struct wave_energy {
    double shortest, all;
};

template <class Real>
struct survey_kernels {
    /// packed[2 n] = theta of a facet's cell, packed[2 n + 1] = speed along the facet, for facets
    /// whose normal is along axis `normal`.
    void (*gather)(const les::grid& g, const motion<Real>& now, unsigned normal,
                   const std::uint32_t* cells, Real* packed, std::size_t count, stream_t stream);
    /// Surveys the whole flow; waits. `dt_per_d`: dt / d, for the Courant number.
    condition (*look)(const les::grid& g, const motion<Real>& now, const std::uint8_t* flags,
                      const double (&dt_per_d)[3], const double (&per_d)[3], stream_t stream);
    /// Returns the sum of a mix of each number's bits and its place in the whole grid, modulo 2^53:
    /// equal for equal flows, for any division of the grid. Waits.
    std::uint64_t (*fingerprint)(const les::grid& g, const extents& whole, const Real* array,
                                 stream_t stream);
    /// Surveys the waves of the grid's scale; waits.
    les::wave_energy (*waves)(const les::grid& g, const motion<Real>& now,
                              const std::uint8_t* flags, stream_t stream);
    static const survey_kernels cpu, gpu;
};

}  // namespace watari::les
