// The styles of a build with CUDA.
#include "watari/cases/himeno/styles.hpp"

namespace watari::himeno {

std::span<const style> styles() {
    using cases::any_halo, cases::only;
    using memory::kind;
    // what these write is one path each: a copy to the host, or the pointer that they have
    constexpr unsigned by_host = only(comm::path::staged), by_pointer = only(comm::path::device);
    constexpr unsigned by_gpu = by_pointer | only(comm::path::nccl) | only(comm::path::peer);
    static constexpr style table[] = {
        {{"explicit", kind::device, any_halo, true}, run_explicit, nullptr},
        {{"pinned", kind::pinned, any_halo, true}, run_pinned, nullptr},
        {{"managed", kind::managed, any_halo, true}, run_managed, nullptr},
        {{"managed-prefetch", kind::managed, any_halo, true}, run_managed_prefetch, nullptr},
        {{"system", kind::system, any_halo, true}, run_system, run_system_on_cpu},
        {{"acc-data", kind::pageable, by_host, false}, run_directive, nullptr},
        {{"acc-host-data", kind::device, by_gpu, false}, run_directive, nullptr},
        {{"acc-managed", kind::managed, by_pointer, false}, run_directive, nullptr},
        {{"acc-managed-all", kind::managed, by_pointer, false}, run_directive, nullptr},
        {{"omp-target", kind::pageable, by_host, false}, run_directive, nullptr},
    };
    return table;
}

}  // namespace watari::himeno
