// Kernels for both backends; see core/backend.hpp.
#include "krylov/dense.hpp"

#include "watari/core/parallel/reductions.hpp"

namespace watari::WATARI_BACKEND {

namespace {

template <class T>
WATARI_KERNEL T row_times(const T* row, const T* x, std::size_t length) {
    wide<T> sum{};
    for (std::size_t j = 0; j < length; ++j) sum = sum + widen(row[j]) * widen(x[j]);
    return static_cast<T>(sum);
}

template <class T>
void multiply(T* y, const T* matrix, const T* x, std::size_t length, std::size_t systems,
              stream_t stream) {
    for_each(
        length * systems,
        [=] WATARI_KERNEL(std::size_t i) {
            y[i] = row_times(matrix + i % length * length, x + i / length * length, length);
        },
        stream);
}

template <class T>
void divide(T* z, const T* matrix, const T* r, std::size_t length, std::size_t systems,
            stream_t stream) {
    for_each(
        length * systems,
        [=] WATARI_KERNEL(std::size_t i) { z[i] = r[i] / matrix[i % length * (length + 1)]; },
        stream);
}

template <class T, unsigned Width>
WATARI_KERNEL void put(sums<Width>& to, unsigned k, const T& u, const T& v) {
    const wide<T> dot = conjugate(widen(u)) * widen(v);
    to.value[k] = real_part(dot);
    if constexpr (is_complex<T>) to.value[k + 1] = dot.im;
}

template <unsigned Width, class T>
void multiply_and_take(T* y, const T* matrix, const T* x, const T* left, const T* other,
                       double* partials, std::size_t length, std::size_t systems,
                       std::size_t length_of_piece, stream_t stream) {
    constexpr unsigned dot = is_complex<T> ? 2 : 1;
    for_each_piece(
        pieces{length, systems, length_of_piece},
        [=] WATARI_KERNEL(const piece& own) {
            const T* const own_x = x + own.system * length;
            own.sum<Width>(partials, [=](std::size_t i) {
                const T value = row_times(matrix + i % length * length, own_x, length);
                const T third = Width > dot + 1 ? other[i] : T{};
                y[i] = value;
                sums<Width> one;
                put(one, 0, left[i], value);
                one.value[dot] = squared_size(widen(value));
                if constexpr (Width > dot + 1) {
                    put(one, dot + 1, third, value);
                    put(one, 2 * dot + 1, third, left[i]);
                }
                return one;
            });
        },
        stream);
}

template <class T>
void multiply_and_sum(T* y, const T* matrix, const T* x, const T* left, const T* other,
                      double* partials, std::size_t length, std::size_t systems,
                      std::size_t length_of_piece, stream_t stream) {
    constexpr unsigned dot = is_complex<T> ? 2 : 1;
    const auto take = other ? multiply_and_take<3 * dot + 1, T> : multiply_and_take<dot + 1, T>;
    take(y, matrix, x, left, other, partials, length, systems, length_of_piece, stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::krylov {

template <class T>
const dense_kernels<T> dense_kernels<T>::WATARI_BACKEND{
    .multiply = WATARI_BACKEND::multiply<T>,
    .divide = WATARI_BACKEND::divide<T>,
    .multiply_and_sum = WATARI_BACKEND::multiply_and_sum<T>};

template const dense_kernels<float> dense_kernels<float>::WATARI_BACKEND;
template const dense_kernels<double> dense_kernels<double>::WATARI_BACKEND;
template const dense_kernels<complex<float>> dense_kernels<complex<float>>::WATARI_BACKEND;
template const dense_kernels<complex<double>> dense_kernels<complex<double>>::WATARI_BACKEND;

}  // namespace watari::krylov
