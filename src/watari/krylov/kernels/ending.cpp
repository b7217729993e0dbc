#include "watari/krylov/kernels/ending.hpp"

namespace watari::krylov {

const char* name_of(ending reason) {
    static constexpr const char* names[]{"running",    "converged",  "limit",  "breakdown",
                                         "stagnation", "inaccurate", "stopped"};
    return names[static_cast<unsigned>(reason)];
}

}  // namespace watari::krylov
