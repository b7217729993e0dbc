// Style `system` on the CPU: the program that the other styles are derived from.
#include "../styles.hpp"
#include "watari/case/stopwatch.hpp"

#include <cstdlib>

namespace watari::deep {

measure::trial run_system_on_cpu(const parameters& p) {
    measure::trial result;
    prepare(result, p, memory::kind::pageable);
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
