// The styles, in the order in which people see them.
#include "styles.hpp"

namespace watari::deep {

std::span<const style> styles() {
    using cases::on_gpu;
    using memory::kind;
    static constexpr style table[] = {
        {{"explicit", kind::device, 0, false}, on_gpu(run_explicit)},
        {{"packed", kind::device, 0, false}, on_gpu(run_packed)},
        {{"managed", kind::managed, 0, false}, on_gpu(run_managed)},
        {{"system", kind::system, 0, false}, on_gpu(run_system), run_system_on_cpu},
    };
    return table;
}

}  // namespace watari::deep
