// Engine `s3`: ranges of objects, `depth` requests in flight by libcurl's multi interface. Object i
// of several begins at i x files::file_room, as files apart do. The requests'
// bodies go to the blocks' memory, for a GPU to a pinned slot each, from where it copies them.
// libcurl receives into a buffer of its own that stays in the cache: one copy by the CPU.
#include "watari/objects/object_set.hpp"
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
            slots_.emplace_back(options);
            idle_.push_back(i);
        }
    }

    void run(const requests& list) override {
        const std::size_t count = list.offsets.size();
        seconds_.resize(count);
        used_.resize(count);
        std::size_t next = 0;
        for (std::size_t done = 0; done < count;) {
            for (; next < count && !idle_.empty(); ++next) push(list, next);
            for (const objects::ended_transfer& each : connections_->wait()) {
                const std::size_t i = each.tag;
                slots_[used_[i]].after(options_.direction, list, i);
                idle_.push_back(used_[i]);
                seconds_[i] = now() - seconds_[i];
                ++done;
            }
        }
    }

    void flush() override {}

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
    void push(const requests& list, std::size_t i) {
        used_[i] = idle_.back();
        idle_.pop_back();
        seconds_[i] = now();
        const std::uint64_t offset = list.offsets[i];
        connections_->push_read(
            options_.objects->facts(offset / files::file_room), offset % files::file_room,
            slots_[used_[i]].before(options_.direction, list, i), list.block, i);
    }

    std::deque<staging> slots_;      ///< declared before the connections, which write into them
    std::vector<std::size_t> idle_;  ///< slots without a request
    std::vector<std::size_t> used_;  ///< the slot of each request
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
