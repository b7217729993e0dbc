// The CPU's Himeno kernels against their floor: 56 bytes a point at STREAM's bandwidth.
//
//   cmake -S . -B build -DWATARI_CUDA=OFF && cmake --build build --target watari_case_himeno
//   g++ -O3 -std=c++20 -fopenmp -I. -Isrc -Ibuild/include cases/himeno/benchmarks/cpu.cpp
//       build/cases/himeno/native/libwatari_case_himeno.a
//       -Lbuild/lib -lwatari -Wl,-rpath,build/lib -o himeno_cpu
//   OMP_PROC_BIND=true ./himeno_cpu THREADS ROUNDS
//
// Rounds alternate, so that other work of the machine affects all alike: STREAM's four kernels
// (plain C, 512 MiB an array, STREAM's own count of bytes; the best of the four and of the moments
// before and after is the bandwidth), then a few iterations of a Himeno case. `plain`: 14 mallocs;
// `placed`: arrays as style system places them. Printed: the fraction of the floor, its median with
// the quartiles, and that of every round.
#include "cases/himeno/native/loop.hpp"

#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using namespace watari;

namespace {

constexpr long length = 64L << 20;
double a[length], b[length], c[length];

[[gnu::noinline]] void copy() {
#pragma omp parallel for
    for (long j = 0; j < length; j++) c[j] = a[j];
}
[[gnu::noinline]] void scale(double scalar) {
#pragma omp parallel for
    for (long j = 0; j < length; j++) b[j] = scalar * c[j];
}
[[gnu::noinline]] void add() {
#pragma omp parallel for
    for (long j = 0; j < length; j++) c[j] = a[j] + b[j];
}
[[gnu::noinline]] void triad(double scalar) {
#pragma omp parallel for
    for (long j = 0; j < length; j++) a[j] = b[j] + scalar * c[j];
}

template <class Work>
double seconds(const Work& work) {
    const double start = omp_get_wtime();
    work();
    return omp_get_wtime() - start;
}

/// Bytes a second of the fastest of the four kernels.
double stream_bandwidth() {
    constexpr double array = length * sizeof(double);
    return std::max({2 * array / seconds(copy), 2 * array / seconds([] { scale(3); }),
                     3 * array / seconds(add), 3 * array / seconds([] { triad(3); })});
}

himeno::fields plain(himeno::grid size) {
    himeno::fields f{.size = size};
    for (float** array : himeno::pointers(f))
        *array = static_cast<float*>(std::malloc(size.points() * sizeof(float)));
    return f;
}

himeno::fields placed(himeno::grid size) {
    constexpr std::size_t page = std::size_t{2} << 20, apart = 5 * 64;
    const std::size_t each = size.points() * sizeof(float) + apart;
    const std::size_t bytes = (14 * each + page - 1) / page * page;
    auto* next = static_cast<char*>(std::aligned_alloc(page, bytes));
    madvise(next, bytes, MADV_HUGEPAGE);
    himeno::fields f{.size = size};
    for (float** array : himeno::pointers(f))
        *array = reinterpret_cast<float*>(std::exchange(next, next + each));
    return f;
}

struct candidate {
    const char* name;
    himeno::kernel kernel;
    int iterations;
    himeno::fields f;
    std::vector<double> gosa, fractions, rates;
};

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

/// Bytes a second by the floor's count.
double himeno_bandwidth(candidate& one) {
    const himeno::kernels& run = kernels_on<himeno::kernels>(the_cpu);
    const double took = seconds([&] {
        for (int n = 0; n < one.iterations; ++n) {
            run.fused(one.f, one.kernel, one.gosa.data(), nullptr);
            std::swap(one.f.p, one.f.wrk2);
        }
    });
    return 56.0 * static_cast<double>(one.f.size.interior()) * one.iterations / took;
}

}  // namespace

int main(int count, char** given) {
    const int threads = count > 1 ? std::atoi(given[1]) : omp_get_num_procs();
    const int rounds = count > 2 ? std::atoi(given[2]) : 15;
    omp_set_num_threads(threads);
#pragma omp parallel for
    for (long j = 0; j < length; j++) a[j] = 1, b[j] = 2, c[j] = 0;

    constexpr himeno::grid m{128, 128, 256}, l{256, 256, 512};
    using himeno::kernel;
    std::vector<candidate> candidates{{"M shared plain", kernel::shared, 16, plain(m)},
                                      {"M shared placed", kernel::shared, 16, placed(m)},
                                      {"M tuned  plain", kernel::tuned, 16, plain(m)},
                                      {"M tuned  placed", kernel::tuned, 16, placed(m)},
                                      {"L shared plain", kernel::shared, 2, plain(l)},
                                      {"L shared placed", kernel::shared, 2, placed(l)},
                                      {"L tuned  plain", kernel::tuned, 2, plain(l)},
                                      {"L tuned  placed", kernel::tuned, 2, placed(l)}};
    for (candidate& one : candidates) {
        one.gosa.resize(himeno::gosa_scratch(one.f.size));
        kernels_on<himeno::kernels>(the_cpu).initialise(one.f, one.f.size, {0, 0, 0},
                                                        himeno::data::standard, nullptr);
        himeno_bandwidth(one);  // warm
    }
    std::vector<double> bandwidths;
    for (int round = 0; round < rounds; ++round) {
        double before = stream_bandwidth();
        for (candidate& one : candidates) {
            const double rate = himeno_bandwidth(one), after = stream_bandwidth();
            one.rates.push_back(rate);
            one.fractions.push_back(rate / std::max(before, after));
            bandwidths.push_back(before = after);
        }
    }
    std::printf("%d threads, STREAM %.1f GB/s [%.1f %.1f]\n", threads,
                quantile(bandwidths, 0.5) * 1e-9, quantile(bandwidths, 0.25) * 1e-9,
                quantile(bandwidths, 0.75) * 1e-9);
    for (const candidate& one : candidates) {
        std::printf("%-16s median %.3f [%.3f %.3f], %6.1f GB/s; rounds", one.name,
                    quantile(one.fractions, 0.5), quantile(one.fractions, 0.25),
                    quantile(one.fractions, 0.75), quantile(one.rates, 0.5) * 1e-9);
        for (const double fraction : one.fractions) std::printf(" %.2f", fraction);
        std::puts("");
    }
}
