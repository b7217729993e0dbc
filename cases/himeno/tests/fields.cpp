// The arrays that Himeno's kernels compute, for tests in Python: a trial returns only their
// fingerprint.
#include "../native/himeno.hpp"
#include "../native/loop.hpp"
#include "watari/core/device.hpp"
#include "watari/memory/buffer.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

using namespace watari;

/// Runs `iterations` (0: initialises only) on GPU number `gpu`, or on the CPU if it is negative.
/// Fills `into` with the 14 arrays of i x j x k floats, one behind the other, and returns the last
/// gosa.
extern "C" double himeno_fields(int gpu, const std::size_t* shape, int iterations, bool is_fused,
                                bool is_tuned, bool is_general, float* into) {
    himeno::parameters p;
    p.processor = gpu < 0 ? the_cpu : gpu_number(gpu);
    p.size = {shape[0], shape[1], shape[2]};
    p.iterations = iterations;
    p.form = is_fused ? himeno::form::fused : himeno::form::two_kernel;
    p.kernel = is_tuned ? himeno::kernel::tuned : himeno::kernel::shared;
    p.data = is_general ? himeno::data::general : himeno::data::standard;
    const std::size_t points = p.size.points();
    const memory::kind kind = memory::local_kind(p.processor);
    const memory::placement how{.device = p.processor.number};
    const memory::buffer<float> arrays(kind, 14 * points, how);
    const memory::buffer<double> sums(kind, himeno::gosa_scratch(p.size), how);
    himeno::fields f{.size = p.size};
    float* next = arrays.data();
    for (float** array : himeno::pointers(f)) *array = std::exchange(next, next + points);
    kernels_on<himeno::kernels>(p.processor).initialise(f, p.size, {0, 0, 0}, p.data, nullptr);
    measure::trial unused;
    if (p.iterations > 0) himeno::iterate(unused, p, f, sums.data(), false, nullptr);
    for (float** array : himeno::pointers(f)) {
        if (p.processor.is_gpu())
            device::read_back(into, *array, points * sizeof(float), nullptr);
        else
            std::copy_n(*array, points, into);
        into += points;
    }
    return p.iterations > 0 ? unused.series["gosa"].back() : 0;
}
