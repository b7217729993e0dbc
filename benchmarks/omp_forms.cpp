// Which OpenMP target loop form gives GCC's code for NVIDIA GPUs most? As acc_forms.cpp.
//
//   g++ -O3 -std=c++20 -Isrc -Ibuild/include -fopenmp -no-pie -ffp-contract=off
//   -foffload=nvptx-none
//       -foffload-options=nvptx-none=-misa=sm_80 benchmarks/omp_forms.cpp -o omp_forms
//   ./omp_forms [I J K]
#include "watari/cases/himeno/styles/omp_kernels.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

using namespace watari::himeno::directive;

struct launch_options {
    int teams, threads;
};

#define ARGUMENTS                                                                    \
    const request &r, launch_options s, const float *p, float *wrk2, const float *a, \
        const float *b, const float *c, const float *wrk1, const float *bnd
#define BEGIN                                                                                     \
    const int is = static_cast<int>(r.i), js = static_cast<int>(r.j), ks = static_cast<int>(r.k); \
    const long row = ks, plane = row * js, points = plane * is;                                   \
    const int count = s.teams, limit = s.threads;                                                 \
    double gosa = 0;
#define POINTERS map(tofrom : gosa) is_device_ptr(p, wrk2, a, b, c, wrk1, bnd)
#define POINT                                                                    \
    {                                                                            \
        const long x = i * plane + j * row + k;                                  \
        const float ss = residual(x, plane, row, points, p, a, b, c, wrk1, bnd); \
        gosa += static_cast<double>(ss) * ss;                                    \
        wrk2[x] = p[x] + 0.8f * ss;                                              \
    }
#define QUAD                                                                                     \
    gosa += advance(i * plane + j * row + 4 * piece, 4 * piece, ks, plane, row, points, p, wrk2, \
                    a, b, c, wrk1, bnd, false);

double rows_default(ARGUMENTS) {
    BEGIN(void)(count + limit);
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : gosa) POINTERS
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j) {
#pragma omp simd reduction(+ : gosa)
            for (int k = 1; k < ks - 1; ++k) POINT
        }
    return gosa;
}

// a warp a row
double rows(ARGUMENTS) {
    BEGIN
#pragma omp target teams distribute parallel for collapse(2) num_teams(count) \
    thread_limit(limit) num_threads(limit) reduction(+ : gosa) POINTERS
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j) {
#pragma omp simd reduction(+ : gosa)
            for (int k = 1; k < ks - 1; ++k) POINT
        }
    return gosa;
}

// the rows of a team one by one among its warps: neighbours share rows of p in L1
double cyclic(ARGUMENTS) {
    BEGIN
#pragma omp target teams distribute parallel for collapse(2) num_teams(count) \
    thread_limit(limit) num_threads(limit) schedule(static, 1) reduction(+ : gosa) POINTERS
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j) {
#pragma omp simd reduction(+ : gosa)
            for (int k = 1; k < ks - 1; ++k) POINT
        }
    return gosa;
}

// a team a plane, a warp a row of it
double planes(ARGUMENTS) {
    BEGIN
#pragma omp target teams distribute num_teams(count) thread_limit(limit) reduction(+ : gosa) POINTERS
    for (int i = 1; i < is - 1; ++i) {
#pragma omp parallel for num_threads(limit) schedule(static, 1) reduction(+ : gosa)
        for (int j = 1; j < js - 1; ++j) {
#pragma omp simd reduction(+ : gosa)
            for (int k = 1; k < ks - 1; ++k) POINT
        }
    }
    return gosa;
}

// the same as `cyclic` and `planes`, by quads
double quads_cyclic(ARGUMENTS) {
    BEGIN
    const int line = ks / 4;
#pragma omp target teams distribute parallel for collapse(2) num_teams(count) \
    thread_limit(limit) num_threads(limit) schedule(static, 1) reduction(+ : gosa) POINTERS
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j) {
#pragma omp simd reduction(+ : gosa)
            for (int piece = 0; piece < line; ++piece) QUAD
        }
    return gosa;
}

double quads_planes(ARGUMENTS) {
    BEGIN
    const int line = ks / 4;
#pragma omp target teams distribute num_teams(count) thread_limit(limit) reduction(+ : gosa) POINTERS
    for (int i = 1; i < is - 1; ++i) {
#pragma omp parallel for num_threads(limit) schedule(static, 1) reduction(+ : gosa)
        for (int j = 1; j < js - 1; ++j) {
#pragma omp simd reduction(+ : gosa)
            for (int piece = 0; piece < line; ++piece) QUAD
        }
    }
    return gosa;
}

int main(int given_count, char** given) {
    const auto number = [&](int n, long absent) {
        return n < given_count ? std::atol(given[n]) : absent;
    };
    request r{};
    r.i = number(1, 512), r.j = number(2, 512), r.k = number(3, 1024);
    answer out{};
    if (!choose_device(r, out) || !asks_where_it_runs()) return std::puts("no GPU"), 1;
    const long n = r.i * r.j * r.k, plane = r.j * r.k, last = r.i - 1;
    const auto take = [](long floats) {
        return static_cast<float*>(omp_target_alloc(4 * floats, omp_get_default_device()));
    };
    float *p = take(n), *wrk2 = take(n), *wrk1 = take(n), *bnd = take(n), *a = take(4 * n),
          *b = take(3 * n), *c = take(3 * n);
    const auto reset = [&, n, plane, last](float* p, float* wrk2) {
        float *w = wrk1, *d = bnd, *aa = a, *bb = b, *cc = c;
#pragma omp target teams distribute parallel for simd is_device_ptr(p, wrk2, w, d, aa, bb, cc)
        for (long x = 0; x < n; ++x) {
            const float i = x / plane;
            p[x] = wrk2[x] = i * i / (last * last);
            w[x] = 0, d[x] = 1;
            for (int m = 0; m < 3; ++m) aa[x + m * n] = 1, bb[x + m * n] = 0, cc[x + m * n] = 1;
            aa[x + 3 * n] = 1.0f / 6;
        }
    };
    const double points = (r.i - 2.0) * (r.j - 2.0) * (r.k - 2.0);
    const auto measure = [&](const char* name, auto form, launch_options s) {
        reset(p, wrk2);
        double best = 1e9, gosa = 0, third = 0;
        for (int iteration = 1; iteration <= 20; ++iteration) {
            stopwatch watch;
            gosa = form(r, s, p, wrk2, a, b, c, wrk1, bnd);
            best = std::min(best, watch.lap());
            std::swap(p, wrk2);
            if (iteration == 3) third = gosa;
        }
        std::printf("%-12s teams %6d threads %3d  %8.1f GFLOPS  %8.3f ms  gosa %.9e\n", name,
                    s.teams, s.threads, 34 * points / best * 1e-9, best * 1e3, third);
        std::fflush(stdout);
    };
    measure("rows_default", rows_default, {0, 0});
    for (const int teams : {132, 264, 528})
        for (const int threads : {4, 8, 16}) {
            measure("rows", rows, {teams, threads});
            measure("cyclic", cyclic, {teams, threads});
            measure("planes", planes, {teams, threads});
            measure("quads_cyclic", quads_cyclic, {teams, threads});
            measure("quads_planes", quads_planes, {teams, threads});
        }
}
