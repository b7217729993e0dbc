// Variants of the tuned Himeno kernel beside the one in the library, on the fused form.
//
//   nvcc -std=c++20 -O3 -arch=native -fmad=false --extended-lambda --expt-relaxed-constexpr
//       -Xcompiler -fopenmp -I src benchmarks/himeno_variants.cu build/gpu/src/libwatari.a -ldl
//       -o himeno_variants         runs XL with 30 iterations; others by
//   himeno_variants I J K ITERATIONS
//
// Each begins from the same data; it must leave the same bits as the first. Printed: median and
// best GFLOPS (34 a point) and TB/s (56 bytes a point).
#include "watari/cases/himeno/loop.hpp"
#include "watari/cases/himeno/quad.cuh"
#include "watari/core/cuda.hpp"
#include "watari/memory/buffer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using namespace watari;

namespace watari::gpu {

/// One point after the other along i; p through L1 and L2.
template <unsigned Rows, unsigned Planes>
struct simple {
    static constexpr unsigned rows = Rows;
    himeno::fields f;
    double* partial;
    unsigned tiles_k, tiles_j;

    static std::size_t blocks_along_j(const himeno::grid& g) { return (g.j - 2 + Rows - 1) / Rows; }
    static std::size_t blocks_along_i(const himeno::grid& g) {
        return (g.i - 2 + Planes - 1) / Planes;
    }
    __device__ void operator()() const {
        const unsigned tile_i = blockIdx.x / tiles_k / tiles_j;
        const unsigned tile_j = blockIdx.x / tiles_k % tiles_j;
        const span s{(blockIdx.x % tiles_k * 32 + threadIdx.x) * 4, unsigned(f.size.k)};
        const std::size_t j = 1 + tile_j * std::size_t{Rows} + threadIdx.y;
        const std::size_t first = 1 + tile_i * std::size_t{Planes};
        const auto row = static_cast<std::ptrdiff_t>(f.size.k);
        const auto plane = static_cast<std::ptrdiff_t>(f.size.j) * row;
        double own = 0;
        if (j + 1 < f.size.j && s.inside(0))
            for (std::size_t i = first; i < first + Planes && i + 1 < f.size.i; ++i) {
                const std::size_t n = (i * f.size.j + j) * f.size.k + s.k;
                const quad_inputs in = load_inputs<true>(f, n, s);
                quad_neighbours p;
#pragma unroll
                for (int m = 0; m < 9; ++m)
                    p.rows[m / 3][m % 3] =
                        load_wide<true>(f.p + n + (m / 3 - 1) * plane + (m % 3 - 1) * row, s);
                own += advance<true>(in, p, f.wrk2 + n, s);
            }
        own = block_sum(own);
        if (threadIdx.x == 0 && threadIdx.y == 0) partial[blockIdx.x] = own;
    }
};

/// Neighbours along k from the neighbouring lanes; only the ends of a warp load them.
__device__ inline wide_quad load_shuffled(const float* at, span s) {
    const quad own = s.inside(0) ? load<true>(at, s) : quad{};
    float left = __shfl_up_sync(~0u, own.value[3], 1);
    float right = __shfl_down_sync(~0u, own.value[0], 1);
    if (threadIdx.x == 0 && s.k > 0) left = __ldg(at - 1);
    if (threadIdx.x == 31 && s.inside(4)) right = __ldg(at + 4);
    return {{left, own.value[0], own.value[1], own.value[2], own.value[3], right}};
}

/// Three planes of p in registers, moving along i (AlongI) or three rows moving along j: each value
/// of p is asked of the caches once for each row or plane beside it.
template <bool AlongI, unsigned Rows, unsigned Steps>
struct ring {
    static constexpr unsigned rows = Rows;
    himeno::fields f;
    double* partial;
    unsigned tiles_k, tiles_j;

    static std::size_t blocks_along_j(const himeno::grid& g) {
        const unsigned each = AlongI ? Rows : Steps;
        return (g.j - 2 + each - 1) / each;
    }
    static std::size_t blocks_along_i(const himeno::grid& g) {
        const unsigned each = AlongI ? Steps : Rows;
        return (g.i - 2 + each - 1) / each;
    }
    /// The three rows beside one another at `n`, across the direction it moves in.
    __device__ void load_slice(wide_quad (&slice)[3], const float* at, std::ptrdiff_t side,
                               span s) const {
#pragma unroll
        for (int m = 0; m < 3; ++m) slice[m] = load_shuffled(at + (m - 1) * side, s);
    }
    __device__ void operator()() const {
        const unsigned tile_i = blockIdx.x / tiles_k / tiles_j;
        const unsigned tile_j = blockIdx.x / tiles_k % tiles_j;
        const span s{(blockIdx.x % tiles_k * 32 + threadIdx.x) * 4, unsigned(f.size.k)};
        const unsigned i = 1 + (AlongI ? tile_i * Steps : tile_i * Rows + threadIdx.y);
        const unsigned j = 1 + (AlongI ? tile_j * Rows + threadIdx.y : tile_j * Steps);
        const auto row = static_cast<std::ptrdiff_t>(f.size.k);
        const auto plane = static_cast<std::ptrdiff_t>(f.size.j) * row;
        const std::ptrdiff_t ahead = AlongI ? plane : row, side = AlongI ? row : plane;
        const unsigned end = unsigned(AlongI ? f.size.i : f.size.j) - 1;
        const unsigned begin = AlongI ? i : j;
        const bool here = AlongI ? j + 1 < f.size.j : i + 1 < f.size.i;
        std::size_t n = (std::size_t{i} * f.size.j + j) * f.size.k + s.k;
        double own = 0;
        if (here) {  // the same for a whole warp
            wide_quad slices[3][3];
            load_slice(slices[0], f.p + n - ahead, side, s);
            load_slice(slices[1], f.p + n, side, s);
            for (unsigned at = begin; at < begin + Steps && at < end; ++at, n += ahead) {
                load_slice(slices[2], f.p + n + ahead, side, s);
                if (s.inside(0)) {
                    const quad_inputs in = load_inputs<true>(f, n, s);
                    quad_neighbours p;
#pragma unroll
                    for (int m = 0; m < 9; ++m)
                        p.rows[m / 3][m % 3] = AlongI ? slices[m / 3][m % 3] : slices[m % 3][m / 3];
                    own += advance<true>(in, p, f.wrk2 + n, s);
                }
#pragma unroll
                for (int m = 0; m < 3; ++m) {
                    slices[0][m] = slices[1][m];
                    slices[1][m] = slices[2][m];
                }
            }
        }
        own = block_sum(own);
        if (threadIdx.x == 0 && threadIdx.y == 0) partial[blockIdx.x] = own;
    }
};

/// `Threads` of a block are 32 along k times rows; the tile along k is always 128 points.
template <class Variant, unsigned AtOnce>
void variant(const himeno::fields& f, double* gosa, stream_t stream) {
    const std::size_t tiles_k = (f.size.k + 127) / 128;
    const std::size_t tiles_j = Variant::blocks_along_j(f.size);
    const std::size_t blocks = tiles_k * tiles_j * Variant::blocks_along_i(f.size);
    double* partial = partial_sums(gosa, f.size);
    const Variant body{f, partial, unsigned(tiles_k), unsigned(tiles_j)};
    launch<32 * Variant::rows, AtOnce>(blocks, dim3(32, Variant::rows), body, stream);
    sum_values(partial, blocks, gosa, stream);
}

}  // namespace watari::gpu

namespace {

using step = void (*)(const himeno::fields&, double*, stream_t);

struct row {
    const char* name;
    step run;
};

using namespace watari::gpu;

constexpr row variants[] = {
    {"library", himeno_tuned},
    {"simple 32x4, 1 plane, 4 blocks", variant<simple<4, 1>, 4>},
    {"simple 32x4, 1 plane, 6 blocks", variant<simple<4, 1>, 6>},
    {"simple 32x8, 1 plane, 2 blocks", variant<simple<8, 1>, 2>},
    {"simple 32x16, 1 plane, 1 block", variant<simple<16, 1>, 1>},
    {"simple 32x4, 8 planes, 4 blocks", variant<simple<4, 8>, 4>},
    {"simple 32x8, 8 planes, 2 blocks", variant<simple<8, 8>, 2>},
    {"simple 32x8, 2 planes, 2 blocks", variant<simple<8, 2>, 2>},
    {"ring i, 32x4, 8 planes, 4 blocks", variant<ring<true, 4, 8>, 4>},
    {"ring i, 32x4, 32 planes, 4 blocks", variant<ring<true, 4, 32>, 4>},
    {"ring i, 32x4, 16 planes, 3 blocks", variant<ring<true, 4, 16>, 3>},
    {"ring i, 32x8, 16 planes, 2 blocks", variant<ring<true, 8, 16>, 2>},
    {"ring i, 32x8, 64 planes, 2 blocks", variant<ring<true, 8, 64>, 2>},
    {"ring j, 4 planes, 16 rows, 4 blocks", variant<ring<false, 4, 16>, 4>},
    {"ring j, 4 planes, 64 rows, 4 blocks", variant<ring<false, 4, 64>, 4>},
    {"ring j, 2 planes, 32 rows, 8 blocks", variant<ring<false, 2, 32>, 8>},
    {"ring j, 8 planes, 32 rows, 2 blocks", variant<ring<false, 8, 32>, 2>},
};

struct result {
    std::vector<double> seconds;
    std::uint64_t fingerprint;
    double gosa;
};

result measure_one(step run, himeno::fields f, double* gosa, int iterations) {
    const himeno::kernels& kernels = himeno::kernels_on(gpu_number(0));
    kernels.initialise(f, f.size, {0, 0, 0}, himeno::data::standard, nullptr);
    device::event first, last;
    result measured{};
    for (int n = 0; n < iterations; ++n) {
        first.record(nullptr);
        run(f, gosa, nullptr);
        last.record(nullptr);
        device::synchronize(nullptr);
        measured.seconds.push_back(device::event::seconds(first, last));
        std::swap(f.p, f.wrk2);
    }
    measured.fingerprint = kernels.fingerprint(f, f.size, {0, 0, 0}, nullptr);
    device::read_back(&measured.gosa, gosa, sizeof(double), nullptr);
    std::sort(measured.seconds.begin(), measured.seconds.end());
    return measured;
}

}  // namespace

int main(int count, char** words) {
    himeno::grid size{512, 512, 1024};
    if (count > 3)
        size = {std::strtoul(words[1], nullptr, 10), std::strtoul(words[2], nullptr, 10),
                std::strtoul(words[3], nullptr, 10)};
    const int iterations = count > 4 ? std::atoi(words[4]) : 30;
    const memory::buffer<float> arrays(memory::kind::device, 14 * size.points());
    const memory::buffer<double> gosa(memory::kind::device, himeno::gosa_scratch(size));
    himeno::fields f{.size = size};
    float* next = arrays.data();
    for (float** array : himeno::pointers(f)) *array = std::exchange(next, next + size.points());
    if (!gpu::rows_aligned(f)) return std::puts("rows are not aligned: K must be 4n"), 2;
    std::uint64_t expected = 0;
    for (const row& one : variants) {
        const result measured = measure_one(one.run, f, gosa.data(), iterations);
        if (!expected) expected = measured.fingerprint;
        const auto points = static_cast<double>(size.interior());
        const double median = measured.seconds[measured.seconds.size() / 2];
        std::printf("%-38s %7.1f GFLOPS  %.3f TB/s  best %7.1f  gosa %.9e%s\n", one.name,
                    34e-9 * points / median, 56e-12 * points / median,
                    34e-9 * points / measured.seconds.front(), measured.gosa,
                    measured.fingerprint == expected ? "" : "  WRONG BITS");
    }
    return 0;
}
