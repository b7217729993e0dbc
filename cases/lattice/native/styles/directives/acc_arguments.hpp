/// The arguments of OpenACC kernels, copied to the GPU before a launch. If a region has variables
/// of the host, GCC's library allocates twice, copies twice (in a queue once for each variable) and
/// frees, which takes longer than a launch. So a region has none, and reads them by functions that
/// are inlined.
#pragma once

#include "site.hpp"

#include <openacc.h>

#include <type_traits>

namespace watari::lattice::directive {

// In an unnamed namespace: each style has its own kernels, which read its own arguments.
namespace {

/// The arguments of a kernel of vectors.
struct vector_arguments {
    std::size_t n = 0;
    number *x = nullptr, *r = nullptr, *p = nullptr;
    const number *q = nullptr, *t = nullptr, *b = nullptr;
    number alpha{}, omega{}, beta{};
    double* sums = nullptr;
};
rank_hop hop_now;
vector_arguments vectors_now;
#pragma acc declare create(hop_now, vectors_now)

/// Sets the arguments of the launches that follow in the queue. Each time they are copied from
/// another place, since a copy may be done late; the host waits before it uses a place again.
/// `acc update` would copy nothing: GCC 12 leaves declared variables out.
template <class Arguments>
void pass(Arguments& now, const Arguments& next) {
    static_assert(std::is_trivially_copyable_v<Arguments>);
    constexpr unsigned places = 16;
    static Arguments waiting[places];
    static unsigned turn = 0;
    if (turn % places == 0) {
#pragma acc wait(1)
    }
    Arguments& from = waiting[turn++ % places];
    from = now = next;
    acc_memcpy_to_device_async(acc_deviceptr(&now), &from, sizeof from, 1);
}
void pass(const rank_hop& next) { pass(hop_now, next); }
void pass(const vector_arguments& next) { pass(vectors_now, next); }

// A region that named the variables themselves would copy them.
WATARI_ALWAYS const rank_hop& passed_hop() { return hop_now; }
WATARI_ALWAYS const vector_arguments& passed() { return vectors_now; }

/// The arguments of one site of the hop.
WATARI_ALWAYS hop_arguments<double> site_arguments() {
    const rank_hop& p = passed_hop();
    const extents& s = p.where.size;
    auto a = arguments({.size = {s.x, s.y, s.z, s.t}, .log2_lanes = p.where.log2_lanes}, p.h.parity,
                       p.h.links, p.h.clover, p.h.in, p.h.out);
    a.diagonal = p.h.diagonal;
    a.factor = p.h.factor;
    return a;
}
WATARI_ALWAYS extents split() {
    const extents& s = passed_hop().split;
    return {s.x, s.y, s.z, s.t};
}
/// Reads extents again for each site. In registers through a loop they leave too few of them for
/// the loads of a site.
WATARI_ALWAYS extents read_again(const volatile extents& s) { return {s.x, s.y, s.z, s.t}; }

}  // namespace

}  // namespace watari::lattice::directive
