// A plain STREAM copy, as a rival of case `copy` on the CPU: c[j] = a[j], nothing of this project.
// Usage: stream_copy BYTES SAMPLES [triad]; prints the seconds of a sample a line; with `triad`
// also those of STREAM's triad, a[j] = b[j] + 3 c[j], in the same line.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static double *a, *b, *c;
static long n;

[[gnu::noinline]] static void copy() {
#pragma omp parallel for
    for (long j = 0; j < n; j++) c[j] = a[j];
}

[[gnu::noinline]] static void triad() {
#pragma omp parallel for
    for (long j = 0; j < n; j++) a[j] = b[j] + 3 * c[j];
}

static double seconds_of(void (*work)()) {
    const double start = omp_get_wtime();
    work();
    return omp_get_wtime() - start;
}

int main(int count, char** arguments) {
    const bool both = count > 3 && std::strcmp(arguments[3], "triad") == 0;
    n = std::atol(arguments[1]) / static_cast<long>(sizeof(double));
    a = static_cast<double*>(std::malloc(n * sizeof(double)));
    c = static_cast<double*>(std::malloc(n * sizeof(double)));
    if (both) b = static_cast<double*>(std::malloc(n * sizeof(double)));
#pragma omp parallel for
    for (long j = 0; j < n; j++) {
        a[j] = static_cast<double>(j);
        c[j] = 0;
        if (both) b[j] = -2 * static_cast<double>(j);
    }
    for (int sample = std::atoi(arguments[2]); sample > 0; --sample) {
        std::printf("%.9f", seconds_of(copy));
        if (both) std::printf(" %.9f", seconds_of(triad));  // b + 3 a: a again
        std::printf("\n");
    }
    return c[n - 1] == static_cast<double>(n - 1) ? 0 : 1;
}
