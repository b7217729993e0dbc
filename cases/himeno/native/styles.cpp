// The styles, in the order in which users see them.
#include "styles.hpp"

namespace watari::himeno {

std::span<const style> styles() {
    using cases::any_halo, cases::on_gpu, cases::only;
    using memory::kind;
    // a directive style writes its path of the halo: a copy to the host, or its own pointer
    constexpr unsigned by_host = only(comm::path::staged), by_pointer = only(comm::path::device);
    constexpr unsigned by_gpu = by_pointer | only(comm::path::nccl) | only(comm::path::peer);
    static constexpr style table[] = {
        {{"explicit", kind::device, any_halo, true}, on_gpu(run_explicit)},
        {{"explicit-struct", kind::device, any_halo, false}, on_gpu(run_explicit_struct)},
        {{"pinned", kind::pinned, any_halo, true}, on_gpu(run_pinned)},
        {{"managed", kind::managed, any_halo, true}, on_gpu(run_managed)},
        {{"managed-struct", kind::managed, any_halo, false}, on_gpu(run_managed_struct)},
        {{"managed-prefetch", kind::managed, any_halo, true}, on_gpu(run_managed_prefetch)},
        {{"system", kind::system, any_halo, true}, on_gpu(run_system), run_system_on_cpu},
        {{"system-prefetch", kind::system, any_halo, true}, on_gpu(run_system_prefetch)},
        {{"acc-data", kind::pageable, by_host, false}, on_gpu(run_directive)},
        {{"acc-host-data", kind::device, by_gpu, false}, on_gpu(run_directive)},
        {{"acc-managed-all", kind::managed, by_pointer, false}, on_gpu(run_directive)},
        {{"acc-managed", kind::managed, by_pointer, false}, on_gpu(run_directive)},
        {{"acc-system", kind::system, by_pointer, false}, on_gpu(run_directive)},
        {{"omp-target", kind::pageable, by_host, false}, on_gpu(run_directive)},
        {{"omp-system", kind::system, by_pointer, false}, on_gpu(run_directive)},
    };
    return table;
}

}  // namespace watari::himeno
