// A build without CUDA: there is no driver to advise.
#include "watari/core/error.hpp"
#include "watari/memory/hint.hpp"

namespace watari::memory {

void advise(const block&, hint h, processor) {
    if (h != hint::none) throw unsupported(device::absent_reason());
}

void prefetch(const block&, std::size_t, std::size_t, processor, stream_t) {
    throw unsupported(device::absent_reason());
}

}  // namespace watari::memory
