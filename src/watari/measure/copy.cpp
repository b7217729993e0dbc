// Kernels for both backends; see core/backend.hpp.
#include "watari/measure/copy.hpp"

#include "watari/core/loops.hpp"
#include "watari/measure/pattern.hpp"

#include <cstdint>

#include WATARI_PART(copy)

namespace watari::WATARI_BACKEND {

namespace {

struct alignas(16) pair {
    double first, second;
};

bool aligned(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % alignof(pair) == 0;
}

void copy_ordinary(double* destination, const double* source, std::size_t count, stream_t stream) {
    for_each(
        count, [=] WATARI_KERNEL(std::size_t i) { destination[i] = source[i]; }, stream);
}

/// Copies by pairs; by elements if an array begins between two pairs.
void copy(double* destination, const double* source, std::size_t count, stream_t stream) {
    if (!aligned(destination) || !aligned(source)) {
        copy_ordinary(destination, source, count, stream);
        return;
    }
    copy_pairs(reinterpret_cast<pair*>(destination), reinterpret_cast<const pair*>(source),
               count / 2, stream);
    if (count % 2 != 0)
        for_each(
            1, [=] WATARI_KERNEL(std::size_t) { destination[count - 1] = source[count - 1]; },
            stream);
}

/// Runs of 256 elements alternate between the two copies, so that both are always under way.
void copy_both(double* destination, const double* source, double* other_destination,
               const double* other_source, std::size_t count, stream_t stream) {
    constexpr std::size_t run = 256;
    const std::size_t runs = (count + run - 1) / run;
    for_each(
        2 * runs * run,
        [=] WATARI_KERNEL(std::size_t i) {
            const std::size_t element = i / (2 * run) * run + i % run;
            if (element >= count) return;
            if (i / run % 2 == 0)
                destination[element] = source[element];
            else
                other_destination[element] = other_source[element];
        },
        stream);
}

void read(double* data, std::size_t count, stream_t stream) {
    for_each(
        count,
        [=] WATARI_KERNEL(std::size_t i) {
            if (data[i] == measure::never) data[i] = 0;  // keeps the load, never happens
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::measure {

const copy_kernels copy_kernels::WATARI_BACKEND{.copy = WATARI_BACKEND::copy,
                                                .copy_ordinary = WATARI_BACKEND::copy_ordinary,
                                                .copy_both = WATARI_BACKEND::copy_both,
                                                .read = WATARI_BACKEND::read};

}  // namespace watari::measure
