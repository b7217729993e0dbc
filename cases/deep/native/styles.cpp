// The styles, in the order in which people see them.
#include "styles.hpp"

namespace watari::deep {

// the programs, each in a file of styles/
measure::trial run_explicit(const parameters& p);
measure::trial run_packed(const parameters& p);
measure::trial run_managed(const parameters& p);
measure::trial run_system(const parameters& p);
measure::trial run_system_on_cpu(const parameters& p);

std::span<const style> styles() {
    using cases::on_gpu;
    using memory::kind;
    static constexpr style table[] = {
        {{.name = "explicit", .kind = kind::device, .host = kind::pageable, .halos = 0},
         on_gpu(run_explicit)},
        {{.name = "packed", .kind = kind::device, .host = kind::pinned, .halos = 0},
         on_gpu(run_packed)},
        {{.name = "managed", .kind = kind::managed, .halos = 0}, on_gpu(run_managed)},
        {{.name = "system", .kind = kind::system, .halos = 0},
         on_gpu(run_system),
         run_system_on_cpu},
    };
    return table;
}

}  // namespace watari::deep
