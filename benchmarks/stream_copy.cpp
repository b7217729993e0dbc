// A plain STREAM copy, as a rival of case `copy` on the CPU: c[j] = a[j], nothing of this project.
// Usage: stream_copy BYTES SAMPLES; prints seconds, a line each.
#include <omp.h>

#include <cstdio>
#include <cstdlib>

static double *a, *c;
static long n;

[[gnu::noinline]] static void copy() {
#pragma omp parallel for
    for (long j = 0; j < n; j++) c[j] = a[j];
}

int main(int, char** arguments) {
    n = std::atol(arguments[1]) / static_cast<long>(sizeof(double));
    a = static_cast<double*>(std::malloc(n * sizeof(double)));
    c = static_cast<double*>(std::malloc(n * sizeof(double)));
#pragma omp parallel for
    for (long j = 0; j < n; j++) {
        a[j] = static_cast<double>(j);
        c[j] = 0;
    }
    for (int sample = std::atoi(arguments[2]); sample > 0; --sample) {
        const double start = omp_get_wtime();
        copy();
        std::printf("%.9f\n", omp_get_wtime() - start);
    }
    return c[n - 1] == static_cast<double>(n - 1) ? 0 : 1;
}
