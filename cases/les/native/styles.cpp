// The styles, in the order in which people see them.
#include "styles.hpp"

namespace watari::les {

std::span<const style> styles() {
    using cases::any_halo, cases::on_gpu;
    using memory::kind;
    static constexpr style table[] = {
        {{"explicit", kind::device, any_halo, false}, on_gpu(run_explicit)},
        {{"pinned", kind::pinned, any_halo, false}, on_gpu(run_pinned)},
        {{"managed", kind::managed, any_halo, false}, on_gpu(run_managed)},
        {{"managed-prefetch", kind::managed, any_halo, false}, on_gpu(run_managed_prefetch)},
        {{"system", kind::system, any_halo, false}, on_gpu(run_system), run_system_on_cpu},
    };
    return table;
}

}  // namespace watari::les
