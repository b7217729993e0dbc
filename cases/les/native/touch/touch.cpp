#include "touch.hpp"

#include "../kernels.hpp"
#include "watari/core/device.hpp"
#include "watari/core/loops.hpp"
#include "watari/measure/clock.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace watari::les {

namespace {

constexpr unsigned facet_array = 4;
constexpr double height_of_plane = 2;  // m
constexpr int settling_times = 20;     // of which each leaves at most 0.4 of what is missing
constexpr double settling_seconds = 36000;

/// Seconds of some work, added to a number.
template <class Work>
void timed(double& into, const Work& work) {
    const double start = measure::now();
    work();
    into += measure::now() - start;
}

template <class Real>
std::byte* bytes_of(const Real* data) {
    return reinterpret_cast<std::byte*>(const_cast<Real*>(data));
}

/// The plane nearest to 2 m above the ground.
std::size_t low_plane(const parameters& p) {
    const auto k = static_cast<std::size_t>(height_of_plane / p.spacing[2]);
    return std::min(k, p.grid.size.z - 1);
}

constexpr std::size_t profile_sums = sizeof(profile) / sizeof(double);
constexpr std::size_t profile_lanes = 8;  ///< cells along x that are summed side by side

/// Adds `count` adjacent cells of u v w theta to the sums, one lane per cell.
template <class Real>
WATARI_INLINE void add_cells(const std::array<const Real*, 4>& from, std::size_t count,
                             double (&sums)[profile_sums][profile_lanes]) {
    WATARI_VECTORS
    for (std::size_t l = 0; l < count; ++l) {
        const double u = from[0][l], v = from[1][l], w = from[2][l], t = from[3][l];
        const double each[profile_sums]{u, v, w, t, u * u, v * v, w * w, u * w, w * t};
        for (std::size_t n = 0; n < profile_sums; ++n) sums[n][l] += each[n];
    }
}

/// Returns the sums over plane k of u v w theta, and of their products.
template <class Real>
WATARI_CLONES profile profile_of(const grid& g, const std::array<const Real*, 4>& all,
                                 std::size_t k) {
    double sums[profile_sums][profile_lanes]{};
    for (std::size_t j = 0; j < g.size.y; ++j) {
        std::array<const Real*, 4> row;
        for (unsigned n = 0; n < 4; ++n) row[n] = all[n] + g.at(k, j, 0);
        for (std::size_t i = 0; i < g.size.x; i += profile_lanes) {
            const std::size_t count = std::min(profile_lanes, g.size.x - i);
            if (count == profile_lanes)
                add_cells(row, profile_lanes, sums);
            else
                add_cells(row, count, sums);
            for (const Real*& from : row) from += profile_lanes;
        }
    }
    std::array<double, profile_sums> total{};
    for (std::size_t n = 0; n < profile_sums; ++n)
        for (const double lane : sums[n]) total[n] += lane;
    return std::bit_cast<profile>(total);
}

}  // namespace

template <class Real>
touch<Real>::touch(const fields& f, const parameters& p, const reach& by)
    : fields_(&f), p_(&p), by_(by), foliage_(p) {
    if (p.touched == touched::none) return;
    facets_.emplace(p);
    const std::size_t tallest = *std::max_element(p.heights.begin(), p.heights.end());
    top_ = std::min(tallest + 1, p.grid.size.z);
    facets_on_cpu_ = by_.twin[facet_array] == nullptr ? f.facets : by_.twin[facet_array];
    if (p.transpires()) {
        leaves_ = leaves_in<Real>(f.facets, p);
        leaves_on_cpu_ = leaves_in<Real>(facets_on_cpu_, p);
        top_ = std::max<std::size_t>(top_, leaf_places(p).back().k + 1);
    }
    choose_exchanged();
    const extents& size = p.grid.size;
    if (p.touched >= touched::planes) planes_.resize(4 * (size.x * size.y + size.x * size.z));
    if (p.touched == touched::all) profiles_.resize(size.z);
}

/// Sets which parts of the facets' array cross to the CPU and back at each touch.
template <class Real>
void touch<Real>::choose_exchanged() {
    const auto part = [&](const Real* at, std::size_t numbers) {
        const auto first = reinterpret_cast<const std::byte*>(at) - fields_->facets;
        return rows_of(facet_array, fields_->facets, static_cast<std::size_t>(first),
                       numbers * sizeof(Real));
    };
    const std::size_t count = facets_->count();
    const auto own = facets_in<Real>(fields_->facets, count);
    down_ = {part(own.packed, 2 * count)};
    up_ = {part(own.flux, count)};
    if (leaves_.cells == 0) return;
    down_.push_back(part(leaves_.packed, 2 * leaves_.cells));
    up_.push_back(part(leaves_.heat, 2 * leaves_.cells));  // and the vapour behind it
}

template <class Real>
region touch<Real>::rows_of(unsigned n, std::byte* data, std::size_t first, std::size_t bytes,
                            std::size_t rows, std::size_t stride) const {
    std::byte* const twin = by_.twin[n] == nullptr ? data : by_.twin[n];
    return {data + first, twin + first, bytes, rows == 1 ? bytes : stride, rows};
}

/// Returns the regions of u v w theta that the CPU will read.
template <class Real>
const std::vector<region>& touch<Real>::regions(const motion<Real>& now) {
    regions_.clear();
    const grid& g = p_->grid;
    const std::size_t plane = g.plane() * sizeof(Real);
    for (unsigned n = 0; n < 4; ++n) {
        std::byte* const data = bytes_of(now[n]);
        if (p_->touched == touched::all) {
            regions_.push_back(rows_of(n, data, 0, g.points() * sizeof(Real)));
            continue;
        }
        if (p_->gathers == the_cpu.kind)  // the plane above the tallest roof has its facets' air
            regions_.push_back(rows_of(n, data, plane, (top_ + 1) * plane));
        if (p_->touched != touched::planes) continue;
        regions_.push_back(rows_of(n, data, (low_plane(*p_) + 1) * plane, plane));
        regions_.push_back(rows_of(n, data, g.at(0, g.size.y / 2, 0) * sizeof(Real),
                                   g.size.x * sizeof(Real), g.size.z, plane));
    }
    return regions_;
}

template <class Real>
motion<Real> touch<Real>::on_cpu(const motion<Real>& now) const {
    motion<Real> result = now;
    for (unsigned n = 0; n < 4; ++n)
        if (by_.twin[n] != nullptr) result[n] = numbers<Real>(by_.twin[n]);
    return result;
}

/// Writes theta and speed of each facet's and each leaf cell's air to the facets' array at `data`.
template <class Real>
void touch<Real>::pack(processor who, const motion<Real>& now, std::byte* data,
                       const leaf_arrays<Real>& leaves, stream_t stream) const {
    const auto all = facets_in<Real>(data, facets_->count());
    const auto& kernels = who.kind == p_->processor.kind ? kernels_for<survey_kernels<Real>>(*p_)
                                                         : kernels_on<survey_kernels<Real>>(who);
    std::size_t first = 0;
    for (unsigned d = 0; d < directions; first += facets_->counts().of[d++])
        kernels.gather(p_->grid, now, normal_axis[d], all.cell + first, all.packed + 2 * first,
                       facets_->counts().of[d], stream);
    if (leaves.cells > 0)
        kernels.gather(p_->grid, now, 2, leaves.cell, leaves.packed, leaves.cells, stream);
}

/// The balance of the facets, and of the leaves among them, by the CPU.
template <class Real>
void touch<Real>::exchange_heat(touch_times& took, int times, double seconds) {
    const auto own = facets_in<Real>(facets_on_cpu_, facets_->count());
    for (int n = 0; n < times; ++n) {
        timed(took.radiation, [&] {
            facets_->radiate(foliage_.feel(leaves_on_cpu_.packed, leaves_.cells));
            if (leaves_.cells > 0) foliage_.give(*exchange(), leaves_on_cpu_);
        });
        heat_ = facets_->step(own.packed, own.flux, seconds);
    }
    if (p_->is_moist()) count_warming(own.flux);
}

template <class Real>
void touch<Real>::count_warming(const Real* flux) {
    warming_ = 0;
    for (unsigned d = 0; d < directions; ++d) {
        const std::size_t count = facets_->counts().of[d];
        for (std::size_t n = 0; n < count; ++n)
            warming_ += double(*flux++) / p_->spacing[normal_axis[d]];
    }
}

template <class Real>
void touch<Real>::look_at_planes(const motion<Real>& now) {
    const grid& g = p_->grid;
    const std::size_t k = low_plane(*p_), j = g.size.y / 2;
    cpu::for_each(
        4 * (g.size.y + g.size.z),
        [&](std::size_t row) {
            const unsigned n = static_cast<unsigned>(row / (g.size.y + g.size.z));
            const std::size_t of = row % (g.size.y + g.size.z);
            const std::size_t at = of < g.size.y ? g.at(k, of, 0) : g.at(of - g.size.y, j, 0);
            std::copy_n(now[n] + at, g.size.x, planes_.data() + row * g.size.x);
        },
        nullptr);
}

template <class Real>
void touch<Real>::take_profiles(const motion<Real>& now) {
    const std::array<const Real*, 4> all{now.velocity[0], now.velocity[1], now.velocity[2],
                                         now.theta};
    cpu::for_each(
        p_->grid.size.z, [&](std::size_t k) { profiles_[k] = profile_of(p_->grid, all, k); },
        nullptr);
}

template <class Real>
touch_times touch<Real>::operator()(const motion<Real>& now, stream_t stream) {
    return run(now, stream, 1, p_->dt * p_->every);
}

template <class Real>
void touch<Real>::settle(const motion<Real>& now, stream_t stream) {
    run(now, stream, settling_times, settling_seconds);
}

template <class Real>
touch_times touch<Real>::run(const motion<Real>& now, stream_t stream, int times, double seconds) {
    touch_times took;
    if (p_->touched == touched::none) return took;
    const bool by_gpu = p_->gathers == processor::type::gpu || !p_->processor.is_gpu();
    if (by_gpu)
        timed(took.gather, [&] {
            pack(p_->processor, now, fields_->facets, leaves_, stream);
            memory::wait(p_->processor, stream);
        });
    const std::vector<region>& fields = regions(now);
    timed(took.move, [&] {
        if (!by_.bring) return;
        for (const region& r : down_)
            if (by_gpu) by_.bring(r);
        for (const region& r : fields) by_.bring(r);
        by_.wait();
    });
    timed(took.cpu, [&] {
        const motion<Real> here = on_cpu(now);
        if (!by_gpu) pack(the_cpu, here, facets_on_cpu_, leaves_on_cpu_, nullptr);
        exchange_heat(took, times, seconds);
        if (p_->touched >= touched::planes) look_at_planes(here);
        if (p_->touched == touched::all) take_profiles(here);
    });
    timed(took.move, [&] {
        if (!by_.send) return;
        for (const region& r : up_) by_.send(r);
        if (by_.back) {
            for (const region& r : down_)
                if (by_gpu) by_.back(r);
            for (const region& r : fields) by_.back(r);
        }
        by_.wait();
    });
    return took;
}

template class touch<float>;
template class touch<double>;

}  // namespace watari::les
