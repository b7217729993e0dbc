/// Threads that make a leaf together: a warp, or a block of warps. All of them get the sums, and
/// the places of extremes, with the same bits whatever the order in which warps run.
#pragma once

#include "watari/core/parallel/atomic.hpp"
#include "watari/hmatrix/build/leaf_kernel.hpp"

#include <cmath>

namespace watari::gpu::hmatrix_build {

constexpr unsigned warp_lanes = row_lanes, every = ~0u;
constexpr std::uint32_t none = ~std::uint32_t{0};

/// Memory in which the warps of a block exchange values.
template <unsigned Warps>
struct exchange {
    double value[Warps];
    std::uint64_t word[Warps];
};

template <unsigned Threads>
struct team {
    static constexpr unsigned threads = Threads, warps = Threads / warp_lanes;
    static constexpr bool is_warp = warps == 1;

    /// Doubles of `memory`: two matrices of 24 x 24 a warp.
    static constexpr std::size_t room = warps * 2 * 24 * 24;

    unsigned rank;
    exchange<warps>* shared;  ///< of a block; null for a warp
    double* memory;           ///< shared memory

    __device__ unsigned lane() const { return rank % warp_lanes; }
    __device__ unsigned warp() const { return rank / warp_lanes; }

    /// Waits for all threads of the team; each then sees what the others wrote.
    __device__ void sync() const {
        if constexpr (is_warp)
            __syncwarp();
        else
            __syncthreads();
    }

    /// The sum over a warp's lanes.
    __device__ static double sum_of_warp(double value) {
        for (unsigned half = warp_lanes / 2; half > 0; half /= 2)
            value += __shfl_xor_sync(every, value, half);
        return value;
    }
    __device__ double sum(double value) const {
        value = sum_of_warp(value);
        if constexpr (!is_warp) {
            if (lane() == 0) shared->value[warp()] = value;
            sync();
            value = 0;
            for (unsigned w = 0; w < warps; ++w) value += shared->value[w];
            sync();
        }
        return value;
    }

    /// The largest of some values, and the first place that has it; at == none: there was no value.
    struct candidate {
        double value = 0;
        std::uint64_t at = none;

        __device__ void take(double other, std::uint64_t there) {
            if (there == none || (at != none && (other < value || (other == value && there >= at))))
                return;
            value = other;
            at = there;
        }
    };

    /// Over the candidates of all threads: the first place that has the largest value, or none.
    __device__ std::uint32_t largest(candidate best) const {
        for (unsigned half = warp_lanes / 2; half > 0; half /= 2) {
            const double other = __shfl_xor_sync(every, best.value, half);
            best.take(other, __shfl_xor_sync(every, best.at, half));
        }
        if constexpr (!is_warp) {
            if (lane() == 0) shared->value[warp()] = best.value, shared->word[warp()] = best.at;
            sync();
            for (unsigned w = 0; w < warps; ++w) best.take(shared->value[w], shared->word[w]);
            sync();
        }
        return static_cast<std::uint32_t>(best.at);
    }

    /// Over value(i) for the i < count that are not used.
    template <class Value>
    __device__ std::uint32_t largest(std::uint32_t count, const unsigned char* used,
                                     Value value) const {
        candidate best;
        for (std::uint32_t i = rank; i < count; i += Threads)
            if (!used[i]) best.take(value(i), i);
        return largest(best);
    }

    /// Takes `bytes`, a multiple of 8, of a pool for the whole team; null if the pool has too few
    /// left.
    __device__ std::byte* take(const hmatrix::pool_view& from, std::uint64_t bytes) const {
        std::uint64_t at = 0;
        if (rank == 0) at = local::fetch_add(*from.taken, bytes);
        at = __shfl_sync(every, at, 0);
        if constexpr (!is_warp) {
            if (rank == 0) shared->word[0] = at;
            sync();
            at = shared->word[0];
            sync();
        }
        return at + bytes <= from.bytes ? from.data + at : nullptr;
    }
    __device__ double* take_doubles(const hmatrix::pool_view& from, std::uint64_t count) const {
        return reinterpret_cast<double*>(take(from, 8 * count));
    }
};

/// Entry (point, panel); a thread without `has` has none. The 16 neighbours of a piece choose the
/// rule as entry_table does: 3 points if all are far enough for it, else each thread by its own
/// distance.
__device__ inline double entry(const hmatrix::entry_view& of, std::size_t point, std::size_t panel,
                               bool has) {
    namespace rules = panel_rules;
    constexpr unsigned piece = 16, all = (1u << piece) - 1;
    const double square = has ? rules::squared_distance(of.arrays, point, panel) : of.three_from;
    const unsigned far = __ballot_sync(every, square >= of.three_from);
    if (!has) return 0;
    if ((far >> threadIdx.x / piece * piece & all) == all)
        return rules::three_points(of.arrays, point, panel);
    if (square >= of.seven_from) return rules::seven_points(of.arrays, point, panel);
    const auto& at = of.panels[point].centroid;
    return square >= of.thirty_six_from ? rules::thirty_six_points(of.panels[panel], at)
                                        : rules::closed_form(of.panels[panel], at);
}

}  // namespace watari::gpu::hmatrix_build
