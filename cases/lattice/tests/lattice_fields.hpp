/// A small lattice with random links, its F^-1, and hops on vectors of a test, by each processor of
/// this machine and by either kernel.
#pragma once

#include "../native/problem/fields.hpp"
#include "watari/core/device.hpp"
#include "watari/memory/buffer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace watari::lattice {

using number = complex<double>;
using numbers_of = std::vector<number>;

struct variant {
    processor who;
    kernel which;
};

inline std::vector<variant> variants() {
    std::vector<variant> all{{the_cpu, kernel::shared}, {the_cpu, kernel::tuned}};
    if (device::count() > 0)
        for (const kernel which : {kernel::shared, kernel::tuned})
            all.push_back({gpu_number(0), which});
    return all;
}

inline std::string name(const testing::TestParamInfo<variant>& info) {
    return std::string(info.param.who.is_gpu() ? "gpu_" : "cpu_") +
           (info.param.which == kernel::tuned ? "tuned" : "shared");
}

/// Takes and returns vectors and links by site and component, in one layout for all processors.
class lattice_fields {
public:
    lattice_fields(const variant& by, const extents& size, unsigned elements = 9)
        : by_(by),
          elements_(elements),
          where_(geometry_of({.style = "", .processor = by.who, .size = size})),
          links_(8 * size.half() * elements),
          clover_(2 * size.half() * packed) {
        kernels_on<kernels<double>>(the_cpu).draw_links({size, 0}, elements, links_.data(),
                                                        nullptr);
    }

    const extents& size() const { return where_.size; }
    std::size_t half() const { return where_.size.half(); }
    unsigned elements() const { return elements_; }

    number& link(unsigned direction, const point& p, unsigned a) {
        return links_[((p.parity() * 4 + direction) * half() + number_of(size(), p)) * elements_ +
                      a];
    }
    const numbers_of& clover() const { return clover_; }

    /// Mean of Re tr / 3 over the plaquettes.
    double plaquette() const {
        std::vector<double> sums(scratch({.style = "", .processor = the_cpu, .size = size()}));
        kernels_on<kernels<double>>(the_cpu).sum_links({size(), 0}, elements_, links_.data(),
                                                       sums.data(), nullptr);
        return sums[0] / 18 / static_cast<double>(size().sites());
    }

    /// Computes F^-1 and returns log det F.
    double make_clover() {
        const auto links = in_layout(links_, elements_, 8);
        const memory::buffer<number> made(kind(), clover_.size(), {.device = by_.who.number});
        const memory::buffer<double> sums(
            kind(), scratch({.style = "", .processor = the_cpu, .size = size()}),
            {.device = by_.who.number});
        run().make_clover(where_, elements_, links.data(), made.data(), sums.data(), nullptr);
        wait();
        clover_ = from_layout(made.data(), packed, 2);
        return sums.data()[0];
    }

    /// Returns M of spinors of the other parity; F^-1 M with `with_clover`.
    numbers_of hop(unsigned parity, const numbers_of& in, bool with_clover,
                   std::size_t systems = 1) const {
        const auto links = in_layout(links_, elements_, 8);
        const auto inverse = in_layout(clover_, packed, 2);
        const auto from = in_layout(in, spinor, systems);
        const memory::buffer<number> to(kind(), in.size(), {.device = by_.who.number});
        hop_arguments<double> a{.where = where_,
                                .parity = parity,
                                .link_elements = elements_,
                                .links = links.data(),
                                .in = from.data(),
                                .out = to.data(),
                                .systems = systems};
        if (with_clover) a.clover = inverse.data() + parity * half() * packed;
        by_.which == kernel::tuned ? run().tuned_hop(a, nullptr) : run().hop(a, nullptr);
        wait();
        return from_layout(to.data(), spinor, systems);
    }

    /// Returns F^-1 M at the edges of divided directions, 0 elsewhere. This part is its own
    /// neighbour.
    numbers_of edges(unsigned parity, const numbers_of& in, const std::array<bool, 4>& divided,
                     std::size_t systems) const {
        const auto links = in_layout(links_, elements_, 8);
        const auto inverse = in_layout(clover_, packed, 2);
        const auto from = in_layout(in, spinor, systems);
        const auto to = in_layout(numbers_of(in.size()), spinor, systems);
        edge_arguments<double> a{.hop = {.where = where_,
                                         .parity = parity,
                                         .link_elements = elements_,
                                         .links = links.data(),
                                         .clover = inverse.data() + parity * half() * packed,
                                         .in = from.data(),
                                         .out = to.data(),
                                         .systems = systems}};
        std::vector<memory::buffer<number>> halos;
        for (unsigned d = 0; d < 4; ++d)
            for (const bool above : {false, true}) {
                if (!divided[d]) continue;
                const std::size_t count = systems * half_spinor * face_sites(size(), d);
                number* const sent =
                    halos.emplace_back(kind(), count, memory::placement{.device = by_.who.number})
                        .data();
                run().pack_face(a.hop, d, above, sent, nullptr);
                a.halo[d][!above] = sent;  // a face sent up arrives from below
            }
        run().hop_edges(a, nullptr);
        wait();
        return from_layout(to.data(), spinor, systems);
    }

private:
    const kernels<double>& run() const { return kernels_on<kernels<double>>(by_.who); }
    memory::kind kind() const {
        return by_.who.is_gpu() ? memory::kind::managed : memory::kind::pageable;
    }
    void wait() const {
        if (by_.who.is_gpu()) device::synchronize(nullptr);
    }
    memory::buffer<number> in_layout(const numbers_of& values, unsigned components,
                                     std::size_t fields) const {
        memory::buffer<number> result(kind(), values.size(), {.device = by_.who.number});
        each_element(components, fields, [&](std::size_t by_site, std::size_t in_layout) {
            result.data()[in_layout] = values[by_site];
        });
        return result;
    }
    numbers_of from_layout(const number* values, unsigned components, std::size_t fields) const {
        numbers_of result(fields * half() * components);
        each_element(components, fields, [&](std::size_t by_site, std::size_t in_layout) {
            result[by_site] = values[in_layout];
        });
        return result;
    }
    /// Calls visit with the place of every number by site and component, and in the layout.
    template <class Visit>
    void each_element(unsigned components, std::size_t fields, const Visit& visit) const {
        for (std::size_t f = 0; f < fields; ++f)
            for (unsigned site = 0; site < half(); ++site)
                for (unsigned a = 0; a < components; ++a)
                    visit((f * half() + site) * components + a,
                          f * half() * components + where_.element(components, site, a));
    }

    variant by_;
    unsigned elements_;
    geometry where_;
    numbers_of links_, clover_;
};

/// Calls visit(parity, number, point) for every site.
template <class Visit>
void each_point(const extents& size, const Visit& visit) {
    for (unsigned parity = 0; parity < 2; ++parity)
        for (unsigned n = 0; n < size.half(); ++n) visit(parity, n, point_of(size, parity, n));
}

inline numbers_of random_vector(std::size_t length, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    numbers_of result(length);
    for (number& each : result) each = {normal(engine), normal(engine)};
    return result;
}

inline number dot(const numbers_of& u, const numbers_of& v) {
    number sum;
    for (std::size_t i = 0; i < u.size(); ++i) sum += conjugate(u[i]) * v[i];
    return sum;
}

inline double difference(const numbers_of& u, const numbers_of& v) {
    double most = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
        most = std::max(most, std::sqrt(squared_size(u[i] - v[i])));
    return most;
}

/// gamma_5 v: exchanges upper and lower spins, as diag(1, 1, -1, -1) in another basis.
inline numbers_of gamma_5(const numbers_of& v) {
    numbers_of result(v.size());
    for (std::size_t i = 0; i < v.size(); ++i)
        result[i] = v[i / spinor * spinor + (i % spinor + spinor / 2) % spinor];
    return result;
}

}  // namespace watari::lattice
