// A build without CUDA: plain malloc is the one style that is left.
#include "watari/cases/lattice/styles.hpp"

namespace watari::lattice {

std::span<const style> styles() {
    static constexpr style table[] = {
        {{"system", memory::kind::pageable, cases::any_halo, true}, nullptr, run_system_on_cpu}};
    return table;
}

}  // namespace watari::lattice
