// A build without CUDA: plain malloc is the one style that is left.
#include "watari/cases/himeno/styles.hpp"

namespace watari::himeno {

std::span<const style> styles() {
    static constexpr style table[] = {
        {"system", nullptr, run_system_on_cpu, memory::kind::pageable, any_halo, true}};
    return table;
}

}  // namespace watari::himeno
