// A build without CUDA has no GPUs.
#include "watari/machine/gpus.hpp"

namespace watari::machine {

gpu_list read_gpus() {
    gpu_list none;
    none.reason = "built without CUDA";
    return none;
}

}  // namespace watari::machine
