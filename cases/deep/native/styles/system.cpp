// Style `system`: the same tree as in the CPU's program; the GPU follows the same pointers. Needs a
// machine whose GPU reads the CPU's page tables (ATS) or is notified of them (HMM).
#include "../styles.hpp"
#include "watari/case/stopwatch.hpp"

#include <cstdlib>

namespace watari::deep {

measure::trial run_system(const parameters& p) {
    measure::trial result;
    prepare(result, p, memory::kind::system);
    cases::stopwatch watch(result);

    node* root = build(p.tree(), [](std::size_t bytes) { return std::malloc(bytes); });
    watch.lap("build");

    iterate(result, p, root);
    watch.skip();

    read_result(result, p, root);
    watch.lap("transfer_out");

    take_down(root, [](void* memory) { std::free(memory); });
    watch.lap("release");
    return result;
}

}  // namespace watari::deep
