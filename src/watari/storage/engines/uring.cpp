// Engine `uring`: `depth` requests in flight by io_uring, directly to or from the blocks' memory.
// That memory and the files are registered with the ring. A block in parts is one request with a
// list of pieces, which cannot name registered memory.
#include "watari/files/uring/uring.hpp"

#include "watari/storage/engines/pieces.hpp"
#include "watari/storage/engines/registered.hpp"
#include "watari/storage/engines/rows.hpp"

#include <algorithm>
#include <array>

namespace watari::storage {

namespace {

class uring_engine final : public engine {
public:
    explicit uring_engine(const engine_options& options)
        : engine(options), ring_(options, options.memory, options.bytes) {
        if (!ring_.why_not_buffers().empty()) note(ring_.why_not_buffers());
    }

    void run(const requests& list) override {
        const std::span offsets = list.offsets;
        seconds_.resize(offsets.size());
        pieces_.clear();
        for (std::size_t i = 0; list.parts > 1 && i < offsets.size(); ++i)
            add_pieces(list, i, pieces_);
        std::size_t next = 0, done = 0;
        double moment = now();
        while (done < offsets.size()) {
            for (; next < offsets.size() && next - done < options_.depth; ++next) {
                if (!list.times.empty() && list.times[next] > moment) break;
                seconds_[next] = list.times.empty() ? moment : list.times[next];
                if (!push(list, next)) break;
            }
            const std::span<const files::uring_completion> found = ended(list, next, done);
            moment = now();
            for (const files::uring_completion& each : found) {
                ring_.check(each, offsets[each.tag], list.block);
                repeat_overlaps(list, each.tag);
                seconds_[each.tag] = moment - seconds_[each.tag];
            }
            done += found.size();
        }
    }

private:
    /// Waits for a completion, or until the next request may begin.
    std::span<const files::uring_completion> ended(const requests& list, std::size_t next,
                                                   std::size_t done) {
        const bool some_wait = next < list.times.size() && next - done < options_.depth;
        if (!some_wait) return ring_.wait();
        if (next > done)
            if (const auto found = ring_.poll(); !found.empty()) return found;
        wait_until(next > done ? std::min(list.times[next], now() + polled) : list.times[next]);
        return {};
    }

    static constexpr double polled = 5e-6;  ///< seconds between looks at the ring

    bool push(const requests& list, std::size_t i) {
        if (list.parts == 1) return ring_.push(list.offsets[i], list.location(i), list.block, i);
        return ring_.push(list.offsets[i], std::span(pieces_).subspan(i * list.parts, list.parts),
                          i);
    }

    std::vector<iovec> pieces_;  ///< of the whole list; declared before the ring, which waits for
                                 ///< its requests
    registered_ring ring_;
};

}  // namespace

std::string uring_unsupported(const engine_options&) { return files::uring_absent_reason(); }

std::unique_ptr<engine> make_uring(const engine_options& options) {
    if (options.who.is_gpu()) return make_uring_gpu(options);
    return std::make_unique<uring_engine>(options);
}

}  // namespace watari::storage
