// Kernels for both backends; see core/backend.hpp.
#include "watari/measure/pattern.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/sums.hpp"

namespace watari::WATARI_BACKEND {

namespace {

void fill(double* data, std::size_t count, std::uint64_t seed, stream_t stream) {
    for_each(
        count, [=] WATARI_KERNEL(std::size_t i) { data[i] = measure::pattern(i, seed); }, stream);
}

std::size_t mismatches(const double* data, std::size_t count, std::uint64_t seed, stream_t stream) {
    return sum<std::size_t>(
        count,
        [=] WATARI_KERNEL(std::size_t i) -> std::size_t {
            return data[i] != measure::pattern(i, seed);
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::measure {

const pattern_kernels pattern_kernels::WATARI_BACKEND{.fill = WATARI_BACKEND::fill,
                                                      .mismatches = WATARI_BACKEND::mismatches};

}  // namespace watari::measure
