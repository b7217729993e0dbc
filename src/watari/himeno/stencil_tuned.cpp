// The CPU has no kernel of its own: the shared one is bound by memory there.
#include "watari/core/error.hpp"
#include "watari/himeno/stencil.hpp"

namespace watari::cpu {

void himeno_tuned(const himeno::fields&, double*, stream_t) {
    throw unsupported("the tuned kernel is the GPU's; on the CPU take kernel=shared");
}

}  // namespace watari::cpu
