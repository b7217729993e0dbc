/// Packs of a GPU: a lane has four adjacent cells in two planes, and reads them with their
/// neighbours. packs_gpu.hpp has the loops over packs.
///
/// One load reads the four numbers of a pack, and neighbours along x come from adjacent lanes. So a
/// cell takes a third of the instructions that it takes where a lane has one cell of four planes. A
/// warp reads a number once from the L1 cache, not five times.
#pragma once

#include "loops.hpp"

#include <cstdint>
#include <type_traits>

namespace watari::gpu {

inline constexpr index pack_cells = 4, pack_planes = 2;

template <class T>
struct pack {
    T of[pack_cells];

    __device__ __forceinline__ T first() const { return of[0]; }
    __device__ __forceinline__ T last() const { return of[3]; }
    __device__ __forceinline__ T operator[](unsigned n) const { return of[n]; }
};
/// A pack of flags, in one word.
template <>
struct pack<std::uint8_t> {
    std::uint32_t word;

    __device__ __forceinline__ std::uint8_t operator[](unsigned n) const {
        return static_cast<std::uint8_t>(word >> (8 * n));
    }
    __device__ __forceinline__ std::uint8_t first() const { return (*this)[0]; }
    __device__ __forceinline__ std::uint8_t last() const { return (*this)[3]; }
    /// Returns a word whose bits are all set if all flags of all cells are.
    __device__ __forceinline__ std::uint32_t mask() const { return word; }
};
template <>
struct pack<std::uint16_t> {
    std::uint32_t word[2];

    __device__ __forceinline__ std::uint16_t operator[](unsigned n) const {
        return static_cast<std::uint16_t>(word[n / 2] >> (16 * (n % 2)));
    }
    __device__ __forceinline__ std::uint16_t first() const { return (*this)[0]; }
    __device__ __forceinline__ std::uint16_t last() const { return (*this)[3]; }
    __device__ __forceinline__ std::uint32_t mask() const { return word[0] & word[1]; }
};

__device__ __forceinline__ pack<float> read_pack(const float* from) {
    const float4 v = *reinterpret_cast<const float4*>(from);
    return {{v.x, v.y, v.z, v.w}};
}
__device__ __forceinline__ pack<std::uint8_t> read_pack(const std::uint8_t* from) {
    return {*reinterpret_cast<const std::uint32_t*>(from)};
}
__device__ __forceinline__ pack<std::uint16_t> read_pack(const std::uint16_t* from) {
    const uint2 v = *reinterpret_cast<const uint2*>(from);
    return {{v.x, v.y}};
}
__device__ __forceinline__ pack<float> read_pack(const sum_of<float>& from) {
    pack<float> v = read_pack(from.a);
    const pack<float> more = read_pack(from.b);
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) v.of[n] = v.of[n] + from.factor * more.of[n];
    return v;
}
__device__ __forceinline__ pack<float> read_pack(const stepped<float>& from) {
    const pack<float> p = read_pack(from.p), d = read_pack(from.d), e = read_pack(from.e);
    pack<float> v;
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) v.of[n] = from.of(p[n], d[n], e[n]);
    return v;
}
__device__ __forceinline__ void write_pack(float* to, const pack<float>& v) {
    *reinterpret_cast<float4*>(to) = make_float4(v.of[0], v.of[1], v.of[2], v.of[3]);
}

/// The place of a lane: its first cell in the lower plane. `first`, `last`: no lane to the left or
/// to the right has the neighbour's number.
struct place {
    cell c;
    index row, plane;
    bool first, last;

    template <class T, class Array>
    __device__ __forceinline__ T left(const Array& data, index at, const pack<T>& own) const {
        T beside{};
        if (first) beside = data[at - 1];
        const T value = static_cast<T>(__shfl_up_sync(~0u, own.last(), 1));
        return first ? beside : value;
    }
    template <class T, class Array>
    __device__ __forceinline__ T right(const Array& data, index at, const pack<T>& own) const {
        T beside{};
        if (last) beside = data[at + pack_cells];
        const T value = static_cast<T>(__shfl_down_sync(~0u, own.first(), 1));
        return last ? beside : value;
    }
};

/// The cells themselves, from an array or from a vector that is computed on reading.
template <class T>
struct own_cells_of {
    pack<T> own[2];

    template <class Array>
    __device__ __forceinline__ void next(const Array& data, const place& at) {
        for (int p = 0; p < 2; ++p) own[p] = read_pack(data + at.c.at + p * at.plane);
    }
};
/// The cells and their neighbours at higher x.
template <class T>
struct with_right {
    pack<T> own[2];
    T beside[2];

    __device__ __forceinline__ void next(const T* data, const place& at) {
        for (int p = 0; p < 2; ++p) own[p] = read_pack(data + at.c.at + p * at.plane);
        for (int p = 0; p < 2; ++p) beside[p] = at.right(data, at.c.at + p * at.plane, own[p]);
    }
    __device__ __forceinline__ T right(unsigned p, unsigned n) const {
        return n == 3 ? beside[p] : own[p][(n + 1) % 4];
    }
};
/// The cells and their neighbours at higher y.
template <class T>
struct with_high {
    pack<T> own[2], high[2];

    __device__ __forceinline__ void next(const T* data, const place& at) {
        for (int p = 0; p < 2; ++p) own[p] = read_pack(data + at.c.at + p * at.plane);
        for (int p = 0; p < 2; ++p) high[p] = read_pack(data + at.c.at + at.row + p * at.plane);
    }
};
/// The cells and their neighbours above.
template <class T>
struct with_above {
    pack<T> plane[3];

    __device__ __forceinline__ void begin(const T* data, const place& at) {
        plane[2] = read_pack(data + at.c.at);
    }
    __device__ __forceinline__ void next(const T* data, const place& at) {
        plane[0] = plane[2];
        for (int p = 1; p < 3; ++p) plane[p] = read_pack(data + at.c.at + p * at.plane);
    }
};
/// The cells and their neighbours at lower x, y and z, from an array or from a computed vector.
template <class T>
struct with_lower {
    pack<T> plane[3], low[2];  ///< plane: planes from the one below on
    T beside[2];

    template <class Array>
    __device__ __forceinline__ void begin(const Array& data, const place& at) {
        plane[2] = read_pack(data + (at.c.at - at.plane));
    }
    template <class Array>
    __device__ __forceinline__ void next(const Array& data, const place& at) {
        plane[0] = plane[2];
        for (int p = 0; p < 2; ++p) plane[p + 1] = read_pack(data + at.c.at + p * at.plane);
        for (int p = 0; p < 2; ++p) low[p] = read_pack(data + (at.c.at - at.row + p * at.plane));
        for (int p = 0; p < 2; ++p) beside[p] = at.left(data, at.c.at + p * at.plane, plane[p + 1]);
    }
    __device__ __forceinline__ T left(unsigned p, unsigned n) const {
        return n == 0 ? beside[p] : plane[p + 1][(n + 3) % 4];
    }
};

/// The cells and their six neighbours, from an array or from a computed vector.
template <class T>
struct star {
    pack<T> plane[4], low[2], high[2];  ///< plane: planes from the one below on
    T left[2], right[2];

    template <class Array>
    __device__ __forceinline__ void begin(const Array& data, const place& at) {
        plane[2] = read_pack(data + (at.c.at - at.plane));
        plane[3] = read_pack(data + at.c.at);
    }
    template <class Array>
    __device__ __forceinline__ void next(const Array& data, const place& at) {
        go_up(data, at);
        load_low(data, at);
        load_high(data, at);
        ends(data, at);
    }
    template <class Array>
    __device__ __forceinline__ void go_up(const Array& data, const place& at) {
        plane[0] = plane[2], plane[1] = plane[3];
        for (int p = 2; p < 4; ++p) plane[p] = read_pack(data + at.c.at + (p - 1) * at.plane);
    }
    template <class Array>
    __device__ __forceinline__ void load_low(const Array& data, const place& at) {
        for (int p = 0; p < 2; ++p) low[p] = read_pack(data + (at.c.at - at.row + p * at.plane));
    }
    template <class Array>
    __device__ __forceinline__ void load_high(const Array& data, const place& at) {
        for (int p = 0; p < 2; ++p) high[p] = read_pack(data + at.c.at + at.row + p * at.plane);
    }
    template <class Array>
    __device__ __forceinline__ void ends(const Array& data, const place& at) {
        for (int p = 0; p < 2; ++p) {
            left[p] = at.left(data, at.c.at + p * at.plane, plane[p + 1]);
            right[p] = at.right(data, at.c.at + p * at.plane, plane[p + 1]);
        }
    }
    /// Sets each number to f of the numbers of a and b at the same place.
    template <class Of, class U, class F>
    __device__ __forceinline__ void fill(const star<Of>& a, const star<U>& b, const F& f) {
#pragma unroll
        for (unsigned n = 0; n < 4; ++n) {
#pragma unroll
            for (int p = 0; p < 4; ++p) plane[p].of[n] = f(a.plane[p][n], b.plane[p][n]);
#pragma unroll
            for (int p = 0; p < 2; ++p) {
                low[p].of[n] = f(a.low[p][n], b.low[p][n]);
                high[p].of[n] = f(a.high[p][n], b.high[p][n]);
            }
        }
        for (int p = 0; p < 2; ++p) {
            left[p] = f(a.left[p], b.left[p]);
            right[p] = f(a.right[p], b.right[p]);
        }
    }
};

/// A star as a vector, for one of its cells.
template <class Real>
struct in_star {
    const star<Real>& of;
    unsigned p, n;

    __device__ __forceinline__ Real operator()(const cell&, int z, int y, int x, offset = 0) const {
        if (z != 0) return of.plane[z < 0 ? p : p + 2][n];
        if (y != 0) return y < 0 ? of.low[p][n] : of.high[p][n];
        if (x < 0) return n == 0 ? of.left[p] : of.plane[p + 1][(n + 3) % 4];
        if (x > 0) return n == 3 ? of.right[p] : of.plane[p + 1][(n + 1) % 4];
        return of.plane[p + 1][n];
    }
};

/// The types that `reads` of a body are made of.
struct pack_lane {
    using where = place;
    template <class T>
    using own = own_cells_of<T>;
    template <class T>
    using right = with_right<T>;
    template <class T>
    using high = with_high<T>;
    template <class T>
    using above = with_above<T>;
    template <class T>
    using lower = with_lower<T>;
    template <class T>
    using star = gpu::star<T>;
    template <class T>
    using vector = in_star<T>;
};

/// Writes a pack, and its copies in the halo.
struct pack_writer {
    index at;
    index along_x;  ///< to the copy of the first cell of a row, or 0
    index back_x;   ///< from the pack's first cell to the copy of its last, or 0
    index along_y;

    __device__ __forceinline__ void operator()(float* array, const pack<float>& v) const {
        float* const own = array + at;
        write_pack(own, v);
        around(own, v);
    }
    /// Writes the copies alone, of a pack that other loops have written.
    __device__ __forceinline__ void copy(float* array) const {
        if (along_x == 0 && back_x == 0 && along_y == 0) return;
        around(array + at, read_pack(array + at));
    }
    __device__ __forceinline__ void around(float* own, const pack<float>& v) const {
        if (along_x != 0) own[along_x] = v.of[0];
        if (back_x != 0) own[back_x] = v.of[3];
        if (along_y == 0) return;
        write_pack(own + along_y, v);
        if (along_x != 0) own[along_y + along_x] = v.of[0];
        if (back_x != 0) own[along_y + back_x] = v.of[3];
    }
};

}  // namespace watari::gpu
