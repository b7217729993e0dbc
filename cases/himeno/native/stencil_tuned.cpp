// The stencil for a CPU alone. Per point 13 floats read, 1 written: 56 bytes, 34 flops.
//
// Whole lines of 64 bytes are written, so that wrk2 bypasses the caches: a store through them reads
// its line first, 60 bytes per point. The first and last lines of a row hold boundary points: p's
// values are written to wrk2 there, which it has already. Arrays that are read once are prefetched
// early: without prefetch, a core looks ahead no further than the arithmetic of a few lines.
#include "stencil.hpp"
#include "watari/core/streaming_stores.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace watari::cpu {

namespace {

using himeno::fields;

constexpr std::size_t rows = 8;     // one sum each: gosa does not depend on the threads
constexpr std::size_t early = 192;  // floats: 768 bytes of every stream are prefetched
constexpr std::size_t width = 8;    // wider vectors gain nothing, and older processors lack them

/// Consecutive points along k: GCC maps them to the processor's vectors.
using points [[gnu::vector_size(width * sizeof(float))]] = float;

template <class Value>
[[gnu::always_inline]] inline Value load(const float* at) {
    Value result;
    std::memcpy(&result, at, sizeof result);
    return result;
}

/// Returns ss of point n; for a vector as Value, of its points from n on.
template <class Value>
[[gnu::always_inline]] inline Value correction_at(const fields& f, std::size_t n) {
    const auto row = static_cast<std::ptrdiff_t>(f.size.k);
    const auto plane = static_cast<std::ptrdiff_t>(f.size.j * f.size.k);
    const auto p = [at = f.p + n](std::ptrdiff_t away) __attribute__((always_inline)) {
        return load<Value>(at + away);
    };
    const auto in = [n](const float* array) __attribute__((always_inline)) {
        return load<Value>(array + n);
    };
    const Value none{};
    const Value around[3][3][3] = {{{none, p(-plane - row), none},
                                    {p(-plane - 1), p(-plane), p(-plane + 1)},
                                    {none, p(-plane + row), none}},
                                   {{p(-row - 1), p(-row), p(-row + 1)},
                                    {p(-1), p(0), p(1)},
                                    {p(row - 1), p(row), p(row + 1)}},
                                   {{none, p(plane - row), none},
                                    {p(plane - 1), p(plane), p(plane + 1)},
                                    {none, p(plane + row), none}}};
    return correction<Value>({{in(f.a[0]), in(f.a[1]), in(f.a[2]), in(f.a[3])},
                              {in(f.b[0]), in(f.b[1]), in(f.b[2])},
                              {in(f.c[0]), in(f.c[1]), in(f.c[2])},
                              in(f.wrk1),
                              in(f.bnd)},
                             around);
}

[[gnu::always_inline]] inline void ask_early(const fields& f, std::size_t n) {
    const auto ask = [n](const float* array) { __builtin_prefetch(array + n + early); };
    for (const float* array : f.a) ask(array);
    for (const float* array : f.b) ask(array);
    for (const float* array : f.c) ask(array);
    ask(f.wrk1);
    ask(f.bnd);
    ask(f.p + (f.size.j + 1) * f.size.k);  // the last row of p that this point needs
}

/// Advances one row, from its point n at k = 0; adds ss*ss to the lanes `sums`.
WATARI_CLONES void advance_row(const fields f, std::size_t n, bool aligned, double* sums) {
    const std::size_t last = f.size.k - 1;
    double lane[line];
    std::copy_n(sums, line, lane);
    std::size_t k = 0;
    for (; k + line <= f.size.k; k += line) {
        ask_early(f, n + k);
        float out[line], square[line];
#pragma GCC unroll 2
        for (std::size_t l = 0; l < line; l += width) {
            const auto ss = correction_at<points>(f, n + k + l);
            const points next = load<points>(f.p + n + k + l) + himeno::omega * ss;
            const points squares = ss * ss;
            std::memcpy(out + l, &next, sizeof next);
            std::memcpy(square + l, &squares, sizeof squares);
        }
        if (k == 0) out[0] = f.p[n], square[0] = 0;
        if (k + line > last) out[line - 1] = f.p[n + last], square[line - 1] = 0;
        for (std::size_t l = 0; l < line; ++l) lane[l] += static_cast<double>(square[l]);
        if (aligned)
            stream_line(f.wrk2 + n + k, out);
        else
            std::copy_n(out, line, f.wrk2 + n + k);
    }
    for (k = std::max<std::size_t>(k, 1); k < last; ++k) {
        const float ss = correction_at<float>(f, n + k);
        f.wrk2[n + k] = f.p[n + k] + himeno::omega * ss;
        lane[k % line] += static_cast<double>(ss * ss);
    }
    std::copy_n(lane, line, sums);
}

}  // namespace

void himeno_tuned(const fields& given, double* gosa, stream_t stream) {
    const fields& f = given.there[0] != nullptr ? *given.there[0] : given;
    double* partial = partial_sums(gosa, f.size);
    const std::size_t groups = (f.size.j - 2 + rows - 1) / rows;
    const bool aligned =
        (reinterpret_cast<std::uintptr_t>(f.wrk2) | f.size.k * sizeof(float)) % 16 == 0;
    for_each_part((f.size.i - 2) * groups, [=](std::size_t group, std::size_t last) {
        for (; group < last; ++group) {
            const std::size_t i = 1 + group / groups, first = 1 + group % groups * rows;
            double lane[line]{};
            for (std::size_t j = first; j < std::min(first + rows, f.size.j - 1); ++j)
                advance_row(f, (i * f.size.j + j) * f.size.k, aligned, lane);
            fold(lane);
            partial[group] = lane[0];
        }
        end_streams();
    });
    sum_values(partial, (f.size.i - 2) * groups, gosa, stream);
}

}  // namespace watari::cpu
