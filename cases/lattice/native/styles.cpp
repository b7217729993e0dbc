// The styles, in display order.
#include "styles.hpp"

namespace watari::lattice {

// the programs, each in a file of styles/
measure::trial run_explicit(const parameters& p);
measure::trial run_pinned(const parameters& p);
measure::trial run_managed(const parameters& p);
measure::trial run_managed_prefetch(const parameters& p);
measure::trial run_system(const parameters& p);
measure::trial run_system_on_cpu(const parameters& p);
measure::trial run_directive(const parameters& p);

std::span<const style> styles() {
    using cases::directives, cases::on_gpu, cases::only;
    using memory::kind;
    constexpr unsigned by_host = only(comm::path::staged);  // like the original program
    constexpr unsigned by_gpu =
        only(comm::path::device) | only(comm::path::nccl) | only(comm::path::peer);
    static constexpr style table[] = {
        {{.name = "explicit", .kind = kind::device, .host = kind::pageable, .overlaps = true},
         on_gpu(run_explicit)},
        {{.name = "pinned", .kind = kind::pinned, .overlaps = true}, on_gpu(run_pinned)},
        {{.name = "managed", .kind = kind::managed, .overlaps = true}, on_gpu(run_managed)},
        {{.name = "managed-prefetch", .kind = kind::managed, .overlaps = true},
         on_gpu(run_managed_prefetch)},
        {{.name = "system", .kind = kind::system, .overlaps = true},
         on_gpu(run_system),
         run_system_on_cpu},
        {{.name = "acc-data",
          .kind = kind::device,
          .host = kind::pageable,
          .field = kind::pageable,
          .halos = by_host,
          .language = directives::openacc},
         on_gpu(run_directive)},
        {{.name = "acc-host-data",
          .kind = kind::device,
          .host = kind::pageable,
          .halos = by_gpu,
          .language = directives::openacc},
         on_gpu(run_directive)},
        {{.name = "acc-managed",
          .kind = kind::managed,
          .halos = by_host | only(comm::path::device),
          .language = directives::openacc},
         on_gpu(run_directive)},
        {{.name = "omp-target",
          .kind = kind::device,
          .host = kind::pageable,
          .field = kind::pageable,
          .halos = by_host,
          .language = directives::openmp},
         on_gpu(run_directive)},
    };
    return table;
}

}  // namespace watari::lattice
