// Style `system`: plain malloc, and the GPU uses the same pointers. Needs a machine whose GPU reads
// the CPU's page tables (ATS) or is notified of them (HMM). It contains no CUDA.
#include "../loop.hpp"
#include "../styles.hpp"

#include <array>
#include <cstdlib>

namespace watari::les {

measure::trial run_system(const parameters& p) {
    measure::trial result;
    prepare(result, p, std::array{memory::kind::system});
    fields f;
    const auto all = arrays(f, p);
    stopwatch watch(result);

    for (const auto& [pointer, bytes] : all) *pointer = static_cast<std::byte*>(std::malloc(bytes));
    watch.lap("allocate");

    initialise(f, p);
    watch.skip();

    simulate(result, p, f, {}, true);
    watch.skip();

    read_result(result, p, swapped(p) ? f.next : f.flow);
    watch.lap("transfer_out");

    for (const auto& [pointer, bytes] : all) std::free(*pointer);
    watch.lap("release");
    return result;
}

}  // namespace watari::les
