// Heat on a plate: a solver of the library with the program's operator, two right-hand sides.
//   build/example/poisson       (how to build: examples/README.md)
#include <watari/krylov/cg.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace watari;

int main() try {
    constexpr std::size_t n = 64, systems = 2;  // n x n points, 0 all around

    // y = A x: four times a point less its four neighbours
    const auto laplace = [](double* y, const double* x, std::size_t count, stream_t) {
        for (std::size_t s = 0; s < count; ++s, x += n * n, y += n * n)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) {
                    const double* here = x + i * n + j;
                    y[i * n + j] = 4 * *here - (i > 0 ? here[-long(n)] : 0) -
                                   (i + 1 < n ? here[n] : 0) - (j > 0 ? here[-1] : 0) -
                                   (j + 1 < n ? here[1] : 0);
                }
    };
    std::vector<double> b(systems * n * n), x(systems * n * n);
    b[n / 2 * n + n / 2] = 1;                                     // one hot point
    for (std::size_t i = 0; i < n * n; ++i) b[n * n + i] = 1e-3;  // warm all over

    const krylov::problem<double> heat{
        .length = n * n, .systems = systems, .a = {laplace}, .b = b.data(), .x = x.data()};
    const krylov::workspace memory(heat.who, memory::kind::pageable, krylov::cg_bytes(heat));
    for (const krylov::report& one : krylov::cg(heat, memory, {.relative = 1e-10}))
        std::printf("%s after %zu iterations, |b - A x| / |b| = %.1e\n", name_of(one.reason),
                    one.iterations, one.true_residual / one.norm_b);
} catch (const watari::error& reason) {
    std::fprintf(stderr, "%s: %s\n", reason.name(), reason.what());
    return 1;
}
