#include "city.hpp"

#include "leaves.hpp"
#include "lengths.hpp"
#include "nozzles.hpp"
#include "watari/core/loops.hpp"

#include <algorithm>

namespace watari::les {

namespace {

std::ptrdiff_t signed_of(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

/// Writes the flags of a row of the part with `beyond` cells of its halo at either end; k and j
/// count from the part's first cell.
void flag_row(std::uint8_t* to, const columns& height, const grid& g, std::ptrdiff_t k,
              std::ptrdiff_t j, std::ptrdiff_t beyond) {
    const std::ptrdiff_t nz = signed_of(g.size.z);
    if (k < 0 || k >= nz) {
        std::fill_n(to, g.size.x + 2 * static_cast<std::size_t>(beyond), std::uint8_t(0));
        return;
    }
    for (std::ptrdiff_t i = -beyond; i < signed_of(g.size.x) + beyond; ++i) {
        const auto is_air = [&](std::ptrdiff_t y, std::ptrdiff_t x) { return height(y, x) <= k; };
        int tallest = 0;
        for (std::ptrdiff_t n = 0; n < 9; ++n)
            tallest = std::max(tallest, height(j + n / 3 - 1, i + n % 3 - 1));
        int result = flag::fluid;
        result |= is_air(j, i - 1) ? flag::low(0) : 0;
        result |= is_air(j, i + 1) ? flag::high(0) : 0;
        result |= is_air(j - 1, i) ? flag::low(1) : 0;
        result |= is_air(j + 1, i) ? flag::high(1) : 0;
        result |= k >= 1 && k - 1 >= height(j, i) ? flag::low(2) : 0;
        result |= k + 1 < nz ? flag::high(2) : 0;
        result |= k > tallest && k + 1 < nz ? flag::inner : 0;
        *to++ = static_cast<std::uint8_t>(is_air(j, i) ? result : 0);
    }
}

}  // namespace

facet_counts count_facets(const parameters& p) {
    facet_counts counts;
    const columns height(p, 1);
    const auto more = [](int n) { return static_cast<std::size_t>(std::max(n, 0)); };
    for (std::ptrdiff_t j = 0; j < signed_of(p.grid.size.y); ++j)
        for (std::ptrdiff_t i = 0; i < signed_of(p.grid.size.x); ++i) {
            const int own = height(j, i);
            counts.of[0] += own < static_cast<int>(p.whole.z);
            counts.of[1] += more(height(j, i - 1) - own);
            counts.of[2] += more(height(j, i + 1) - own);
            counts.of[3] += more(height(j - 1, i) - own);
            counts.of[4] += more(height(j + 1, i) - own);
        }
    return counts;
}

std::size_t facets_bytes(const parameters& p) {
    return count_facets(p).all() * (2 * sizeof(std::uint32_t) + 3 * p.real_bytes());
}

template <class Real>
facet_arrays<Real> facets_in(std::byte* data, std::size_t count) {
    facet_arrays<Real> result{};
    result.flux = numbers<Real>(data);
    result.packed = result.flux + count;
    result.cell = reinterpret_cast<std::uint32_t*>(result.packed + 2 * count);
    return result;
}

template <class Real>
void build_city(const fields& f, const parameters& p) {
    auto* const flags = reinterpret_cast<std::uint8_t*>(f.flags);
    const std::ptrdiff_t halo = signed_of(p.grid.below);
    const std::ptrdiff_t beyond = p.reads_far() ? signed_of(wide_halo) : 1;
    const columns height(p, halo + 1);
    cpu::for_each(
        p.grid.size.z + 2,
        [&](std::size_t plane) {
            for (std::ptrdiff_t j = -halo; j < signed_of(p.grid.size.y) + halo; ++j)
                flag_row(flags + p.grid.at(plane - 1, static_cast<std::size_t>(j), 0) - beyond,
                         height, p.grid, signed_of(plane) - 1, j, beyond);
        },
        nullptr);
    if (p.is_moist()) build_nozzles<Real>(f.facets, p);
    if (p.has_trees()) build_leaves<Real>(f.facets, p);
    build_lengths(numbers<Real>(f.length2), p);
    const std::size_t count = count_facets(p).all();
    const auto facets = facets_in<Real>(f.facets, count);
    std::fill_n(facets.flux, 3 * count, Real(0));
    std::size_t next = 0;
    for_each_facet(p, [&](unsigned, std::size_t k, std::size_t j, std::size_t i) {
        facets.cell[next++] = static_cast<std::uint32_t>(p.grid.at(k, j, i));
    });
}

template facet_arrays<float> facets_in(std::byte*, std::size_t);
template facet_arrays<double> facets_in(std::byte*, std::size_t);
template void build_city<float>(const fields&, const parameters&);
template void build_city<double>(const fields&, const parameters&);

}  // namespace watari::les
