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

template <class T>
void multiply_and_sum(T* y, const T* matrix, const T* x, const T* left, double* partials,
                      std::size_t length, std::size_t systems, std::size_t length_of_piece,
                      stream_t stream) {
    constexpr unsigned width = is_complex<T> ? 3 : 2;
    for_each_piece(
        pieces{length, systems, length_of_piece},
        [=] WATARI_KERNEL(const piece& own) {
            const T* const own_x = x + own.system * length;
            own.sum<width>(partials, [=](std::size_t i) {
                const T value = row_times(matrix + i % length * length, own_x, length);
                y[i] = value;
                const wide<T> dot = conjugate(widen(left[i])) * widen(value);
                sums<width> one;
                one.value[0] = real_part(dot);
                if constexpr (is_complex<T>) one.value[1] = dot.im;
                one.value[width - 1] = squared_size(widen(value));
                return one;
            });
        },
        stream);
}

}  // namespace

template <class T>
const krylov::dense_kernels<T> dense<T>::table{
    .multiply = multiply<T>, .divide = divide<T>, .multiply_and_sum = multiply_and_sum<T>};

template struct dense<float>;
template struct dense<double>;
template struct dense<complex<float>>;
template struct dense<complex<double>>;

}  // namespace watari::WATARI_BACKEND
