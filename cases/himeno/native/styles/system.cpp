// Style `system`: plain malloc, and the GPU uses the same pointers (Yoshida 2024, listing 4.10).
// Requires a machine whose GPU reads the CPU's page tables (ATS) or is notified of changes (HMM).
// The program contains no line of CUDA.
#include "../loop.hpp"
#include "../styles.hpp"

#include <cstdlib>

namespace watari::himeno {

measure::trial run_system(const part& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::system});
    const std::size_t bytes = p.size.points() * sizeof(float);
    fields f{.size = p.size};
    stopwatch watch(result);

    for (float** array : pointers(f)) *array = static_cast<float*>(std::malloc(bytes));
    auto* gosa = static_cast<double*>(std::malloc(gosa_scratch(p.size) * sizeof(double)));
    watch.lap("allocate");

    initialise(f, p);
    watch.skip();

    iterate(result, p, f, gosa, true, nullptr);
    watch.skip();

    read_result(result, p, f);
    watch.lap("read");

    std::free(gosa);
    for (float** array : pointers(f)) std::free(*array);
    watch.lap("release");
    return result;
}

}  // namespace watari::himeno
