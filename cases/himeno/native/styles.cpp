// The styles, in the order in which users see them.
#include "styles.hpp"

namespace watari::himeno {

// the programs, each in a file of styles/
measure::trial run_explicit(const part& p);
measure::trial run_explicit_struct(const part& p);
measure::trial run_managed_struct(const part& p);
measure::trial run_pinned(const part& p);
measure::trial run_managed(const part& p);
measure::trial run_managed_prefetch(const part& p);
measure::trial run_system(const part& p);
measure::trial run_system_prefetch(const part& p);
measure::trial run_system_on_cpu(const part& p);
measure::trial run_directive(const part& p);

std::span<const style> styles() {
    using cases::directives, cases::on_gpu, cases::only;
    using memory::kind;
    // a directive style writes its path of the halo: a copy to the host, or its own pointer
    constexpr unsigned by_host = only(comm::path::staged), by_pointer = only(comm::path::device);
    constexpr unsigned by_gpu = by_pointer | only(comm::path::nccl) | only(comm::path::peer);
    static constexpr style table[] = {
        {{.name = "explicit", .kind = kind::device, .host = kind::pageable, .overlaps = true},
         on_gpu(run_explicit)},
        {{.name = "explicit-struct", .kind = kind::device, .host = kind::pageable},
         on_gpu(run_explicit_struct)},
        {{.name = "pinned", .kind = kind::pinned, .overlaps = true}, on_gpu(run_pinned)},
        {{.name = "managed", .kind = kind::managed, .overlaps = true}, on_gpu(run_managed)},
        {{.name = "managed-struct", .kind = kind::managed}, on_gpu(run_managed_struct)},
        {{.name = "managed-prefetch", .kind = kind::managed, .overlaps = true},
         on_gpu(run_managed_prefetch)},
        {{.name = "system", .kind = kind::system, .overlaps = true},
         on_gpu(run_system),
         run_system_on_cpu},
        {{.name = "system-prefetch", .kind = kind::system, .overlaps = true},
         on_gpu(run_system_prefetch)},
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
        {{.name = "acc-managed-all",
          .kind = kind::managed,
          .halos = by_pointer,
          .language = directives::openacc},
         on_gpu(run_directive)},
        {{.name = "acc-managed",
          .kind = kind::managed,
          .halos = by_pointer,
          .language = directives::openacc},
         on_gpu(run_directive)},
        {{.name = "acc-system",
          .kind = kind::system,
          .halos = by_pointer,
          .language = directives::openacc},
         on_gpu(run_directive)},
        {{.name = "omp-target",
          .kind = kind::device,
          .host = kind::pageable,
          .field = kind::pageable,
          .halos = by_host,
          .language = directives::openmp},
         on_gpu(run_directive)},
        {{.name = "omp-system",
          .kind = kind::system,
          .halos = by_pointer,
          .language = directives::openmp},
         on_gpu(run_directive)},
        {{.name = "f-acc-data",
          .kind = kind::device,
          .host = kind::pageable,
          .field = kind::pageable,
          .halos = by_host,
          .language = directives::openacc,
          .fortran = true},
         on_gpu(run_directive)},
        {{.name = "f-acc-host-data",
          .kind = kind::device,
          .host = kind::pageable,
          .halos = by_gpu,
          .language = directives::openacc,
          .fortran = true},
         on_gpu(run_directive)},
        {{.name = "f-acc-managed-all",
          .kind = kind::managed,
          .halos = by_pointer,
          .language = directives::openacc,
          .fortran = true},
         on_gpu(run_directive)},
        {{.name = "f-acc-managed",
          .kind = kind::managed,
          .halos = by_pointer,
          .language = directives::openacc,
          .fortran = true},
         on_gpu(run_directive)},
        {{.name = "f-omp-target",
          .kind = kind::device,
          .host = kind::pageable,
          .field = kind::pageable,
          .halos = by_host,
          .language = directives::openmp,
          .fortran = true},
         on_gpu(run_directive)},
        {{.name = "f-do-concurrent",
          .kind = kind::managed,
          .halos = by_pointer | by_host,
          .language = directives::concurrent,
          .fortran = true},
         on_gpu(run_directive),
         run_directive},
        {{.name = "f-cpu",
          .kind = kind::pageable,
          .halos = by_host | by_pointer,
          .language = directives::threads,
          .fortran = true},
         nullptr,
         run_directive},
    };
    return table;
}

}  // namespace watari::himeno
