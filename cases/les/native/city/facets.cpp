#include "facets.hpp"

#include "../radiation/radiosity.hpp"
#include "../ranks/neighbours.hpp"
#include "sky.hpp"
#include "watari/core/loops.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>

namespace watari::les {

namespace {

constexpr double still = 0.1;       // m/s: lower limit of the air's speed
constexpr double unit = 1 << 24;    // units of the sums per W
constexpr std::size_t block = 256;  ///< facets whose heat is summed together, in the L1 cache

struct material {
    double capacity, diffusivity;  // J/m3K, m2/s
    double albedo, emissivity;
};
constexpr material brick{1.37e6, 0.61e-6, albedo, emissivity},
    asphalt{1.94e6, 0.38e-6, albedo, emissivity};

/// The material of facets: those of one sky, or those of the table where facets exchange radiation.
material material_of(const parameters& p, unsigned direction, bool paved) {
    if (p.radiation == radiation_on::none) return paved ? asphalt : brick;
    const surface_kind kind = kind_of(p.surfaces, part_of(direction, !paved));
    return {kind.capacity, kind.diffusivity, double(kind.albedo), kind.emissivity()};
}
float capacity_of(const material& of) { return static_cast<float>(of.capacity); }
float conductivity_of(const material& of) {
    return static_cast<float>(of.capacity * of.diffusivity);
}

WATARI_INLINE double fourth(double t) { return t * t * (t * t); }

/// Returns x in whole units of the sums, halves rounded away from 0, for |x| below 2^28 W.
WATARI_INLINE double whole_units(double x) {
    const double in_units = x * unit, whole = __builtin_trunc(in_units), rest = in_units - whole;
    return whole + (rest >= 0.5 ? 1.0 : 0.0) - (rest <= -0.5 ? 1.0 : 0.0);
}

/// Returns the long-wave radiation that a facet sends to other facets, W.
WATARI_INLINE double emitted_by(double area, double sky, double t) {
    return area * (1.0 - sky) *
           (emissivity * sigma * fourth(t) + (1 - emissivity) * sky * sky_radiation);
}

/// Coefficients that all facets of a group share in a step. Thomas's elimination runs from the
/// inside out, so that only the surface's row differs between facets.
struct balance {
    double mass[layers], below[layers], diagonal[layers], share[layers];
    double area, per_speed, long_env, short_env, theta0;
    double absorbs, emits, emits_sigma, emits_sigma4;  // light, heat; W/m2K4

    balance(const material& of, double seconds)
        : absorbs(1 - of.albedo),
          emits(of.emissivity),
          emits_sigma(of.emissivity * sigma),
          emits_sigma4(4 * of.emissivity * sigma) {
        const double capacity = capacity_of(of), conductivity = conductivity_of(of);
        for (unsigned n = 0; n < layers; ++n) {
            mass[n] = capacity * thickness[n] / seconds;
            const double next =
                n + 1 < layers ? (thickness[n] + thickness[n + 1]) / 2 : thickness[n] / 2;
            below[n] = conductivity / next;
            diagonal[n] = mass[n] + below[n] + (n > 0 ? below[n - 1] : 0);
        }
        for (unsigned n = layers - 1; n-- > 1;) {
            share[n] = below[n] / diagonal[n + 1];
            diagonal[n] -= share[n] * below[n];
        }
        share[0] = below[0] / diagonal[1];
    }
};

/// The arrays of some facets. to_air: heat that a facet gives to the air in this step; emitted:
/// radiation that it sends to other facets after the step. Both are in units of the sums.
template <class Real>
struct some_facets {
    const float *sky, *direct;  // where facets exchange radiation: long waves and light received
    float* t[layers];
    const Real* air;
    Real* flux;
    double *to_air, *emitted;
};

template <bool Exchange, class Real>
WATARI_CLONES void step_facets(const balance& given, const some_facets<Real>& arrays,
                               std::size_t count) {
    const balance by = given;
    const some_facets<Real> f = arrays;
    WATARI_VECTORS
    for (std::size_t n = 0; n < count; ++n) {
        const double sky = f.sky[n], t = f.t[0][n];
        const double t_air = by.theta0 + double(f.air[2 * n]);
        const double speed = double(f.air[2 * n + 1]);
        const double to_air = by.per_speed * (speed < still ? still : speed);
        const double light = Exchange
                                 ? double(f.direct[n])
                                 : f.direct[n] * sun + sky * diffuse + (1.0 - sky) * by.short_env;
        const double heat = Exchange ? sky : sky * sky_radiation + (1.0 - sky) * by.long_env;
        const double cooling = by.emits_sigma4 * (t * t * t);
        const double gain = by.absorbs * light + by.emits * heat - by.emits_sigma * fourth(t) +
                            cooling * t + to_air * t_air;
        const double right3 = by.mass[3] * f.t[3][n] + by.below[3] * inside;
        const double right2 = by.mass[2] * f.t[2][n] + by.share[2] * right3;
        const double right1 = by.mass[1] * f.t[1][n] + by.share[1] * right2;
        const double right0 = by.mass[0] * t + gain + by.share[0] * right1;
        const double diagonal =
            by.mass[0] + by.below[0] + (cooling + to_air) - by.share[0] * by.below[0];
        const double t0 = right0 / diagonal;
        const double t1 = (right1 + by.below[0] * t0) / by.diagonal[1];
        const double t2 = (right2 + by.below[1] * t1) / by.diagonal[2];
        const double t3 = (right3 + by.below[2] * t2) / by.diagonal[3];
        const float surface = static_cast<float>(t0);
        f.t[0][n] = surface;
        f.t[1][n] = static_cast<float>(t1);
        f.t[2][n] = static_cast<float>(t2);
        f.t[3][n] = static_cast<float>(t3);
        const double h = to_air * (t0 - t_air);
        f.flux[n] = static_cast<Real>(h / rho_cp);
        f.to_air[n] = whole_units(h * by.area);
        f.emitted[n] = Exchange ? 0 : whole_units(emitted_by(by.area, sky, surface));
    }
}

/// Returns the sum over all ranks, W; by two's complement the sum is right below zero too.
double over_ranks(const parameters& p, std::int64_t own) {
    if (p.others == nullptr) return static_cast<double>(own) / unit;
    const std::uint64_t all = p.others->ranks().sum(static_cast<std::uint64_t>(own));
    return static_cast<double>(static_cast<std::int64_t>(all)) / unit;
}

}  // namespace

/// Returns the sum of work(facet) over all facets of all ranks.
template <class Work>
double facets::over_all(const Work& work) const {
    std::atomic<std::int64_t> total = 0;
    cpu::for_each_part(count(), [&](std::size_t n, std::size_t last) {
        std::int64_t own = 0;
        for (; n < last; ++n) own += static_cast<std::int64_t>(whole_units(work((*this)[n])));
        total += own;
    });
    return over_ranks(*p_, total);
}

facets::facets(const parameters& p) : p_(&p), counts_(count_facets(p)) {
    sky_.resize(counts_.all());
    direct_.resize(counts_.all());
    for (auto& layer : temperature_) layer.assign(counts_.all(), static_cast<float>(inside));
    see(p);
    if (p.radiation == radiation_on::none) {
        close_radiation();
        return;
    }
    exchange_ = std::make_unique<radiosity>(p);
    std::copy_n(exchange_->sky().begin(), count(), sky_.begin());  // leaves follow
    std::copy_n(exchange_->direct().begin(), count(), direct_.begin());
}

facets::~facets() = default;
facets::facets(facets&&) noexcept = default;

/// Sets the groups, and the sky view and light of each facet.
void facets::see(const parameters& p) {
    struct place {
        unsigned direction;
        std::uint32_t k, j, i;
    };
    std::vector<place> places;
    places.reserve(count());
    const double volume = p.spacing[0] * p.spacing[1] * p.spacing[2];
    for_each_facet(p, [&](unsigned d, std::size_t k, std::size_t j, std::size_t i) {
        const unsigned axis = normal_axis[d];
        const bool paved = axis == 2 && k == 0;
        const bool another =
            places.empty() || places.back().direction != d || groups_.back().paved != paved;
        if (another) {
            const double size = p.spacing[axis], log = std::log(size / (2 * p.air.roughness)),
                         log_heat = std::log(size / (2 * p.air.roughness / 10));
            groups_.push_back({places.size(), places.size(), paved, d,
                               static_cast<float>(volume / size),
                               static_cast<float>(p.air.karman * p.air.karman / (log * log_heat))});
        }
        ++groups_.back().last;
        places.push_back({d, static_cast<std::uint32_t>(k),
                          static_cast<std::uint32_t>(j + p.grid.origin.y),
                          static_cast<std::uint32_t>(i + p.grid.origin.x)});
    });
    if (p.radiation != radiation_on::none) return;
    const double top = tallest(p);
    cpu::for_each(
        places.size(),
        [&](std::size_t n) {
            const view seen =
                view_from(p, top, places[n].direction, places[n].k, places[n].j, places[n].i);
            sky_[n] = static_cast<float>(seen.sky);
            direct_[n] = seen.lit ? static_cast<float>(std::numbers::sqrt2 / 2) : 0.0f;
        },
        nullptr);
}

/// Sets the sums of the radiation between facets: seen_, short_env_ and emitted_.
void facets::close_radiation() {
    const auto hidden = [](const facet& f) { return f.area * (1.0 - f.sky); };
    const double sum = over_all(hidden);
    const double squares = over_all([&](const facet& f) { return hidden(f) * (1.0 - f.sky); });
    seen_ = sum - (1 - emissivity) * squares;
    const double reflected = over_all(
        [&](const facet& f) { return hidden(f) * albedo * (f.direct * sun + f.sky * diffuse); });
    const double seen = sum - albedo * squares;
    short_env_ = seen > 0 ? reflected / seen : 0;
    emitted_ = over_all([](const facet& f) { return emitted_by(f.area, f.sky, f.temperature[0]); });
}

facet facets::operator[](std::size_t n) const {
    const auto of =
        std::find_if(groups_.begin(), groups_.end(), [n](const group& g) { return n < g.last; });
    const material made = material_of(*p_, of->direction, of->paved);
    facet result{sky_[n], direct_[n], of->area, capacity_of(made), conductivity_of(made), {}};
    for (unsigned layer = 0; layer < layers; ++layer)
        result.temperature[layer] = temperature_[layer][n];
    return result;
}

template <class Real>
std::array<std::int64_t, 2> facets::warm(const group& of, const Real* air, Real* flux,
                                         double seconds, double long_env) {
    balance by(material_of(*p_, of.direction, of.paved), seconds);
    by.area = of.area;
    by.per_speed = rho_cp * of.transfer;
    by.long_env = long_env;
    by.short_env = short_env_;
    by.theta0 = p_->air.theta0;
    std::array<std::int64_t, 2> sums{};
    for (std::size_t n = of.first; n < of.last; n += block) {
        double to_air[block], emitted[block];
        const float* const sky = exchange_ ? exchange_->heat() : sky_.data();
        const float* const light = exchange_ ? exchange_->light() : direct_.data();
        some_facets<Real> some{sky + n, light + n, {}, air + 2 * n, flux + n, to_air, emitted};
        for (unsigned layer = 0; layer < layers; ++layer)
            some.t[layer] = temperature_[layer].data() + n;
        const std::size_t here = std::min(block, of.last - n);
        exchange_ ? step_facets<true>(by, some, here) : step_facets<false>(by, some, here);
        for (std::size_t m = 0; m < here; ++m) {
            sums[0] += static_cast<std::int64_t>(to_air[m]);
            sums[1] += static_cast<std::int64_t>(emitted[m]);
        }
    }
    return sums;
}

void facets::radiate(std::span<const float> leaves) {
    if (exchange_) exchange_->update(temperature_[0].data(), leaves);
}

template <class Real>
exchanged_heat facets::step(const Real* air, Real* flux, double seconds) {
    const double long_env = seen_ > 0 ? emitted_ / seen_ : 0;
    std::atomic<std::int64_t> to_air = 0, emitted = 0;
    cpu::for_each_part(count(), [&](std::size_t first, std::size_t last) {
        for (group part : groups_) {
            part.first = std::max(part.first, first);
            part.last = std::min(part.last, last);
            if (part.first >= part.last) continue;
            const auto [given, sent] = warm(part, air, flux, seconds, long_env);
            to_air += given;
            emitted += sent;
        }
    });
    emitted_ = over_ranks(*p_, emitted);
    return {long_env, short_env_, over_ranks(*p_, to_air)};
}

template exchanged_heat facets::step(const float*, float*, double);
template exchanged_heat facets::step(const double*, double*, double);

}  // namespace watari::les
