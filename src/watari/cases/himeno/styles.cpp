// The styles of a build with CUDA.
#include "watari/cases/himeno/styles.hpp"

namespace watari::himeno {

std::span<const style> styles() {
    using memory::kind;
    // what these write is one path each: a copy to the host, or the pointer that they have
    constexpr unsigned by_host = only(comm::path::staged), by_pointer = only(comm::path::device);
    constexpr unsigned by_gpu = by_pointer | only(comm::path::nccl) | only(comm::path::peer);
    static constexpr style table[] = {
        {"explicit", run_explicit, nullptr, kind::device, any_halo, true},
        {"pinned", run_pinned, nullptr, kind::pinned, any_halo, true},
        {"managed", run_managed, nullptr, kind::managed, any_halo, true},
        {"managed-prefetch", run_managed_prefetch, nullptr, kind::managed, any_halo, true},
        {"system", run_system, run_system_on_cpu, kind::system, any_halo, true},
        {"acc-data", run_directive, nullptr, kind::pageable, by_host, false},
        {"acc-host-data", run_directive, nullptr, kind::device, by_gpu, false},
        {"acc-managed", run_directive, nullptr, kind::managed, by_pointer, false},
        {"acc-managed-all", run_directive, nullptr, kind::managed, by_pointer, false},
        {"omp-target", run_directive, nullptr, kind::pageable, by_host, false},
    };
    return table;
}

}  // namespace watari::himeno
