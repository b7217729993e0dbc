// The styles, in the order in which people see them.
#include "styles.hpp"

namespace watari::les {

// the programs, each in a file of styles/
measure::trial run_explicit(const parameters& p);
measure::trial run_pinned(const parameters& p);
measure::trial run_managed(const parameters& p);
measure::trial run_managed_prefetch(const parameters& p);
measure::trial run_system(const parameters& p);
measure::trial run_system_on_cpu(const parameters& p);

std::span<const style> styles() {
    using cases::on_gpu;
    using memory::kind;
    static constexpr style table[] = {
        {{.name = "explicit", .kind = kind::device, .host = kind::pinned}, on_gpu(run_explicit)},
        {{.name = "pinned", .kind = kind::pinned}, on_gpu(run_pinned)},
        {{.name = "managed", .kind = kind::managed}, on_gpu(run_managed)},
        {{.name = "managed-prefetch", .kind = kind::managed}, on_gpu(run_managed_prefetch)},
        {{.name = "system", .kind = kind::system}, on_gpu(run_system), run_system_on_cpu},
    };
    return table;
}

}  // namespace watari::les
