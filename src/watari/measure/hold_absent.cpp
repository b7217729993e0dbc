// A build without CUDA: there is no stream to hold.
#include "watari/measure/hold.hpp"

namespace watari::measure {

hold::hold() : flag_(memory::kind::pinned, 1) {}

void hold::start(stream_t) {}

void hold::release() noexcept {}

}  // namespace watari::measure
