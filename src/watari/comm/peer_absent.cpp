// A build without CUDA: there is no other GPU's memory.
#include "watari/comm/carrier.hpp"

namespace watari::comm {

std::unique_ptr<carrier> make_peer(const halo_options&) {
    throw unsupported(device::absent_reason());
}

}  // namespace watari::comm
