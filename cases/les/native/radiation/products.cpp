// Kernels of the radiosity. Bytes: products.hpp.
#include "products.hpp"

#include "watari/core/backend.hpp"

#include WATARI_PART(products)

namespace watari::WATARI_BACKEND {

namespace {

using les::view_matrix;

constexpr double stefan_boltzmann = 5.670374419e-8;

/// Calls write(vector's element, its r, what its facet receives) for both waves of a row.
template <class Write>
WATARI_INLINE void both(const view_matrix& m, std::size_t row, double long_waves, double light,
                        const Write& write) {
    const double area = m.area[row];
    const std::size_t at = les::waves * row;
    write(at + les::long_wave, double(m.reflected[at + les::long_wave]), long_waves / area);
    write(at + les::short_wave, double(m.reflected[at + les::short_wave]), light / area);
}

struct write_operator {
    view_matrix m;
    const double* x;
    double* y;
    WATARI_INLINE void operator()(std::size_t row, double long_waves, double light) const {
        both(m, row, long_waves, light,
             [this](std::size_t n, double r, double received) { y[n] = x[n] - r * received; });
    }
};

struct write_sweep {
    view_matrix m;
    const double* emitted;
    double* y;
    WATARI_INLINE void operator()(std::size_t row, double long_waves, double light) const {
        both(m, row, long_waves, light, [this](std::size_t n, double r, double received) {
            y[n] = emitted[n] + r * received;
        });
    }
};

struct write_last {
    view_matrix m;
    const double *emitted, *x;
    double* y;
    float *received, *change;
    WATARI_INLINE void operator()(std::size_t row, double long_waves, double light) const {
        both(m, row, long_waves, light, [this](std::size_t n, double r, double from_others) {
            const double next = emitted[n] + r * from_others;
            received[n] = static_cast<float>(from_others);
            change[n] = static_cast<float>(next - x[n]);
            y[n] = next;
        });
    }
};

void apply(const view_matrix& m, const double* x, double* y, stream_t stream) {
    for_each_product(m, x, write_operator{m, x, y}, stream);
}

void sweep(const view_matrix& m, const double* emitted, const double* x, double* y,
           stream_t stream) {
    for_each_product(m, x, write_sweep{m, emitted, y}, stream);
}

void last_sweep(const view_matrix& m, const double* emitted, const double* x, double* y,
                float* received, float* change, stream_t stream) {
    for_each_product(m, x, write_last{m, emitted, x, y, received, change}, stream);
}

void emit(const view_matrix& m, const float* temperature, const float* sky, double sky_emits,
          double* emitted, stream_t stream) {
    for_each(
        m.rows,
        [=] WATARI_KERNEL(std::size_t n) {
            const std::size_t at = les::waves * n + les::long_wave;
            const double t = temperature[n], r = m.reflected[at];
            emitted[at] =
                (1.0 - r) * stefan_boltzmann * (t * t * (t * t)) + r * (double(sky[n]) * sky_emits);
        },
        stream);
}

constexpr les::radiosity_kernels table{apply, sweep, last_sweep, emit};

}  // namespace

}  // namespace watari::WATARI_BACKEND

namespace watari::les {
constexpr radiosity_kernels radiosity_kernels::WATARI_BACKEND = watari::WATARI_BACKEND::table;
}  // namespace watari::les
