// The styles, in display order.
#include "styles.hpp"

namespace watari::lattice {

std::span<const style> styles() {
    using cases::any_halo, cases::on_gpu, cases::only;
    using memory::kind;
    constexpr unsigned by_host = only(comm::path::staged);  // like the original program
    static constexpr style table[] = {
        {{"explicit", kind::device, any_halo, true}, on_gpu(run_explicit)},
        {{"pinned", kind::pinned, any_halo, true}, on_gpu(run_pinned)},
        {{"managed", kind::managed, any_halo, true}, on_gpu(run_managed)},
        {{"managed-prefetch", kind::managed, any_halo, true}, on_gpu(run_managed_prefetch)},
        {{"system", kind::system, any_halo, true}, on_gpu(run_system), run_system_on_cpu},
        {{"acc-data", kind::pageable, by_host, false}, on_gpu(run_directive)},
        {{"acc-managed", kind::managed, by_host, false}, on_gpu(run_directive)},
        {{"omp-target", kind::pageable, by_host, false}, on_gpu(run_directive)},
    };
    return table;
}

}  // namespace watari::lattice
