#include "foliage.hpp"

#include "../city/facets.hpp"
#include "../city/nozzles.hpp"
#include "../flow/water/evaporation.hpp"

namespace watari::les {

template <class Real>
const std::vector<float>& foliage::feel(const Real* packed, std::size_t cells) {
    temperature_.resize(cells);
    for (std::size_t n = 0; n < cells; ++n)
        temperature_[n] = static_cast<float>(p_->air.theta0 + double(packed[2 * n]));
    return temperature_;
}

template <class Real>
void foliage::give(const radiosity& light, const leaf_arrays<Real>& to) {
    const double volume = p_->spacing[0] * p_->spacing[1] * p_->spacing[2];
    const std::size_t first = light.area().size() - to.cells;
    budget_ = {};
    warming_ = vapour_ = 0;
    for (std::size_t n = 0; n < to.cells; ++n) {
        const double area = light.area()[first + n], t = temperature_[n];
        const double absorbed = area * double(light.light()[first + n]);
        const double gained = area * (double(light.heat()[first + n]) - sigma * (t * t) * (t * t));
        const double heat = (1 - latent_share) * absorbed + gained;
        const double vapour = latent_share * absorbed / latent_heat;
        to.heat[n] = Real(heat / (rho_cp * volume));
        to.vapour[n] = Real(vapour * p_->dt / air_of_cell(*p_));
        budget_.light += absorbed;
        budget_.long_waves += gained;
        budget_.heat += heat;
        budget_.vapour += vapour;
        warming_ += double(to.heat[n]);
        vapour_ += double(to.vapour[n]);
    }
}

template const std::vector<float>& foliage::feel(const float*, std::size_t);
template const std::vector<float>& foliage::feel(const double*, std::size_t);
template void foliage::give(const radiosity&, const leaf_arrays<float>&);
template void foliage::give(const radiosity&, const leaf_arrays<double>&);

}  // namespace watari::les
