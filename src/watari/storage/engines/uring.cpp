// Engine `uring`: `depth` requests in flight by io_uring, straight into the memory they are for,
// which is registered with the ring, as the files are.
#include "watari/storage/uring.hpp"

#include "watari/storage/engines/registered.hpp"
#include "watari/storage/engines/rows.hpp"

#include <algorithm>
#include <array>

namespace watari::storage {

namespace {

class uring_engine final : public engine {
public:
    explicit uring_engine(const duty& what) : engine(what), ring_(what, what.memory, what.bytes) {
        if (!ring_.why_not_buffers().empty()) note(ring_.why_not_buffers());
    }

    void run(const requests& list, std::span<double> seconds) override {
        const std::span offsets = list.offsets;
        std::size_t next = 0, done = 0;
        double moment = now();
        while (done < offsets.size()) {
            for (; next < offsets.size() && next - done < what_.depth; ++next) {
                seconds[next] = moment;
                if (!ring_.push(offsets[next], list.memory + next * list.block, list.block, next))
                    break;
            }
            const std::span<const uring_completion> found = ring_.wait();
            moment = now();
            for (const uring_completion& each : found) {
                ring_.check(each, offsets[each.tag], list.block);
                seconds[each.tag] = moment - seconds[each.tag];
            }
            done += found.size();
        }
    }

private:
    registered_ring ring_;
};

}  // namespace

std::string uring_unsupported(const duty&) { return uring_absent_reason(); }

std::unique_ptr<engine> make_uring(const duty& what) {
    if (what.who.is_gpu()) return make_uring_gpu(what);
    return std::make_unique<uring_engine>(what);
}

}  // namespace watari::storage
