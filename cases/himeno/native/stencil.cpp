// Kernels for both backends; see core/backend.hpp.
#include "stencil.hpp"

#include "watari/measure/pattern.hpp"

#include <cstdint>
#include <cstring>

namespace watari::WATARI_BACKEND {

namespace {

using himeno::fields;
using himeno::grid;

struct alignas(16) quad {
    float value[4];
};

/// Uniform number in [low, high), by the position in the whole grid and the number of the array.
WATARI_KERNEL inline float any(std::size_t position, std::uint64_t array, double low, double high) {
    return static_cast<float>(low + (high - low) * (measure::pattern(position, array) * 0x1p-53));
}

/// RIKEN's data: b = 0 hides 12 of the 19 points, and p varies along i alone.
void initialise_standard(const fields& f, grid whole, grid origin, stream_t stream) {
    const auto last = static_cast<float>(whole.i - 1);
    for_each_point(
        {f.size.i, f.size.j, f.size.k},
        [=] WATARI_KERNEL(std::size_t i, std::size_t j, std::size_t k) {
            const std::size_t n = (i * f.size.j + j) * f.size.k + k;
            const auto at = static_cast<float>(origin.i + i);
            f.p[n] = f.wrk2[n] = at * at / (last * last);
            f.wrk1[n] = 0;
            f.bnd[n] = 1;
            f.a[0][n] = f.a[1][n] = f.a[2][n] = 1;
            f.a[3][n] = 1.0f / 6.0f;
            f.b[0][n] = f.b[1][n] = f.b[2][n] = 0;
            f.c[0][n] = f.c[1][n] = f.c[2][n] = 1;
        },
        stream);
}

/// Every term is nonzero, and the iteration contracts: (6 * 1.25 + 12 * 0.06) * 0.12 < 1.
void initialise_general(const fields& f, grid whole, grid origin, stream_t stream) {
    for_each_point(
        {f.size.i, f.size.j, f.size.k},
        [=] WATARI_KERNEL(std::size_t i, std::size_t j, std::size_t k) {
            const std::size_t n = (i * f.size.j + j) * f.size.k + k;
            const std::size_t position =
                ((origin.i + i) * whole.j + origin.j + j) * whole.k + origin.k + k;
            f.p[n] = f.wrk2[n] = any(position, 1, 0, 1);
            f.wrk1[n] = any(position, 2, -0.5, 0.5);
            f.bnd[n] = any(position, 3, 0.5, 1);
            f.a[3][n] = any(position, 4, 0.1, 0.12);
            for (std::uint64_t axis = 0; axis < 3; ++axis) {
                f.a[axis][n] = any(position, 5 + axis, 0.75, 1.25);
                f.b[axis][n] = any(position, 8 + axis, -0.06, 0.06);
                f.c[axis][n] = any(position, 11 + axis, 0.75, 1.25);
            }
        },
        stream);
}

void initialise(const fields& f, grid whole, grid origin, himeno::data which, stream_t stream) {
    which == himeno::data::standard ? initialise_standard(f, whole, origin, stream)
                                    : initialise_general(f, whole, origin, stream);
}

/// Per point 13 floats read, 1 written: 56 bytes, 34 flops.
template <class Pointers>
void shared_step(const Pointers& pointers, const grid& size, double* gosa, stream_t stream) {
    const box interior{size.i - 2, size.j - 2, size.k - 2};
    double* sums = partial_sums(gosa, size);
    sum_rows(
        interior,
        [=] WATARI_KERNEL(std::size_t i, std::size_t j, std::size_t k) {
            const fields& f = pointers.get();
            const auto row = static_cast<std::ptrdiff_t>(f.size.k);
            const auto plane = static_cast<std::ptrdiff_t>(f.size.j * f.size.k);
            const std::size_t n = ((i + 1) * f.size.j + j + 1) * f.size.k + k + 1;
            const inputs in{{f.a[0][n], f.a[1][n], f.a[2][n], f.a[3][n]},
                            {f.b[0][n], f.b[1][n], f.b[2][n]},
                            {f.c[0][n], f.c[1][n], f.c[2][n]},
                            f.wrk1[n],
                            f.bnd[n]};
            const float* p = f.p + n;
            const float *below = p - plane, *above = p + plane;
            const float around[3][3][3] = {
                {{0, below[-row], 0}, {below[-1], below[0], below[1]}, {0, below[row], 0}},
                {{p[-row - 1], p[-row], p[-row + 1]},
                 {p[-1], p[0], p[1]},
                 {p[row - 1], p[row], p[row + 1]}},
                {{0, above[-row], 0}, {above[-1], above[0], above[1]}, {0, above[row], 0}}};
            const float ss = correction(in, around);
            f.wrk2[n] = p[0] + himeno::omega * ss;
            return ss * ss;
        },
        sums, stream);
    sum_values(sums, interior.i * interior.j, gosa, stream);
}

void step(const fields& f, himeno::kernel which, double* gosa, stream_t stream) {
    if (which == himeno::kernel::tuned) return himeno_tuned(f, gosa, stream);
    with_pointers(f, [&](const auto& pointers) { shared_step(pointers, f.size, gosa, stream); });
}

template <class Pointers>
void copy_back(const Pointers& pointers, const grid& size, bool aligned, stream_t stream) {
    const std::size_t width = aligned ? 4 : 1;
    for_each_point(
        {size.i - 2, size.j - 2, size.k / width},
        [=] WATARI_KERNEL(std::size_t i, std::size_t j, std::size_t piece) {
            const fields& f = pointers.get();
            const std::size_t row = ((i + 1) * f.size.j + j + 1) * f.size.k;
            const std::size_t k = piece * width;
            if (aligned && k > 0 && k + 4 < f.size.k) {
                *reinterpret_cast<quad*>(f.p + row + k) =
                    *reinterpret_cast<const quad*>(f.wrk2 + row + k);
                return;
            }
            for (std::size_t at = k; at < k + width; ++at)
                if (at > 0 && at + 1 < f.size.k) f.p[row + at] = f.wrk2[row + at];
        },
        stream);
}

/// Per point 1 float read, 1 written; 16 bytes per thread if rows are aligned to 16.
void update(const fields& f, stream_t stream) {
    const auto addresses =
        reinterpret_cast<std::uintptr_t>(f.p) | reinterpret_cast<std::uintptr_t>(f.wrk2);
    const bool aligned = (addresses | f.size.k * sizeof(float)) % sizeof(quad) == 0;
    with_pointers(f, [&](const auto& pointers) { copy_back(pointers, f.size, aligned, stream); });
}

std::uint64_t fingerprint(const fields& f, grid whole, grid origin, stream_t stream) {
    const std::size_t rows = f.size.j - 2, row = f.size.k - 2;
    return sum<std::uint64_t>(
               f.size.interior(),
               [=] WATARI_KERNEL(std::size_t index) {
                   const std::size_t i = 1 + index / row / rows, j = 1 + index / row % rows;
                   const std::size_t k = 1 + index % row;
                   const std::size_t position =
                       ((origin.i + i) * whole.j + origin.j + j) * whole.k + origin.k + k;
                   std::uint32_t bits;
                   memcpy(&bits, f.p + (i * f.size.j + j) * f.size.k + k, sizeof bits);
                   return static_cast<std::uint64_t>(measure::pattern(position, bits));
               },
               stream) %
           (std::uint64_t{1} << 53);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::himeno {

const kernels kernels::WATARI_BACKEND{.initialise = WATARI_BACKEND::initialise,
                                      .step = WATARI_BACKEND::step,
                                      .update = WATARI_BACKEND::update,
                                      .fused = WATARI_BACKEND::step,
                                      .fingerprint = WATARI_BACKEND::fingerprint};

}  // namespace watari::himeno
