// A simulation on the CPU whose arrays a test can read and write.
#pragma once

#include "../../native/flow/simulation.hpp"
#include "watari/core/threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

namespace watari::les {

/// Cells from `first` to below `last`, along an axis.
struct cells {
    std::size_t first, last;
};

/// Raises a block to `height` cells.
inline void raise(parameters& p, cells x, cells y, std::size_t height) {
    for (std::size_t j = y.first; j < y.last; ++j)
        for (std::size_t i = x.first; i < x.last; ++i)
            p.heights[j * p.whole.x + i] = static_cast<std::uint16_t>(height);
}

/// A city of one block, or of none.
inline parameters city_of(extents size, double spacing, std::size_t low = 0, std::size_t high = 0,
                          std::size_t top = 0) {
    parameters p;
    p.processor = the_cpu;
    p.whole = size;
    p.grid = {size};
    p.spacing = {spacing, spacing, spacing};
    p.heights.assign(size.x * size.y, 0);
    raise(p, {low, high}, {low, high}, top);
    return p;
}

/// Air that nothing slows down.
inline constants inviscid() {
    constants c;
    c.nu = c.kappa = c.smagorinsky = 0;
    c.walls = c.ground = surface::smooth;
    c.force[0] = 0;
    return c;
}

/// Calls work(k, j, i, element) for every cell.
template <class Work>
void each_cell(const grid& g, const Work& work) {
    for (std::size_t k = 0; k < g.size.z; ++k)
        for (std::size_t j = 0; j < g.size.y; ++j)
            for (std::size_t i = 0; i < g.size.x; ++i) work(k, j, i, g.at(k, j, i));
}

/// Random numbers from -1 to 1, in the halo too.
template <class Real>
void fill(const grid& g, Real* array, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<Real> any(-1, 1);
    each_cell(g, [&](auto, auto, auto, std::size_t at) { array[at] = any(engine); });
    kernels_on<vcycle_kernels<Real>>(the_cpu).go_around(g, array, nullptr);
}

inline double still(double, double, double) { return 0; }

template <class Real>
class small_city {
public:
    /// One thread: more are slower on such small grids, and much slower beside other programs.
    explicit small_city(parameters given, int threads = 1) : p(std::move(given)) {
        p.precision = sizeof(Real) == 4 ? precision::single_precision : precision::double_precision;
        cpu::set_threads(threads);
        for (const auto& [pointer, bytes] : arrays(f, p))
            *pointer = held_.emplace_back(bytes).data();
        build_city<Real>(f, p);
    }

    Real* array(std::byte* data) const { return numbers<Real>(data); }
    const std::uint8_t* flags() const { return reinterpret_cast<const std::uint8_t*>(f.flags); }

    using function = std::function<double(double, double, double)>;
    /// Sets component n at the low faces of axis n (3: theta in cell centres) to value(x, y, z), or
    /// to 0 where closed. Includes halos.
    void set(unsigned n, const function& value) {
        const auto open = n == 3 ? flag::fluid : flag::low(n);
        for (std::size_t plane = 0; plane < p.grid.size.z + 2; ++plane)
            for (std::size_t j = 0; j < p.grid.size.y + 2; ++j)
                for (std::size_t i = 0; i < p.grid.size.x + 2; ++i) {
                    const std::size_t at = p.grid.at(plane - 1, j - 1, i - 1);
                    const auto place = [&](unsigned a, std::size_t index) {
                        return (static_cast<double>(index) - (n == a ? 1 : 0.5)) * p.spacing[a];
                    };
                    array(f.flow[n])[at] =
                        flags()[at] & open ? Real(value(place(0, i), place(1, j), place(2, plane)))
                                           : Real(0);
                }
    }
    /// Sets u, v, w and theta.
    void set(const std::array<function, 4>& values) {
        for (unsigned n = 0; n < 4; ++n) set(n, values[n]);
    }
    /// Calls work(k, j, i, element) for every cell.
    template <class Work>
    void each(const Work& work) const {
        each_cell(p.grid, work);
    }
    double mean(const std::function<double(std::size_t)>& of) const {
        double sum = 0;
        each([&](auto, auto, auto, std::size_t at) { sum += of(at); });
        return sum / static_cast<double>(p.grid.size.cells());
    }

    parameters p;
    fields f;

private:
    std::vector<std::vector<std::byte>> held_;
};

/// A simulation of a city after its start.
template <class Real>
struct started : simulation<Real> {
    explicit started(const small_city<Real>& city) : simulation<Real>(city.f, city.p) {
        this->start(nullptr);
    }
    void steps(int count) {
        for (int step = 0; step < count; ++step) this->step(nullptr);
    }
};

/// Expects a relative error within `tolerance`; `known` has ten decimals.
inline void expect_near(const char* what, double value, double known, double tolerance) {
    EXPECT_NEAR(value, known, tolerance * std::abs(known) + 5e-11) << what;
}

}  // namespace watari::les
