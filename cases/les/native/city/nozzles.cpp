#include "nozzles.hpp"

#include <map>

namespace watari::les {

namespace {

/// Returns kg/s by the element of an array over the part.
std::map<std::uint32_t, double> rates(const parameters& p) {
    std::map<std::uint32_t, double> result;
    const grid& g = p.grid;
    for (std::size_t n = 0; n < p.mist.size(); n += 4) {
        const auto i = static_cast<std::size_t>(p.mist[n]) - g.origin.x,
                   j = static_cast<std::size_t>(p.mist[n + 1]) - g.origin.y,
                   k = static_cast<std::size_t>(p.mist[n + 2]);
        if (i >= g.size.x || j >= g.size.y) continue;  // unsigned: also before the part
        result[static_cast<std::uint32_t>(g.at(k, j, i))] += p.mist[n + 3];
    }
    return result;
}

}  // namespace

std::size_t count_nozzles(const parameters& p) { return rates(p).size(); }

std::size_t nozzles_bytes(const parameters& p) {
    constexpr std::size_t alignment = sizeof(double);
    const std::size_t count = count_nozzles(p);
    return count == 0 ? 0 : count * (sizeof(std::uint32_t) + p.real_bytes()) + alignment;
}

template <class Real>
nozzle_cells<Real> nozzles_in(std::byte* facets, const parameters& p) {
    const std::size_t count = count_nozzles(p);
    const std::size_t begin = (facets_bytes(p) + sizeof(Real) - 1) / sizeof(Real);
    Real* const amount = numbers<Real>(facets) + begin;
    return {count, reinterpret_cast<std::uint32_t*>(amount + count), amount};
}

template <class Real>
void build_nozzles(std::byte* facets, const parameters& p) {
    const auto to = nozzles_in<Real>(facets, p);
    std::size_t next = 0;
    for (const auto& [cell, rate] : rates(p)) {
        to.cell[next] = cell;
        to.amount[next++] = Real(rate * p.dt / air_of_cell(p));
    }
}

template nozzle_cells<float> nozzles_in(std::byte*, const parameters&);
template nozzle_cells<double> nozzles_in(std::byte*, const parameters&);
template void build_nozzles<float>(std::byte*, const parameters&);
template void build_nozzles<double>(std::byte*, const parameters&);

}  // namespace watari::les
