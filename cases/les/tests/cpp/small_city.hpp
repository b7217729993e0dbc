// A simulation on the CPU whose arrays a test can read and write.
#pragma once

#include "../../native/flow/simulation.hpp"
#include "watari/core/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace watari::les {

/// A city of one block, or of none.
inline parameters city_of(extents size, double spacing, std::size_t low = 0, std::size_t high = 0,
                          std::size_t top = 0) {
    parameters p;
    p.processor = the_cpu;
    p.whole = size;
    p.grid = {size};
    p.spacing = {spacing, spacing, spacing};
    p.heights.assign(size.x * size.y, 0);
    for (std::size_t j = low; j < high; ++j)
        for (std::size_t i = low; i < high; ++i)
            p.heights[j * size.x + i] = static_cast<std::uint16_t>(top);
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
    /// Calls work(k, j, i, element) for every cell.
    template <class Work>
    void each(const Work& work) const {
        for (std::size_t k = 0; k < p.grid.size.z; ++k)
            for (std::size_t j = 0; j < p.grid.size.y; ++j)
                for (std::size_t i = 0; i < p.grid.size.x; ++i) work(k, j, i, p.grid.at(k, j, i));
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

/// Expects a relative error within `tolerance`; `known` has ten decimals.
inline void expect_near(const char* what, double value, double known, double tolerance) {
    EXPECT_NEAR(value, known, tolerance * std::abs(known) + 5e-11) << what;
}

}  // namespace watari::les
