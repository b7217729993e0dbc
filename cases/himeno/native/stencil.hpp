/// One point of the stencil, for every kernel of both backends. No multiplication is contracted
/// with an addition here (-ffp-contract=off, -fmad=false), so that all kernels give the same bits.
#pragma once

#include "himeno.hpp"
#include "watari/core/parallel/sums.hpp"

namespace watari::WATARI_BACKEND {

/// The values of the 12 arrays that are read once, at one point; a vector has several points.
template <class Value>
struct inputs_of {
    Value a[4], b[3], c[3], wrk1, bnd;
};
using inputs = inputs_of<float>;

/// ss of one point, from its inputs and p[di + 1][dj + 1][dk + 1] around it; corners are not used.
template <class Value>
WATARI_KERNEL inline Value correction(const inputs_of<Value>& in, const Value (&p)[3][3][3]) {
    const Value s0 = in.a[0] * p[2][1][1] + in.a[1] * p[1][2][1] + in.a[2] * p[1][1][2] +
                     in.b[0] * (p[2][2][1] - p[2][0][1] - p[0][2][1] + p[0][0][1]) +
                     in.b[1] * (p[1][2][2] - p[1][0][2] - p[1][2][0] + p[1][0][0]) +
                     in.b[2] * (p[2][1][2] - p[0][1][2] - p[2][1][0] + p[0][1][0]) +
                     in.c[0] * p[0][1][1] + in.c[1] * p[1][0][1] + in.c[2] * p[1][1][0] + in.wrk1;
    return (s0 * in.a[3] - p[1][1][1]) * in.bnd;
}

/// The pointers of a kernel: launch arguments, or loaded once by each thread from the struct in
/// memory into registers.
struct as_argument {
    himeno::fields f;
    WATARI_KERNEL const himeno::fields& get() const { return f; }
};
struct in_memory {
    const himeno::fields* there;
    WATARI_KERNEL himeno::fields get() const { return *there; }
};

/// Calls `run` with in_memory if the struct has a copy in memory, else with as_argument.
template <class Run>
void with_pointers(const himeno::fields& f, const Run& run) {
    f.there[0] != nullptr ? run(in_memory{f.there[0]}) : run(as_argument{f});
}

/// Number of partial sums of gosa of a kernel, at most: one for 128 points of a row.
constexpr std::size_t most_partial_sums(const himeno::grid& size) {
    return (size.i - 2) * (size.j - 2) * ((size.k + 127) / 128);
}

/// Address of these partial sums: behind the scratch of sum_values.
inline double* partial_sums(double* gosa, const himeno::grid& size) {
    return gosa + sum_scratch(most_partial_sums(size));
}

/// The backend's own kernel: as himeno::kernels::step and fused, but with another tree for gosa
/// (stencil_tuned.cu, stencil_tuned.cpp). May write p's values to the boundary of wrk2.
void himeno_tuned(const himeno::fields& f, double* gosa, stream_t stream);

}  // namespace watari::WATARI_BACKEND
