// The stencil for a GPU alone. Per point 13 floats read, 1 written: 56 bytes, 34 flops.
//
// Four points per thread along k, 16 bytes per load. The 12 arrays that are read once are evicted
// from the caches first, so that three planes of p stay there. A block advances `planes` points
// along i.
#include "quad.cuh"

namespace watari::gpu {

namespace {

constexpr unsigned rows = 4, planes = 1, at_once = 4;  // at 6, registers spill

template <bool Aligned, class Pointers>
struct tuned {
    Pointers pointers;
    double* partial;
    unsigned tiles_k, tiles_j;

    __device__ void operator()() const {
        const himeno::fields& f = pointers.get();
        const unsigned tile_i = blockIdx.x / tiles_k / tiles_j;
        const unsigned tile_j = blockIdx.x / tiles_k % tiles_j;
        const span s{(blockIdx.x % tiles_k * 32 + threadIdx.x) * 4, unsigned(f.size.k)};
        const std::size_t j = 1 + tile_j * std::size_t{rows} + threadIdx.y;
        const std::size_t first = 1 + tile_i * std::size_t{planes};
        double own = 0;
        if (j + 1 < f.size.j && s.inside(0))
            for (std::size_t i = first; i < first + planes && i + 1 < f.size.i; ++i)
                own += point(f, i, j, s);
        own = block_sum(own);
        if (threadIdx.x == 0 && threadIdx.y == 0) partial[blockIdx.x] = own;
    }

    __device__ static double point(const himeno::fields& f, std::size_t i, std::size_t j, span s) {
        const auto row = static_cast<std::ptrdiff_t>(f.size.k);
        const auto plane = static_cast<std::ptrdiff_t>(f.size.j) * row;
        const std::size_t n = (i * f.size.j + j) * f.size.k + s.k;
        const quad_inputs in = load_inputs<Aligned>(f, n, s);
        quad_neighbours p;
#pragma unroll
        for (int m = 0; m < 9; ++m)
            p.rows[m / 3][m % 3] =
                load_wide<Aligned>(f.p + n + (m / 3 - 1) * plane + (m % 3 - 1) * row, s);
        return advance<Aligned>(in, p, f.wrk2 + n, s);
    }
};

}  // namespace

void himeno_tuned(const himeno::fields& f, double* gosa, stream_t stream) {
    const std::size_t tiles_k = (f.size.k + 127) / 128;
    const std::size_t tiles_j = (f.size.j - 2 + rows - 1) / rows;
    const std::size_t tiles_i = (f.size.i - 2 + planes - 1) / planes;
    const std::size_t blocks = tiles_k * tiles_j * tiles_i;
    double* partial = partial_sums(gosa, f.size);
    const auto run = [&](auto body) {
        launch<32 * rows, at_once>(blocks, dim3(32, rows), body, stream);
    };
    with_pointers(f, [&](const auto& at) {
        using how = std::decay_t<decltype(at)>;
        if (rows_aligned(f))
            run(tuned<true, how>{at, partial, unsigned(tiles_k), unsigned(tiles_j)});
        else
            run(tuned<false, how>{at, partial, unsigned(tiles_k), unsigned(tiles_j)});
    });
    sum_values(partial, blocks, gosa, stream);
}

}  // namespace watari::gpu
