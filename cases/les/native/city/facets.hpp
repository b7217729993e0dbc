/// The energy balance of the city's facets, on the CPU: the heat that facets get from sun and air,
/// and the heat that they give to the air.
///
///     C d1 (T1' - T1)/Dt = (1 - albedo) K + eps (L - sigma T1'^4) - H - lambda (T1' - T2')/(...)
///     H = rho cp CH max(|U|, 0.1) (T1' - T_air),   CH = karman^2 / (ln(d/2z0) ln(d/2z0h))
///     L = F L_sky + (1 - F) L_env;   K = lit S cos + F S_diffuse + (1 - F) K_env
///
/// Four layers, implicit, T'^4 taken as T^4 + 4 T^3 (T' - T). F is the share of the sky that a
/// facet sees (sky.hpp). Radiation between facets goes through one number, L_env (K_env), so that
/// it sums to zero; with the axis radiation, each facet has its own L and K
/// (radiation/radiosity.hpp) and the surfaces of the table. Sums are in whole multiples of 2^-24 W:
/// the same bits in any order, for any number of threads and ranks. Each step computes the sum of
/// the emitted radiation that the next step uses.
///
/// Source: constants of SUEWS and JULES. Bytes per facet and step in fp32: sky and light 8, four
/// temperatures read and written 32, air 8, flux 4: 52.
#pragma once

#include "city.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace watari::les {

inline constexpr double sigma = 5.670374419e-8, rho_cp = 1206, emissivity = 0.95, albedo = 0.1;
inline constexpr double sun = 800, diffuse = 100, sky_radiation = 350, inside = 293.15;
inline constexpr unsigned layers = 4;
inline constexpr double thickness[layers] = {0.01, 0.03, 0.06, 0.12};  // m, the surface first

class radiosity;

/// The sky view, the material and the temperatures of a facet.
struct facet {
    float sky;     ///< F
    float direct;  ///< lit cos(incidence)
    float area, capacity, conductivity;
    std::array<float, layers> temperature;
};

/// The heat exchanged in one step, over all facets of all ranks.
struct exchanged_heat {
    double environment;  ///< L_env, W/m2: long-wave radiation from other facets
    double reflected;    ///< K_env, W/m2: light from other facets
    double to_air;       ///< W
};

class facets {
public:
    /// Computes the sky view of each facet of the part.
    explicit facets(const parameters& p);
    ~facets();
    facets(facets&&) noexcept;

    std::size_t count() const { return sky_.size(); }
    const facet_counts& counts() const { return counts_; }
    facet operator[](std::size_t n) const;
    /// The radiation between facets; null if all see one sky.
    const radiosity* exchange() const { return exchange_.get(); }

    /// Computes the radiation between facets, if they exchange it; before each step. `leaves`: the
    /// temperatures of cells with leaves.
    void radiate(std::span<const float> leaves = {});
    /// Advances the facets by `seconds`. `air`: theta and speed of the air, two numbers per facet;
    /// `flux`: the resulting flux into the air, K m/s.
    template <class Real>
    exchanged_heat step(const Real* air, Real* flux, double seconds);

private:
    /// Consecutive facets of one direction and material.
    struct group {
        std::size_t first, last;
        bool paved;  ///< the ground's asphalt; else brick
        unsigned direction;
        float area, transfer;
    };
    /// Advances the facets from of.first to of.last. Returns the sums of their heat to the air and
    /// of the radiation that they send to others after the step.
    template <class Real>
    std::array<std::int64_t, 2> warm(const group& of, const Real* air, Real* flux, double seconds,
                                     double long_env);
    void see(const parameters& p);
    void close_radiation();
    template <class Work>
    double over_all(const Work& work) const;

    parameters const* p_;
    facet_counts counts_;
    std::vector<group> groups_;
    std::unique_ptr<radiosity> exchange_;
    std::vector<float> sky_, direct_;
    std::array<std::vector<float>, layers> temperature_;
    double seen_ = 0, short_env_ = 0;  ///< sum A (1-F) - sum A (1-F)^2 (1-eps); K_env
    double emitted_ = 0;               ///< W: long-wave radiation that facets send to others
};

}  // namespace watari::les
