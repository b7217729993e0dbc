// Engine `s3`: ranges of objects, `depth` requests in flight by libcurl's multi interface. Object i
// of several begins at i x files::file_room, as files apart do. The requests'
// bodies go to the blocks' memory, for a GPU to a pinned slot each, from where it copies them.
// libcurl receives into a buffer of its own that stays in the cache: one copy by the CPU.
// With `merged`, blocks of a list that lie near one another are one request: the rows of a tile.
#include "watari/objects/object_set.hpp"
#include "watari/objects/plan.hpp"
#include "watari/objects/service/curl.hpp"

#include "watari/storage/engines/rows.hpp"
#include "watari/storage/engines/staging.hpp"

#include <algorithm>
#include <deque>

namespace watari::storage {

namespace {

class s3_engine final : public engine {
public:
    explicit s3_engine(const engine_options& options)
        : engine(options), connections_(options.objects->connect(options.depth)) {
        const std::size_t slots = std::max<std::size_t>(options.depth, 1);
        for (std::size_t i = 0; i < slots; ++i) {
            slots_.emplace_back(options, options.merged);
            idle_.push_back(i);
        }
    }

    void run(const requests& list) override {
        const std::size_t count = list.offsets.size();
        seconds_.resize(count);
        used_.resize(count);
        blocks_.resize(count);
        std::size_t next = 0;
        for (std::size_t done = 0; done < count;) {
            while (next < count && !idle_.empty()) next += push(list, next);
            for (const objects::ended_transfer& each : connections_->wait()) {
                const std::size_t i = each.tag;
                slots_[used_[i]].after(list, i, blocks_[i]);
                idle_.push_back(used_[i]);
                std::fill_n(seconds_.begin() + static_cast<std::ptrdiff_t>(i), blocks_[i],
                            now() - seconds_[i]);
                done += blocks_[i];
            }
        }
    }

    void flush() override {}

    std::uint64_t surplus() const override { return surplus_; }

    std::optional<double> gpu_seconds() const override {
        double all = 0;
        for (const staging& each : slots_) {
            const std::optional<double> seconds = each.gpu_seconds();
            if (!seconds) return std::nullopt;
            all += *seconds;
        }
        return all;
    }

private:
    /// Begins a request for block i, and for those after it that belong to it. Returns their
    /// number.
    std::size_t push(const requests& list, std::size_t i) {
        staging& slot = slots_[used_[i] = idle_.back()];
        idle_.pop_back();
        seconds_[i] = now();
        const std::uint64_t offset = list.offsets[i];
        slot.begin().add(list, i);
        std::uint64_t end = offset + list.block;
        std::size_t count = 1;
        for (; i + count < list.offsets.size(); ++count) {
            const std::uint64_t next = list.offsets[i + count];
            const std::size_t had = end - offset, room = std::max(options_.merged, had) - had;
            if (list.overlap > 0 || room < list.block ||
                !objects::continues(end, room, next, list.block, options_.gap))
                break;
            slot.skip(next - end).add(list, i + count);
            surplus_ += next - end;
            end = next + list.block;
        }
        blocks_[i] = count;
        connections_->push_read(options_.objects->facts(offset / files::file_room),
                                offset % files::file_room, slot.pieces(), end - offset, i);
        return count;
    }

    std::deque<staging> slots_;        ///< declared before the connections, which write into them
    std::vector<std::size_t> idle_;    ///< slots without a request
    std::vector<std::size_t> used_;    ///< the slot of each request, by its first block
    std::vector<std::size_t> blocks_;  ///< its blocks
    std::uint64_t surplus_ = 0;
    std::unique_ptr<objects::transfers> connections_;
};

}  // namespace

std::string s3_unsupported(const engine_options& options) {
    if (options.direction == files::direction::write)
        return "engine s3 reads: an object is written whole, not in blocks";
    return objects::curl_absent_reason();
}

std::unique_ptr<engine> make_s3(const engine_options& options) {
    return std::make_unique<s3_engine>(options);
}

}  // namespace watari::storage
