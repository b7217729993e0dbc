#include "watari/comm/meeting.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/atomic_gpu.hpp"

#include <cstddef>

namespace watari::comm {

void meet(const meeting (&sides)[2], stream_t stream) {
    using gpu::everywhere;
    const meeting below = sides[0], above = sides[1];
    gpu::for_each(
        2,
        [=] __device__(std::size_t side) {
            const meeting with = side == 0 ? below : above;
            if (with.told == nullptr) return;
            const std::uint64_t now = *with.own += 1;
            everywhere::store_release(*with.told, now);
            while (everywhere::load_acquire(*with.others) < now) {
            }
        },
        stream);
}

}  // namespace watari::comm
