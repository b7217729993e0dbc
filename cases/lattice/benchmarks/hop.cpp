// The rate of the CPU's hop with F^-1, by threads.
//
//   cmake -S . -B build && cmake --build build --target watari_case_lattice
//   g++ -O3 -std=c++20 -fopenmp -I. -Isrc -Ibuild/include cases/lattice/benchmarks/hop.cpp
//       build/cases/lattice/native/libwatari_case_lattice.a
//       -Lbuild/lib -lwatari -Wl,-rpath,build/lib -L/usr/local/cuda/lib64 -lcudart -o lattice_hop
//   ./lattice_hop [THREADS]
//
// GB/s count the least bytes: 2112 a site in double with links of 18, 1728 with links of 12, half
// of that in single. The time is the least CPU time of a thread of twelve, since other work may
// share its cores. Arrays lie in huge pages, as style `system` places them. To compare two
// revisions, link it with the library of each and run both in turn.
#include "cases/lattice/native/kernels/hop.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/threads.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace watari;

namespace {

/// CPU seconds of this process, over its threads.
double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec)) /
           cpu::current_team().threads;
}

/// Allocates numbers, of arbitrary values, in huge pages.
template <class Real>
complex<Real>* numbers_of(std::size_t count) {
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(complex<Real>) / page + 1) * page;
    auto* const data = static_cast<complex<Real>*>(std::aligned_alloc(page, bytes));
    madvise(data, bytes, MADV_HUGEPAGE);
    cpu::for_each(
        count,
        [=](std::size_t i) {
            data[i] = {Real(i % 7) / Real(7), Real(i % 5) / Real(5)};
        },
        nullptr);
    return data;
}

template <class Real>
void rate_of(const char* name, const lattice::extents& size, unsigned elements) {
    const std::size_t half = size.half();
    const lattice::hop_arguments<Real> a{.where = {size, 3},
                                         .link_elements = elements,
                                         .links = numbers_of<Real>(8 * half * elements),
                                         .clover = numbers_of<Real>(half * lattice::packed),
                                         .in = numbers_of<Real>(half * lattice::spinor),
                                         .out = numbers_of<Real>(half * lattice::spinor)};
    const std::size_t times = std::max<std::size_t>(1, 4000 / half);
    double least = 1e9;
    for (int round = 0; round < 12; ++round) {
        const double start = cpu_seconds();
        for (std::size_t n = 0; n < times; ++n) cpu::tuned_hop(a, nullptr);
        least = std::min(least, (cpu_seconds() - start) / static_cast<double>(times));
    }
    const std::size_t numbers = 8 * elements + lattice::packed + 2 * lattice::spinor;
    const auto bytes = static_cast<double>(half * numbers * sizeof(complex<Real>));
    std::printf("%s %ux%ux%ux%u, links of %u: %5.1f GB/s, %6.1f ns a site\n", name, size.x, size.y,
                size.z, size.t, 2 * elements, bytes / least / 1e9,
                1e9 * least / static_cast<double>(half));
    for (const void* data : {static_cast<const void*>(a.links), static_cast<const void*>(a.clover),
                             static_cast<const void*>(a.in), static_cast<const void*>(a.out)})
        std::free(const_cast<void*>(data));
}

}  // namespace

int main(int count, char** words) {
    cpu::set_threads(count > 1 ? std::atoi(words[1]) : 1);
    for (const lattice::extents size :
         {lattice::extents{2, 4, 2, 32}, lattice::extents{8, 8, 8, 32},
          lattice::extents{16, 16, 16, 32}, lattice::extents{32, 32, 32, 32}}) {
        rate_of<double>("double", size, 9);
        rate_of<double>("double", size, 6);
        rate_of<float>("single", size, 9);
    }
}
