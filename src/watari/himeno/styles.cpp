// The styles of a build with CUDA.
#include "watari/himeno/styles.hpp"

namespace watari::himeno {

std::span<const style> styles() {
    static constexpr style table[] = {
        {"explicit", run_explicit, false},
        {"pinned", run_pinned, false},
        {"managed", run_managed, false},
        {"managed-prefetch", run_managed_prefetch, false},
        {"system", run_system, true},
        {"acc-data", run_directive, false},
        {"acc-host-data", run_directive, false},
        {"acc-managed", run_directive, false},
        {"acc-managed-all", run_directive, false},
        {"omp-target", run_directive, false},
    };
    return table;
}

}  // namespace watari::himeno
