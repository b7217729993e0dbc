// Kernels for both backends; see core/backend.hpp.
#include "watari/comm/planes.hpp"

#include "watari/core/backend.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using comm::faces;

void pack(const faces& f, const float* field, float* const (&to)[2], stream_t stream) {
    float *below = to[0], *above = to[1];
    for_each_point(
        {2, f.rows, f.columns},
        [=] WATARI_KERNEL(std::size_t side, std::size_t row, std::size_t column) {
            float* buffer = side == 0 ? below : above;
            if (f.ranks[side] != comm::nobody)
                buffer[row * f.columns + column] =
                    field[f.inner[side] + row * f.row_stride + column * f.column_stride];
        },
        stream);
}

void unpack(const faces& f, float* field, const float* const (&from)[2], stream_t stream) {
    const float *below = from[0], *above = from[1];
    for_each_point(
        {2, f.rows, f.columns},
        [=] WATARI_KERNEL(std::size_t side, std::size_t row, std::size_t column) {
            const float* buffer = side == 0 ? below : above;
            if (f.ranks[side] != comm::nobody)
                field[f.outer[side] + row * f.row_stride + column * f.column_stride] =
                    buffer[row * f.columns + column];
        },
        stream);
}

}  // namespace

extern const comm::plane_kernels planes_table{.pack = pack, .unpack = unpack};

}  // namespace watari::WATARI_BACKEND
