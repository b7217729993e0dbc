// Which OpenACC loop form gives GCC's code for NVIDIA GPUs most? The step of Himeno in each, on
// device memory, standard data; gosa of iteration 3 is printed beside the rate
// (XL: 4.383944939e-04).
//
//   g++ -O3 -std=c++20 -Isrc -Ibuild/include -fopenacc -no-pie -ffp-contract=off
//   -foffload=nvptx-none
//       -foffload-options=nvptx-none=-misa=sm_80 benchmarks/acc_forms.cpp -o acc_forms
//   ./acc_forms [I J K]
#include "watari/cases/himeno/styles/acc_kernels.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

using namespace watari::himeno::directive;

struct launch_options {
    int gangs, workers;  // 0: libgomp chooses
};

#define ARGUMENTS                                                                    \
    const request &r, launch_options s, const float *p, float *wrk2, const float *a, \
        const float *b, const float *c, const float *wrk1, const float *bnd
#define BEGIN                                                                                     \
    const int is = static_cast<int>(r.i), js = static_cast<int>(r.j), ks = static_cast<int>(r.k); \
    const long row = ks, plane = row * js, points = plane * is;                                   \
    const int gangs = s.gangs, workers = s.workers;                                               \
    double gosa = 0;
#define POINTERS deviceptr(p, wrk2, a, b, c, wrk1, bnd)
#define POINT                                                                    \
    {                                                                            \
        const long x = i * plane + j * row + k;                                  \
        const float ss = residual(x, plane, row, points, p, a, b, c, wrk1, bnd); \
        gosa += static_cast<double>(ss) * ss;                                    \
        wrk2[x] = p[x] + 0.8f * ss;                                              \
    }

// a warp a row, gangs and workers as libgomp chooses
double rows_default(ARGUMENTS) {
    BEGIN(void)(gangs + workers);
#pragma acc parallel loop gang worker collapse(2) reduction(+ : gosa) POINTERS
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j)
#pragma acc loop vector reduction(+ : gosa)
            for (int k = 1; k < ks - 1; ++k) POINT
    return gosa;
}

// a gang a block of 16 rows of a plane: the warps of a gang share rows of p in L1
double blocks(ARGUMENTS) {
    BEGIN
    const int count = (js - 2 + 15) / 16;
#pragma acc parallel loop gang collapse(2) num_gangs(gangs) num_workers(workers) \
    reduction(+ : gosa) POINTERS
    for (int i = 1; i < is - 1; ++i)
        for (int block = 0; block < count; ++block) {
            const int first = 1 + 16 * block, last = first + 16 < js - 1 ? first + 16 : js - 1;
#pragma acc loop worker reduction(+ : gosa)
            for (int j = first; j < last; ++j)
#pragma acc loop vector reduction(+ : gosa)
                for (int k = 1; k < ks - 1; ++k) POINT
        }
    return gosa;
}

// one loop over all points: two divisions a point
double flat(ARGUMENTS) {
    BEGIN
#pragma acc parallel loop gang worker vector collapse(3) num_gangs(gangs) num_workers(workers) \
    reduction(+ : gosa) POINTERS
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j)
            for (int k = 1; k < ks - 1; ++k) POINT
    return gosa;
}

// a lane a column of the plane (j, k), marching along i
double march(ARGUMENTS) {
    BEGIN
#pragma acc parallel loop gang worker vector collapse(2) num_gangs(gangs) num_workers(workers) \
    reduction(+ : gosa) POINTERS
    for (int j = 1; j < js - 1; ++j)
        for (int k = 1; k < ks - 1; ++k)
#pragma acc loop seq
            for (int i = 1; i < is - 1; ++i) POINT
    return gosa;
}

// one loop over all quads; a gang has a piece of memory of its own
double quads(ARGUMENTS) {
    BEGIN
    const int line = ks / 4;
#pragma acc parallel loop gang worker vector collapse(3) num_gangs(gangs) num_workers(workers) \
    reduction(+ : gosa) POINTERS
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j)
            for (int piece = 0; piece < line; ++piece)
                gosa += advance(i * plane + j * row + 4 * piece, 4 * piece, ks, plane, row, points,
                                p, wrk2, a, b, c, wrk1, bnd, true);
    return gosa;
}

// the gangs walk through memory side by side
double quads_beside(ARGUMENTS) {
    BEGIN
    const unsigned line = ks / 4, layer = (js - 2) * line, pieces = (is - 2) * layer;
#pragma acc parallel loop gang(static : 1) worker vector num_gangs(gangs) num_workers(workers) \
    reduction(+ : gosa) POINTERS
    for (unsigned n = 0; n < pieces; ++n) {
        const unsigned i = n / layer + 1, j = n % layer / line + 1, piece = n % layer % line;
        gosa += advance(i * plane + j * row + 4 * piece, 4 * piece, ks, plane, row, points, p, wrk2,
                        a, b, c, wrk1, bnd, true);
    }
    return gosa;
}

int main(int count, char** given) {
    const auto number = [&](int n, long absent) {
        return n < count ? std::atol(given[n]) : absent;
    };
    request r{};
    r.i = number(1, 512), r.j = number(2, 512), r.k = number(3, 1024);
    answer out{};
    if (!choose_device(r, out) || !asks_where_it_runs()) return std::puts("no GPU"), 1;
    const long n = r.i * r.j * r.k, plane = r.j * r.k, last = r.i - 1;
    const auto take = [](long floats) { return static_cast<float*>(acc_malloc(4 * floats)); };
    float *p = take(n), *wrk2 = take(n), *wrk1 = take(n), *bnd = take(n), *a = take(4 * n),
          *b = take(3 * n), *c = take(3 * n);
    const auto reset = [&] {
#pragma acc parallel loop gang worker vector deviceptr(p, wrk2, wrk1, bnd, a, b, c)
        for (long x = 0; x < n; ++x) {
            const float i = x / plane;
            p[x] = wrk2[x] = i * i / (last * last);
            wrk1[x] = 0, bnd[x] = 1;
            for (int m = 0; m < 3; ++m) a[x + m * n] = 1, b[x + m * n] = 0, c[x + m * n] = 1;
            a[x + 3 * n] = 1.0f / 6;
        }
    };
    const double points = (r.i - 2.0) * (r.j - 2.0) * (r.k - 2.0);
    const auto measure = [&](const char* name, auto form, launch_options s) {
        reset();
        double best = 1e9, gosa = 0, third = 0;
        for (int iteration = 1; iteration <= 20; ++iteration) {
            stopwatch watch;
            gosa = form(r, s, p, wrk2, a, b, c, wrk1, bnd);
            best = std::min(best, watch.lap());
            std::swap(p, wrk2);
            if (iteration == 3) third = gosa;
        }
        std::printf("%-12s gangs %6d workers %3d  %8.1f GFLOPS  %8.3f ms  gosa %.9e\n", name,
                    s.gangs, s.workers, 34 * points / best * 1e-9, best * 1e3, third);
        std::fflush(stdout);
    };
    measure("rows_default", rows_default, {0, 0});
    for (const int gangs : {264, 528, 660, 1056, 4224})
        for (const int workers : {4, 5, 8, 10}) {
            measure("blocks", blocks, {gangs, workers});
            measure("flat", flat, {gangs, workers});
            measure("march", march, {gangs, workers});
            if (workers <= 8) measure("quads", quads, {gangs, workers});
            measure("quads_beside", quads_beside, {gangs, workers});
        }
}
