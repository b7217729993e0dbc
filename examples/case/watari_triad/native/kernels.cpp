// Compiled once by g++ and, for a GPU, once more by nvcc: see watari/core/backend.hpp.
#include "kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/sums.hpp"
#include "watari/measure/pattern.hpp"

namespace watari::WATARI_BACKEND {

namespace {

void triad(const ::triad::arrays& x, double scalar, int work, stream_t stream) {
    for_each(
        x.count,
        [=] WATARI_KERNEL(std::size_t i) {
            const double b = x.b[i];
            double sum = x.c[i];
            for (int n = 0; n < work; ++n) sum = b + scalar * sum;
            x.a[i] = sum;
        },
        stream);
}

std::size_t mismatches(const ::triad::arrays& x, double scalar, int work, stream_t stream) {
    return sum<std::size_t>(
        x.count,
        [=] WATARI_KERNEL(std::size_t i) -> std::size_t {
            const double b = measure::pattern(i, ::triad::seed_b);
            double expected = measure::pattern(i, ::triad::seed_c);
            for (int n = 0; n < work; ++n) expected = b + scalar * expected;
            return x.a[i] != expected;
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace triad {

const kernels kernels::WATARI_BACKEND{.triad = watari::WATARI_BACKEND::triad,
                                      .mismatches = watari::WATARI_BACKEND::mismatches};

}  // namespace triad
