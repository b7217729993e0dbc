// The styles of a build with CUDA.
#include "watari/cases/lattice/styles.hpp"

namespace watari::lattice {

std::span<const style> styles() {
    using cases::any_halo;
    using memory::kind;
    static constexpr style table[] = {
        {{"explicit", kind::device, any_halo, true}, run_explicit, nullptr},
        {{"pinned", kind::pinned, any_halo, true}, run_pinned, nullptr},
        {{"managed", kind::managed, any_halo, true}, run_managed, nullptr},
        {{"managed-prefetch", kind::managed, any_halo, true}, run_managed_prefetch, nullptr},
        {{"system", kind::system, any_halo, true}, run_system, run_system_on_cpu},
    };
    return table;
}

}  // namespace watari::lattice
