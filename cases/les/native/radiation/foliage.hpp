/// What leaves give to the air of their cells: of the light that they absorb 0.6 as vapour and the
/// rest as heat; and all long waves that they gain as heat, since they are as warm as the air.
///
///     heat   = (0.4 K + L - sigma T^4) A / (rho cp V),  K/s;    vapour = 0.6 K A dt / (Lv m),
///     kg/kg a step
///
/// A = 4 k a V (canopy.hpp), K and L: light and long waves received, m: kg of air in the cell. With
/// every touch anew. Sums are in the order of the cells: the same bits on any number of threads.
#pragma once

#include "../city/leaves.hpp"
#include "radiosity.hpp"

#include <vector>

namespace watari::les {

inline constexpr double latent_share = 0.6;

/// What all leaves of a part take and give at a touch.
struct leaf_budget {
    double light = 0, long_waves = 0;  ///< absorbed light, long waves gained less lost; W
    double heat = 0;                   ///< to the air, W
    double vapour = 0;                 ///< kg/s
};

class foliage {
public:
    explicit foliage(const parameters& p) : p_(&p) {}

    /// The leaves' temperatures from two numbers for each cell's air.
    template <class Real>
    const std::vector<float>& feel(const Real* packed, std::size_t cells);
    /// Sets heat and vapour of the cells after an update of the radiation.
    template <class Real>
    void give(const radiosity& light, const leaf_arrays<Real>& to);

    const leaf_budget& budget() const { return budget_; }
    /// The warming of the air, K/s times cells, and vapour, kg/kg a step times cells: the sums of
    /// what the cells' numbers say.
    double warming() const { return warming_; }
    double vapour() const { return vapour_; }

private:
    const parameters* p_;
    std::vector<float> temperature_;
    leaf_budget budget_;
    double warming_ = 0, vapour_ = 0;
};

}  // namespace watari::les
